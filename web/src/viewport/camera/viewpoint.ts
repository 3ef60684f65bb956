/** Where the character is seen from: frames it by itself until a hand takes the camera. */

import type { Clip, RetimedClip } from "../../store/clip";
import { thirdBody } from "../../store/compare";
import * as state from "../../store/state";
import { asideBy } from "../body/aside";
import { ASIDE } from "../body/target";
import { Eye } from "./eye";
import { facingOf, framedPoints, turned, type Framed, type Vec } from "./framing";
import type { LiveFigures } from "../body/live_figures";
import type { Subject } from "../body/subject";

export type Side = "front" | "side" | "top";

/** What is looked at: a character, its retimed motion if there is one, and the output time. */
export interface Shown {
  subject: Subject;
  result: RetimedClip | null;
  t: number;
}

const RAD = Math.PI / 180;
/** Where a motion is first seen from: to the character's right of its front, so that it goes to the right. */
const FIRST_LOOK = { left: -58 * RAD, up: 9 * RAD };
/** The key light, from the camera's first view: over its left shoulder. */
const LIGHT = { left: -64 * RAD, up: 50 * RAD };

export class Viewpoint {
  readonly eye: Eye;
  private width = 1;
  height = 1;
  /** What the framing was made for: another of these, and an untouched camera frames anew. */
  private framedFor: { layout: state.Layout; rest: string } | null = null;
  private touched = false;
  /** A body that travels far takes the camera along; where its root was when last drawn. */
  private travels = false;
  private rootX = 0;
  private rootZ = 0;
  /** What a live server's figures was framed for, and where its middle was; null while none is shown. */
  private served: { key: string; middle: [number, number] } | null = null;

  constructor(canvas: HTMLElement, invalidate: () => void, private readonly light: (from: Vec) => void) {
    this.eye = new Eye(canvas, invalidate, () => (this.touched = true));
    light(turned([0, 0, 1], LIGHT.left, LIGHT.up));
  }

  resize(width: number, height: number): void {
    this.width = width;
    this.height = height;
    this.eye.resize(width, height);
  }

  /** Forget what a hand did: another motion is to be seen. */
  reset(): void {
    this.touched = false;
    this.framedFor = null;
  }

  /** Frame anew if need be, and go along with a body that travels. */
  follow(shown: Shown): void {
    this.reframe(shown);
    const [x, z] = [this.rootX, this.rootZ];
    this.findRoot(shown);
    if (this.travels) this.eye.move(this.rootX - x, this.rootZ - z);
  }

  /** Bring all into the picture from where the camera is, further places too. */
  frame(shown: Shown, also: ArrayLike<number>): void {
    this.frameFrom(shown, this.eye.direction, also);
  }

  look(shown: Shown, from: Side, also: ArrayLike<number>): void {
    const facing = facingAt(shown.subject, shown.result ?? shown.subject.source, shown.t);
    this.frameFrom(shown, seenFrom(from, facing), also);
    this.touched = true;
  }

  /** Bring a live server's figures into the picture, from a side of the partner or from where the camera is. */
  frameServer(figures: LiveFigures, from?: Side): void {
    const direction = from ? seenFrom(from, figures.facing) : this.eye.direction;
    if (figures.count) this.eye.frame(figures.extent(), figures.room, direction);
    if (from) this.touched = true;
  }

  /** Go along with a live server's figures, and frame it where a figure came; null brings the character back. */
  followServer(figures: LiveFigures | null): void {
    const middle = figures?.middle;
    if (!figures) {
      if (!this.served) return;
      this.served = null;
      this.touched = false;
      if (this.framedFor) this.framedFor = { ...this.framedFor, rest: "" };
    } else if (middle) {
      const before = this.served;
      const key = `${figures.count} ${state.layout.peek()} ${this.width} ${this.height}`;
      this.served = { key, middle };
      if (before) this.eye.move(middle[0] - before.middle[0], middle[1] - before.middle[1]);
      if (!before || (before.key !== key && !this.touched)) this.frameServer(figures);
    }
  }

  /** The level direction from which a motion is first seen. */
  firstLook(subject: Subject, up = 0): Vec {
    return turned(facingAt(subject, subject.source, subject.source.start), FIRST_LOOK.left, up);
  }

  /** How far aside the original stands, x and z: in place, or to the left in the picture. */
  aside({ subject, result }: Shown): [number, number] {
    if (!result || state.layout.peek() === "overlay") return [0, 0];
    const right = this.eye.right;
    const by = asideBy(subject.source, result, subject.shape.size, right) - roomForThird(subject);
    return [by * right[0], by * right[2]];
  }

  dispose(): void {
    this.eye.dispose();
  }

  /** Another motion, its mesh, a result, a third body, a layout or a size came; a hand on the camera outweighs most. */
  private reframe(shown: Shown): void {
    const { subject, result } = shown;
    const layout = state.layout.peek();
    const rest = `${result !== null} ${thirdBody.peek() !== null} ${subject.reach} ${this.width} ${this.height}`;
    const before = this.framedFor;
    if (before?.layout === layout && before.rest === rest) return;
    this.framedFor = { layout, rest };
    if (!before) {
      const direction = this.firstLook(subject, FIRST_LOOK.up);
      this.light(turned(this.firstLook(subject), LIGHT.left, LIGHT.up));
      this.frameFrom(shown, direction);
    } else if (!this.touched || before.layout !== layout) {
      this.frameFrom(shown, this.eye.direction);
    }
  }

  private frameFrom(shown: Shown, direction: Vec, also: ArrayLike<number> = []): void {
    const { subject, result, t } = shown;
    this.eye.turn(direction); // which way is aside depends on it
    const [x, z] = this.aside(shown);
    const clips: Framed[] = [{ clip: subject.source, x, z }];
    if (result) clips.push({ clip: result, x: 0, z: 0 });
    const [away, right] = [roomForThird(subject), this.eye.right];
    if (away) clips.push({ clip: result ?? subject.source, x: -away * right[0], z: -away * right[2] });
    const { points, travels } = framedPoints(clips, subject.places, subject.shape.size, t);
    this.travels = travels;
    this.findRoot(shown);
    this.eye.frame(joined(points, also), subject.reach, direction);
  }

  private findRoot({ subject, result, t }: Shown): void {
    const pose = subject.poseOf(result ?? subject.source, t);
    const hips = Math.max(subject.source.header.roles.indexOf("hips"), 0);
    this.rootX = pose[3 * hips]!;
    this.rootZ = pose[3 * hips + 2]!;
  }
}

/** Metres to the left of the retimed body in which a third one stands; 0 where there is none. */
const roomForThird = ({ shape }: Subject): number => (thirdBody.peek() ? ASIDE * shape.size : 0);

function seenFrom(side: Side, facing: Vec): Vec {
  if (side === "front") return turned(facing, 0, 0);
  if (side === "side") return turned(facing, -90 * RAD, 0);
  return turned(facing, 180 * RAD, 89.9 * RAD); // the character faces up in the picture
}

function joined(points: Float32Array, also: ArrayLike<number>): Float32Array {
  const all = new Float32Array(points.length + also.length);
  all.set(points);
  all.set(also, points.length);
  return all;
}

const facingAt = (subject: Subject, clip: Clip, t: number): Vec =>
  facingOf(subject.source.header.roles, subject.poseOf(clip, t));
