/** What happens where the body meets the ground: contact rings, forces, and marks of skating. */

import type { Color } from "three";
import type { MotionHeader } from "../../protocol";
import type { Clip, RetimedClip } from "../../store/clip";
import type { Lines } from "./lines";
import { pointAt } from "./pointpath";
import type { Rings } from "./rings";

const SKATE = 0.002; // metres a frame from which a foot is said to slide
const REACH = 0.5; // seconds round the playhead in which that is marked
/** Length of an arrow for one body weight, in statures. */
const WEIGHT_LENGTH = 0.28;
/** Marks lie this much above the ground, metres: they must not flicker with it. */
const LIFT = 0.003;

const spot = new Float32Array(3);
const other = new Float32Array(3);

/** Feet of a skeleton: for a toe the middle of the foot is found with its ankle. */
export class Feet {
  private readonly ankles = new Map<number, number>();
  private readonly points: number[];

  constructor(
    private readonly header: MotionHeader,
    private readonly size: number,
  ) {
    const { roles, parents } = header;
    roles.forEach((role, j) => {
      if (role?.endsWith("_toe")) this.ankles.set(j, roles.indexOf(role.replace("_toe", "_foot")));
    });
    const bars = new Set(header.contacts.map((bar) => bar.point));
    if (!bars.size) roles.forEach((role, j) => /_(toe|foot)$/.test(role ?? "") && parents[j]! >= 0 && bars.add(j));
    this.points = [...bars];
  }

  /** Add a ring under each point in contact; the whole is shifted by x and z. */
  addContacts(rings: Rings, clip: Clip, t: number, color: Color, opacity: number, x = 0, z = 0): void {
    for (const bar of clip.contacts) {
      if (t < bar.start || t > bar.end) continue;
      this.centre(clip, bar.point, t);
      rings.add(spot[0]! + x, this.header.ground + LIFT, spot[2]! + z, 0.078 * this.size, color, opacity);
    }
  }

  /** Add what the ground gives, shared by the points in contact; a ring of another colour where that cannot be. */
  addForces(
    lines: Lines, rings: Rings, clip: Clip, t: number, weights: number, color: Color, trouble: Color | null,
  ): void {
    const touching = clip.contacts.filter((bar) => t >= bar.start && t <= bar.end);
    for (const bar of touching) {
      this.centre(clip, bar.point, t);
      spot[1] = this.header.ground + LIFT;
      if (trouble) rings.add(spot[0]!, spot[1] + LIFT, spot[2]!, 0.095 * this.size, trouble, 1);
      this.addArrow(lines, (weights / touching.length) * WEIGHT_LENGTH * this.size, color);
    }
    if (trouble && !touching.length) {
      for (const point of this.points) {
        this.centre(clip, point, t);
        rings.add(spot[0]!, this.header.ground + LIFT, spot[2]!, 0.095 * this.size, trouble, 1);
      }
    }
  }

  /** An arrow up from `spot`. */
  private addArrow(lines: Lines, length: number, color: Color): void {
    const head = Math.min(0.05 * this.size, 0.5 * length);
    if (length < 0.01 * this.size) return;
    const thick = 0.008 * this.size;
    other.set(spot);
    other[1]! += length - head;
    lines.add(spot, thick, other, thick, color, 1);
    spot.set(other);
    spot[1]! += head;
    lines.add(other, 2.6 * thick, spot, 0.1 * thick, color, 1);
  }

  /** Mark where feet slide on the ground near the playhead. */
  addSkating(lines: Lines, clip: RetimedClip, t: number, color: Color, radius: number): void {
    const last = clip.frameAt(t + REACH);
    for (let k = Math.max(1, clip.frameAt(t - REACH)); k <= last; k++) {
      if (!(clip.skate[k]! > SKATE)) continue;
      for (const point of this.points) this.addStreak(lines, clip, point, k, color, radius);
    }
  }

  private addStreak(lines: Lines, clip: Clip, point: number, k: number, color: Color, radius: number): void {
    const at = 3 * (k * clip.points + point);
    const earlier = at - 3 * clip.points;
    const p = clip.positions;
    const moved = Math.hypot(p[at]! - p[earlier]!, p[at + 2]! - p[earlier + 2]!);
    const high = p[at + 1]! - this.header.ground > 0.1 * this.size; // a foot in the air slides nowhere
    if (moved < SKATE || high) return;
    const y = this.header.ground + LIFT;
    spot[0] = p[earlier]!;
    spot[2] = p[earlier + 2]!;
    other[0] = p[at]!;
    other[2] = p[at + 2]!;
    spot[1] = other[1] = y;
    lines.add(spot, radius, other, radius, color, 0.9);
  }

  /** Write the middle of the foot that a point belongs to into `spot`. */
  private centre(clip: Clip, point: number, t: number): void {
    pointAt(clip, point, t, spot);
    const ankle = this.ankles.get(point) ?? -1;
    if (ankle < 0) return;
    pointAt(clip, ankle, t, other);
    spot[0] = 0.65 * spot[0]! + 0.35 * other[0]!;
    spot[2] = 0.65 * spot[2]! + 0.35 * other[2]!;
  }
}
