/** How far standing feet slide along the ground. */

import type { ContactBar } from "../../protocol";

export interface Standing {
  positions: Float32Array;
  times: Float32Array;
  points: number;
  contacts: ContactBar[];
}

/** How far any point goes along the ground while it stands, at most: metres. */
export function slipOf({ positions, times, points, contacts }: Standing): number {
  let most = 0;
  for (const { point, start, end } of contacts) {
    let from: [number, number] | null = null;
    times.forEach((t, frame) => {
      if (t < start || t > end) return;
      const at = 3 * (frame * points + point);
      const [x, z] = [positions[at]!, positions[at + 2]!];
      from ??= [x, z];
      most = Math.max(most, Math.hypot(x - from[0], z - from[1]));
    });
  }
  return most;
}

const known = new WeakMap<Standing, number>();

/** The same, computed once for each clip. */
export function slip(clip: Standing): number {
  const before = known.get(clip) ?? slipOf(clip);
  known.set(clip, before);
  return before;
}
