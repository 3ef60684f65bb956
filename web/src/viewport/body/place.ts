/** Places on a body: weighted means of its points, so that they follow every pose without further thought. */

/** Pairs of a point and its weight; the weights add up to one, and may lie outside 0 to 1. */
export type Place = readonly (readonly [point: number, weight: number])[];

export const on = (point: number): Place => [[point, 1]];

/** The place that is a share of the way from one to another; shares beyond 1 go past it. */
export function between(a: Place, b: Place, share: number): Place {
  const weights = new Map<number, number>();
  for (const [p, w] of a) weights.set(p, (weights.get(p) ?? 0) + w * (1 - share));
  for (const [p, w] of b) weights.set(p, (weights.get(p) ?? 0) + w * share);
  return [...weights].filter(([, w]) => w !== 0);
}

/** Write where a place is in a pose, (points, 3), into `out` at `at`. */
export function locate(place: Place, pose: ArrayLike<number>, out: Float32Array | number[], at = 0): void {
  let x = 0;
  let y = 0;
  let z = 0;
  for (let k = 0; k < place.length; k++) {
    const point = 3 * place[k]![0];
    const weight = place[k]![1];
    x += weight * pose[point]!;
    y += weight * pose[point + 1]!;
    z += weight * pose[point + 2]!;
  }
  out[at] = x;
  out[at + 1] = y;
  out[at + 2] = z;
}

const first = [0, 0, 0];
const second = [0, 0, 0];

export function distance(a: Place, b: Place, pose: ArrayLike<number>): number {
  locate(a, pose, first);
  locate(b, pose, second);
  return Math.hypot(first[0]! - second[0]!, first[1]! - second[1]!, first[2]! - second[2]!);
}
