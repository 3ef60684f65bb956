/** The handles round a joint: arrows and a box that move it, rings that turn it; where they are and how they look. */

import type { Lines } from "../ground/lines";
import type { PoseColors } from "./pose_colors";
import { acrossOf, dot, minus, pixelsToSegment, plus, ringPlaces, unit, type Point } from "./pose_math";
import type { Screen, Spot } from "./pose_screen";

export const AXES = ["x", "y", "z"] as const;
export type Axis = (typeof AXES)[number];
/** An arrow by its axis, the box of free movement, or a ring by the axis that it turns about. */
export type Part = Axis | "free" | `ring-${Axis}`;

export const DIRECTION: Record<Axis, Point> = { x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] };
export const axisOf = (part: Part): Axis | null => (part === "free" ? null : (part.at(-1) as Axis));

/** Pixels. */
const SIZE = { from: 17, to: 66, head: 15, headRadius: 6, shaft: 1.6, box: 11, line: 1.1, ring: 58, ringLine: 1.4 };
const HALF_TARGET = 12;
const RING_PARTS = 48;
/** How much of a ring's far half and of what is not pointed at shows. */
const FAR = 0.35;

export class Handles {
  readonly parts: readonly Part[];
  private readonly pixel: number;

  constructor(
    readonly centre: Point,
    readonly kind: "fk" | "ik",
    private readonly screen: Screen,
  ) {
    this.parts = kind === "ik" ? ["x", "y", "z", "free"] : ["ring-x", "ring-y", "ring-z"];
    this.pixel = screen.pixel(centre);
  }

  get radius(): number {
    return SIZE.ring * this.pixel;
  }

  /** The part under the pointer: the nearest within reach of it; the box before the arrows that begin at it. */
  at(pointer: Spot): Part | null {
    let best: Part | null = null;
    let least = HALF_TARGET;
    for (const part of this.parts) {
      const far = this.pixelsTo(part, pointer);
      if (far < least) [best, least] = [part, far];
    }
    return best;
  }

  /** A place on a part to take hold of, client coordinates; of a ring, the nearest to the eye. */
  grabSpot(part: Part): Spot | null {
    if (part === "free") return this.screen.spot(this.centre);
    const axis = DIRECTION[axisOf(part)!];
    if (!part.startsWith("ring")) return this.screen.spot(this.along(axis, SIZE.to - SIZE.head));
    const facing = this.screen.facing;
    const near = plus(facing, axis, -dot(facing, axis));
    // A ring that is seen face on has no near side: any of its places will do.
    const to = dot(near, near) > 1e-6 ? unit(near) : acrossOf(axis)[0];
    return this.screen.spot(plus(this.centre, to, this.radius));
  }

  draw(lines: Lines, colors: PoseColors, hovered: string | null): void {
    if (this.kind === "ik") this.drawArrows(lines, colors, hovered);
    else this.drawRings(lines, colors, hovered);
  }

  private along(axis: Point, pixels: number): Point {
    return plus(this.centre, axis, pixels * this.pixel);
  }

  private pixelsTo(part: Part, pointer: Spot): number {
    const { screen } = this;
    const middle = screen.spot(this.centre);
    if (!middle) return Infinity;
    if (part === "free") return Math.max(Math.abs(pointer.x - middle.x), Math.abs(pointer.y - middle.y));
    const axis = DIRECTION[axisOf(part)!];
    if (!part.startsWith("ring")) {
      const [a, b] = [screen.spot(this.along(axis, SIZE.from)), screen.spot(this.along(axis, SIZE.to))];
      // An arrow that points at the eye covers the box, and a pull along it means nothing.
      if (!a || !b || Math.hypot(b.x - a.x, b.y - a.y) < SIZE.head) return Infinity;
      return pixelsToSegment(pointer, a, b);
    }
    const places = ringPlaces(this.centre, axis, this.radius, RING_PARTS);
    let least = Infinity;
    for (let k = 0; k < RING_PARTS; k++) {
      const [a, b] = [screen.spot(places[k]!), screen.spot(places[k + 1]!)];
      if (!a || !b) continue;
      // The near half comes first where both lie under the pointer.
      const behind = dot(minus(places[k]!, this.centre), screen.facing) < 0 ? 3 : 0;
      least = Math.min(least, pixelsToSegment(pointer, a, b) + behind);
    }
    return least;
  }

  private drawArrows(lines: Lines, colors: PoseColors, hovered: string | null): void {
    const px = this.pixel;
    // Those that point away first: what is nearer covers them.
    const depth = (axis: (typeof AXES)[number]): number => dot(DIRECTION[axis], this.screen.facing);
    const order = [...AXES].sort((a, b) => depth(a) - depth(b));
    for (const name of order) {
      const axis = DIRECTION[name];
      const more = hovered === name ? 1 : 0;
      const neck = this.along(axis, SIZE.to - SIZE.head);
      const shaft = (SIZE.shaft + more / 2) * px;
      lines.add(this.along(axis, SIZE.from), shaft, neck, shaft, colors.axes[name], 1);
      lines.add(neck, (SIZE.headRadius + more) * px, this.along(axis, SIZE.to), 0.4 * px, colors.axes[name], 1);
    }
    const size = (SIZE.box + (hovered === "free" ? 1 : 0)) * px;
    const [right, up] = [this.screen.right, this.screen.up];
    const corner = (x: number, y: number): Point => plus(plus(this.centre, right, x * size), up, y * size);
    const corners = [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)];
    corners.forEach((from, k) =>
      lines.add(from, SIZE.line * px, corners[(k + 1) % 4]!, SIZE.line * px, colors.box, 1));
    lines.add(this.centre, 2.2 * px, this.centre, 2.2 * px, colors.box, 1);
  }

  private drawRings(lines: Lines, colors: PoseColors, hovered: string | null): void {
    for (const near of [false, true])
      for (const name of AXES) {
        const color = near ? colors.axes[name] : colors.axes[name].clone().lerp(colors.faded, 1 - FAR);
        const thick = (SIZE.ringLine + (hovered === `ring-${name}` ? 1 : 0)) * this.pixel * (near ? 1 : 0.7);
        const places = ringPlaces(this.centre, DIRECTION[name], this.radius, RING_PARTS);
        for (let k = 0; k < RING_PARTS; k++) {
          const middle = plus(places[k]!, places[k + 1]!);
          const side = dot(minus([middle[0] / 2, middle[1] / 2, middle[2] / 2], this.centre), this.screen.facing);
          // A ring that is seen face on is all near.
          if (side >= -0.08 * this.radius === near) lines.add(places[k]!, thick, places[k + 1]!, thick, color, 1);
        }
      }
  }
}
