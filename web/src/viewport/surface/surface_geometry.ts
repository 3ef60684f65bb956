/** Geometry of a dragged surface: where its joints ride, and how far along time a pointer is. */

import type { SurfaceKeyView } from "../../protocol";
import { farthestOf, shiftOf, type SurfaceKey } from "../../store/surface";

export type Point = readonly [number, number, number];

/** A view that looks along time would turn a pixel into hours: below this squared sine, pulls are damped. */
const FLATTEST = 0.03;

/**
 * How far along a line, metres from its point, it comes nearest to a ray; `along` and `direction` have length 1.
 */
export function alongLine(origin: Point, direction: Point, point: Point, along: Point): number {
  const away: Point = [origin[0] - point[0], origin[1] - point[1], origin[2] - point[2]];
  const lean = dot(along, direction);
  return (dot(away, along) - lean * dot(away, direction)) / Math.max(1 - lean * lean, FLATTEST);
}

const dot = (a: Point, b: Point): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/** Seconds by which a joint's moment is moved: its share of the key's farthest drag. */
export const shiftAt = (key: SurfaceKey, view: Pick<SurfaceKeyView, "weights">, joint: number): number =>
  (view.weights[joint] ?? 0) * farthestOf(key);

/** Where a joint is on the dragged sheet: it rides along time with its share of the drag. */
export function ridden(
  places: Float32Array, joint: number, shift: number, { along, pace }: Pick<SurfaceKeyView, "along" | "pace">,
): [number, number, number] {
  const at = 3 * joint;
  const by = shift * pace;
  return [places[at]! + by * along[0]!, places[at + 1]! + by * along[1]!, places[at + 2]! + by * along[2]!];
}

/** Where the sheet is dragged: at the key's joint, or at its point of the plane. */
export function handleOf(
  key: SurfaceKey, view: SurfaceKeyView, places: Float32Array, joint: number,
): [number, number, number] {
  if (key.point === undefined || joint >= 0) return ridden(places, Math.max(joint, 0), shiftOf(key), view);
  const [x, y] = key.point;
  const by = shiftOf(key) * view.pace;
  const at = (c: number): number =>
    view.base[c]! + x * view.across[c]! + y * view.up[c]! + by * view.along[c]!;
  return [at(0), at(1), at(2)];
}

/** The nearest of some places on screen within a reach, or -1. */
export function nearest(places: readonly { x: number; y: number }[], x: number, y: number, reach: number): number {
  let best = -1;
  let least = reach;
  places.forEach((place, k) => {
    const far = Math.hypot(place.x - x, place.y - y);
    if (far <= least) [best, least] = [k, far];
  });
  return best;
}

/** The whole frame nearest to a time. */
export const onFrame = (t: number, start: number, fps: number): number => start + Math.round((t - start) * fps) / fps;
