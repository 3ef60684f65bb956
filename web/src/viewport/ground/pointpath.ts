/** Single points of a clip over time, without working out whole poses. */

import { bisect, type Clip } from "../../store/clip";
import type { MotionHeader } from "../../protocol";

export function pointAt(clip: Clip, point: number, t: number, out: Float32Array): void {
  const k = bisect(clip.times, t);
  const next = Math.min(k + 1, clip.frames - 1);
  const width = clip.times[next]! - clip.times[k]!;
  const share = width > 0 ? Math.min(Math.max((t - clip.times[k]!) / width, 0), 1) : 0;
  const a = 3 * (k * clip.points + point);
  const b = 3 * (next * clip.points + point);
  for (let i = 0; i < 3; i++) {
    const from = clip.positions[a + i]!;
    out[i] = from + share * (clip.positions[b + i]! - from);
  }
}

/** The points whose way is worth seeing: the hands, else the two ends that travel farthest. */
export function trailPoints(header: Pick<MotionHeader, "roles" | "parents" | "ends">, clip: Clip): number[] {
  const hands = ["left_hand", "right_hand"].map((role) => header.roles.indexOf(role)).filter((j) => j >= 0);
  if (hands.length) return hands;
  const parents = [...header.parents, ...header.ends].slice(0, clip.points);
  const inner = new Set(parents);
  return parents
    .map((_, point) => ({ point, way: inner.has(point) ? -1 : travelled(clip, point) }))
    .filter(({ way }) => way > 0)
    .sort((a, b) => b.way - a.way)
    .slice(0, 2)
    .map(({ point }) => point);
}

function travelled(clip: Clip, point: number): number {
  const step = Math.max(1, Math.floor(clip.frames / 64));
  let sum = 0;
  for (let k = step; k < clip.frames; k += step) {
    const a = 3 * ((k - step) * clip.points + point);
    const b = 3 * (k * clip.points + point);
    const p = clip.positions;
    sum += Math.hypot(p[b]! - p[a]!, p[b + 1]! - p[a + 1]!, p[b + 2]! - p[a + 2]!);
  }
  return sum;
}
