/** Performer and partner of a running `retime live`: bodies of whatever joints are seen, by their roles. */

import { Group } from "three";
import { Clip } from "../../store/clip";
import type { ServerFrame } from "../../store/live_server";
import type { BodyKind } from "./body";
import { measureBones } from "./bones";
import { CapsuleBody } from "./capsules";
import { facingOf, type Vec } from "../camera/framing";
import { humanVolumes } from "./human";
import type { Palette } from "../palette";
import { on } from "./place";
import { round, type Shape } from "./shape";
import { solidityAt } from "./subject";

/** Each role hangs on the next one of its chain that a figure has. */
const CHAINS = [
  ["head", "neck", "upper_chest", "chest", "spine", "hips"],
  ...["left", "right"].flatMap((side) => [
    ["hand", "lower_arm", "upper_arm", "shoulder"].map((part) => `${side}_${part}`)
      .concat("upper_chest", "chest", "spine", "hips"),
    ["toe", "foot", "lower_leg", "upper_leg"].map((part) => `${side}_${part}`).concat("hips"),
  ]),
];
/** Half the thickness of limbs of which too few are seen to make a person of them, metres. */
const STICK = 0.035;
/** How tall a person is taken to be where that is not known, metres. */
const USUAL = 1.7;
/** Two that are side by side are so far from each other, in sizes. */
const SIDE = 0.7;
/** Room round joints for the skull over its joint, arms that are lifted and steps that are made, in sizes. */
const ROOM = 0.15;

/** Each joint's parent, -1 for roots, among those that are seen. */
export function roleParents(roles: readonly (string | null)[]): number[] {
  return roles.map((role) => {
    const chain = role === null ? undefined : CHAINS.find((names) => names.includes(role));
    if (!chain) return -1;
    const above = chain.slice(chain.indexOf(role!) + 1).find((name) => roles.includes(name));
    return above === undefined ? -1 : roles.indexOf(above);
  });
}

const isSeen = (points: ArrayLike<number>, joint: number): boolean => Number.isFinite(points[3 * joint]);

class Figure {
  readonly object = new Group();
  private body: CapsuleBody | null = null;
  private names: readonly string[] = [];
  /** Joints that the body was made of: those that were seen. */
  private known: boolean[] = [];
  private palette: Palette | null = null;
  private points: Float32Array = new Float32Array(0);
  size = USUAL;
  reach = 0;

  constructor(private readonly kind: BodyKind) {}

  /** Take a pose; the figure is made anew for other joints, or when more of them come into sight. */
  pose(names: readonly string[], points: Float32Array): void {
    this.points = points;
    this.object.visible = points.length > 0 && names.some((_, j) => isSeen(points, j));
    if (!this.object.visible) return;
    const same = names.length === this.names.length && names.every((name, j) => name === this.names[j]);
    if (!same || names.some((_, j) => !this.known[j] && isSeen(points, j))) this.make(names, points);
    this.body?.pose(still(points), 0);
  }

  paint(palette: Palette): void {
    if (palette === this.palette) return;
    this.palette = palette;
    this.body?.paint(palette);
  }

  stand(x: number, z: number, solidity: number): void {
    this.body?.shift(x, z);
    this.body?.setSolidity(solidity);
  }

  /** Where the hips are over the ground; null while no joint is seen. */
  get middle(): [number, number] | null {
    if (!this.object.visible) return null;
    const hips = this.place("hips");
    if (hips) return [hips[0], hips[2]];
    const joint = this.names.findIndex((_, j) => isSeen(this.points, j));
    return [this.points[3 * joint]!, this.points[3 * joint + 2]!];
  }

  place(role: string): Vec | null {
    const joint = this.object.visible ? this.names.indexOf(role) : -1;
    if (joint < 0 || !isSeen(this.points, joint)) return null;
    return [this.points[3 * joint]!, this.points[3 * joint + 1]!, this.points[3 * joint + 2]!];
  }

  /** Where the joints are that are seen, for a figure that was moved by x and z. */
  extent(x: number, z: number): number[] {
    if (!this.object.visible) return [];
    const p = this.points;
    return this.names.flatMap((_, j) => (isSeen(p, j) ? [p[3 * j]! + x, p[3 * j + 1]!, p[3 * j + 2]! + z] : []));
  }

  /** Which way it faces, level. */
  get facing(): Vec {
    return facingOf(this.names.map((name, j) => (isSeen(this.points, j) ? name : null)), this.points);
  }

