/** How far the original stands aside when both motions are shown side by side. */

import type { Clip } from "../../store/clip";
import type { Vec } from "../camera/framing";

const SAMPLES = 24;
/** Two bodies are this many body widths apart. */
const WIDTHS = 1.3;
/** Widths and detours beyond this many sizes are not made room for: the bodies would be too small to see. */
const WIDEST = 1;

/** Metres along `right` by which the original must go so that neither body crosses the other. */
export function asideBy(source: Clip, result: Clip, size: number, right: Vec): number {
  let width = 0;
  let crossing = 0;
  for (let n = 0; n < SAMPLES; n++) {
    const t = result.start + (result.duration * n) / (SAMPLES - 1);
    const a = spanAlong(source, t, right);
    const b = spanAlong(result, t, right);
    width = Math.max(width, a[1] - a[0], b[1] - b[0]);
    crossing = Math.max(crossing, (a[0] + a[1] - b[0] - b[1]) / 2);
  }
  return -(WIDTHS * Math.min(width + 0.1 * size, WIDEST * size) + Math.min(crossing, WIDEST * size));
}

/** Least and largest place of a pose's points along a level direction. */
function spanAlong(clip: Clip, t: number, right: Vec): [number, number] {
  const first = 3 * clip.frameAt(t) * clip.points;
  let low = Infinity;
  let high = -Infinity;
  for (let k = first; k < first + 3 * clip.points; k += 3) {
    const along = clip.positions[k]! * right[0] + clip.positions[k + 2]! * right[2];
    low = Math.min(low, along);
    high = Math.max(high, along);
  }
  return [low, high];
}
