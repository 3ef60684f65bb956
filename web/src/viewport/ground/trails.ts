/** The way of the hands round the playhead: a line with dots at equal times, so that spacing shows speed. */

import type { Color } from "three";
import type { Clip } from "../../store/clip";
import type { Lines } from "./lines";
import { pointAt } from "./pointpath";

const REACH = 0.5; // seconds to either side
const DOT = 1 / 12; // seconds between dots
const PIECES = 4; // pieces of line between two dots

const here = new Float32Array(3);
const before = new Float32Array(3);

/** Add a point's trail; `radius` is half the line's thickness in metres, the whole is shifted by x and z. */
export function addTrail(
  lines: Lines, clip: Clip, point: number, t: number, color: Color, opacity: number, radius: number, x = 0, z = 0,
): void {
  const step = DOT / PIECES;
  const from = Math.max(t - REACH, clip.start);
  const to = Math.min(t + REACH, clip.end);
  if (to <= from) return;
  // Dots stand at whole multiples of their spacing: they stay where they are while the playhead passes.
  const first = Math.floor(from / step) + 1;
  pointAt(clip, point, from, before);
  before[0]! += x;
  before[2]! += z;
  for (let k = first; ; k++) {
    const time = Math.min(k * step, to);
    pointAt(clip, point, time, here);
    here[0]! += x;
    here[2]! += z;
    const fade = opacity * (1 - 0.75 * Math.min(Math.abs(time - t) / REACH, 1));
    lines.add(before, radius, here, radius, color, fade);
    if (k % PIECES === 0 && time < to) lines.add(here, 2.6 * radius, here, 2.6 * radius, color, fade);
    before.set(here);
    if (time >= to) return;
  }
}
