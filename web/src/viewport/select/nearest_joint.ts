/** Which joint a click on the body means: the one that turns the bone under the pointer. */

interface Spot {
  x: number;
  y: number;
}

/** A joint counts within this many pixels, a bone within the second. */
const NEAR = { joint: 9, bone: 14 };

export function nearestJoint(
  at: Spot, spots: readonly (Spot | null)[], parents: readonly number[],
): number | null {
  const joint = least(spots.map((spot) => (spot ? Math.hypot(spot.x - at.x, spot.y - at.y) : Infinity)));
  if (joint && joint.far < NEAR.joint) return joint.index;
  const bone = least(parents.map((parent, child) => {
    const [a, b] = [spots[parent], spots[child]];
    return a && b ? toSegment(at, a, b) : Infinity;
  }));
  return bone && bone.far < NEAR.bone ? parents[bone.index]! : null;
}

function least(far: readonly number[]): { index: number; far: number } | null {
  const best = far.reduce((k, d, n) => (d < far[k]! ? n : k), 0);
  return far.length ? { index: best, far: far[best]! } : null;
}

function toSegment(p: Spot, a: Spot, b: Spot): number {
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const length = dx * dx + dy * dy;
  const share = length ? Math.min(Math.max(((p.x - a.x) * dx + (p.y - a.y) * dy) / length, 0), 1) : 0;
  return Math.hypot(p.x - a.x - share * dx, p.y - a.y - share * dy);
}
