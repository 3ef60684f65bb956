/** Drags of a pose's handles: previews while they move, one commit at their end. */

import type { Raycaster } from "three";
import * as state from "../../store/state";
import { begin, type Transaction } from "../../store/transaction";
import { reachChange, turnBefore, turnChange, type EditedJoint } from "./pose_edit";
import { axisOf, DIRECTION, type Handles, type Part } from "./pose_handles";
import {
  alongLine, angleAbout, cross, dot, onPlane, plus, turnInParent, wrapped, type Point, type Quat, type Ray,
} from "./pose_math";
import type { Screen, Spot } from "./pose_screen";
import type { Grip, ToolPointer } from "../tools";

/** Shift makes a pull ten times finer from there on. */
const FINE = 0.1;
/** A ring whose plane is seen more edge on than this, as a sine, is pulled along and not round. */
const EDGE_ON = 0.45;

export const rayOf = ({ ray }: Raycaster): Ray => ({
  origin: [ray.origin.x, ray.origin.y, ray.origin.z],
  direction: [ray.direction.x, ray.direction.y, ray.direction.z],
});

/** What all drags do: one preview for each drawing, however often the pointer moves. */
abstract class PoseGrip implements Grip {
  protected readonly drag: Transaction;
  private frame = 0;

  constructor(
    protected readonly edited: EditedJoint,
    private readonly ended: () => void,
  ) {
    this.drag = begin(edited.step);
    state.playing.value = false;
  }

  protected abstract pull(pointer: ToolPointer): void;
  protected abstract preview(): void;

  move(pointer: ToolPointer): void {
    this.pull(pointer);
    this.frame ||= requestAnimationFrame(this.flush);
  }

  drop(): void {
    if (this.frame) {
      cancelAnimationFrame(this.frame);
      this.flush();
    }
    this.drag.commit();
    this.ended();
  }

  cancel(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.drag.discard();
    this.ended();
  }

  private readonly flush = (): void => {
    this.frame = 0;
    this.preview();
  };
}

/** An arrow or the box moves a hand or a foot. */
export class MoveGrip extends PoseGrip {
  private readonly axis: Point | null;
  private readonly normal: Point;
  private readonly start: Point;
  private last: Point | null;
  private at: Point;

  constructor(
    edited: EditedJoint, part: Part, handles: Handles, screen: Screen, pointer: ToolPointer, ended: () => void,
  ) {
    super(edited, ended);
    const axis = axisOf(part);
    this.axis = axis && DIRECTION[axis];
    this.normal = screen.facing;
    this.at = handles.centre;
    this.start = handles.centre;
    this.last = this.meet(pointer);
  }

  protected pull(pointer: ToolPointer): void {
    const now = this.meet(pointer);
    if (now && this.last) {
      const share = pointer.shift ? FINE : 1;
      this.at = plus(plus(this.at, now, share), this.last, -share);
    }
    this.last = now ?? this.last;
  }

  protected preview(): void {
    this.drag.update(reachChange(this.edited, this.at));
  }

  /** Where the pointer is on the line or the plane of the drag. */
  private meet(pointer: ToolPointer): Point | null {
    const ray = rayOf(pointer.ray);
    if (!this.axis) return onPlane(ray, this.start, this.normal);
    const along = alongLine(ray, this.start, this.axis);
    return along === null ? null : plus(this.start, this.axis, along);
  }
}

/** A ring turns a joint about an axis of the world. */
export class TurnGrip extends PoseGrip {
  private readonly axis: Point;
  private readonly before: Point;
  private readonly tangent: Spot | null;
  private last: { place: Point | null; x: number; y: number };
  /** Radians so far. */
  angle = 0;

  constructor(
    edited: EditedJoint, part: Part, private readonly handles: Handles, screen: Screen, pointer: ToolPointer,
    private readonly parent: Quat, ended: () => void,
  ) {
    super(edited, ended);
    this.axis = DIRECTION[axisOf(part)!];
    this.before = turnBefore(edited);
    this.tangent = Math.abs(dot(this.axis, screen.facing)) < EDGE_ON ? this.wayOnScreen(screen) : null;
    this.last = { place: this.meet(pointer), x: pointer.x, y: pointer.y };
  }

  protected pull(pointer: ToolPointer): void {
    const place = this.meet(pointer);
    const share = pointer.shift ? FINE : 1;
    if (this.tangent)
      this.angle += share * ((pointer.x - this.last.x) * this.tangent.x + (pointer.y - this.last.y) * this.tangent.y);
    else if (place && this.last.place)
      this.angle += share * wrapped(angleAbout(this.handles.centre, this.axis, this.last.place, place));
    this.last = { place: place ?? this.last.place, x: pointer.x, y: pointer.y };
  }

  protected preview(): void {
    this.drag.update(turnChange(this.edited, this.before, turnInParent(this.axis, this.angle, this.parent)));
  }

  private meet(pointer: ToolPointer): Point | null {
    return onPlane(rayOf(pointer.ray), this.handles.centre, this.axis);
  }

  /** Radians for each pixel across and down, of a pull along the near side of a ring that is seen edge on. */
  private wayOnScreen(screen: Screen): Spot | null {
    const centre = this.handles.centre;
    const way = cross(this.axis, screen.facing);
    const [a, b] = [screen.spot(centre), screen.spot(plus(centre, way, this.handles.radius))];
    if (!a || !b) return null;
    const size = Math.hypot(b.x - a.x, b.y - a.y) || 1;
    return { x: (b.x - a.x) / (size * size), y: (b.y - a.y) / (size * size) };
  }
}