  get roles(): readonly string[] {
    return this.names;
  }

  dispose(): void {
    this.body?.dispose();
  }

  private make(names: readonly string[], points: Float32Array): void {
    this.names = names;
    this.known = names.map((_, j) => isSeen(points, j));
    const shape = figureShape(names, points);
    this.size = shape.size;
    this.reach = Math.max(0, ...shape.volumes.flatMap((v) => [v.startRadius, v.endRadius]));
    this.body?.dispose();
    this.object.clear();
    this.body = new CapsuleBody(shape, this.kind);
    if (this.palette) this.body.paint(this.palette);
    this.object.add(this.body.object);
  }
}

/** A pose as a clip of one frame. */
const still = (points: Float32Array): Clip => new Clip(points, null, new Float32Array(1), 1, []);

/** The volumes of a person, where enough is seen of one; else sticks between the joints that are. */
export function figureShape(names: readonly string[], points: Float32Array): Shape {
  const roles = names.map((name, j) => (isSeen(points, j) ? name : null));
  const skeleton = { parents: roleParents(roles), ends: [], roles, ground: 0 };
  const human = humanVolumes(skeleton, measureBones(skeleton, still(points)));
  if (human) return { ...human, points: names.length };
  const sticks = skeleton.parents.flatMap((parent, j) =>
    parent < 0 ? [] : [round(on(parent), on(j), STICK, STICK, parent, j)]);
  return { volumes: sticks, size: USUAL, points: names.length };
}

/** Both figures; where they would stand in each other the performer stands aside. */
export class LiveFigures {
  readonly object = new Group();
  private readonly performer = new Figure("original");
  private readonly partner = new Figure("retimed");
  private request: number | null = null;
  /** From the performer's own place to the partner's, as they were first seen together. */
  private over: [number, number] | null = null;
  private aside: [number, number] = [0, 0];
  private reference: string | null = null;

  constructor() {
    this.object.add(this.performer.object, this.partner.object);
    this.object.visible = false;
  }

  /** Take a frame's poses, with the performer to the left in the picture if they are side by side; or go. */
  update(frame: ServerFrame | null, palette: Palette, side: boolean, right: Vec): void {
    this.object.visible = frame !== null;
    if (!frame) {
      this.request = null;
      return;
    }
    const { header } = frame;
    if (header.request !== this.request || header.reference !== this.reference) this.over = null;
    [this.request, this.reference] = [header.request, header.reference];
    for (const figure of [this.performer, this.partner]) figure.paint(palette);
    this.performer.pose(header.performer_joints, frame.performer);
    this.partner.pose(header.partner_joints, frame.partner);
    this.meet();
    const by = -SIDE * this.partner.size;
    this.aside = side && this.over ? [this.over[0] + by * right[0], this.over[1] + by * right[2]] : [0, 0];
    this.performer.stand(...this.aside, side && this.over ? 1 : this.apart());
  }

  /** Where the figures are over the ground: the partner's hips, or the performer's while there is no partner. */
  get middle(): [number, number] | null {
    return this.partner.middle ?? this.performer.middle;
  }

  /** How many figures are seen. */
  get count(): number {
    return Number(this.performer.object.visible) + Number(this.partner.object.visible);
  }

  get size(): number {
    return this.partner.size;
  }

  /** Which way they face: the partner, or the performer while there is no partner. */
  get facing(): Vec {
    return (this.partner.object.visible ? this.partner : this.performer).facing;
  }

  /** Metres round the places of `extent` that belong into the picture too. */
  get room(): number {
    return Math.max(this.performer.reach, this.partner.reach) + ROOM * this.size;
  }

  /** Places that belong into a picture of both, three numbers each. */
  extent(): number[] {
    return [...this.performer.extent(...this.aside), ...this.partner.extent(0, 0)];
  }

  dispose(): void {
    this.performer.dispose();
    this.partner.dispose();
  }

  private meet(): void {
    const [a, b] = [this.performer.middle, this.partner.middle];
    if (a && b) this.over ??= [b[0] - a[0], b[1] - a[1]];
  }

  /** 0 where both figures are one, 1 where they are two. */
  private apart(): number {
    let [sum, count] = [0, 0];
    for (const role of this.performer.roles) {
      const [a, b] = [this.performer.place(role), this.partner.place(role)];
      if (!a || !b) continue;
      sum += Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
      count++;
    }
    return count ? solidityAt(sum / count) : 1;
  }
}
