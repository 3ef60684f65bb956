/** Lines, planes and turns behind the handles of a pose. Plain numbers: nothing here knows of WebGL. */

export type Point = readonly [number, number, number];
/** A rotation, w first. */
export type Quat = readonly [number, number, number, number];

/** What the pointer points along; the direction has length 1. */
export interface Ray {
  origin: Point;
  direction: Point;
}

/** Below this sine or cosine a line lies along the ray, or a plane is seen edge on: no crossing can be told. */
const SLANT = 0.02;
const RAD = Math.PI / 180;

export const dot = (a: Point, b: Point): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const minus = (a: Point, b: Point): Point => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
/** A point and so many times a direction. */
export const plus = (a: Point, b: Point, times = 1): Point =>
  [a[0] + times * b[0], a[1] + times * b[1], a[2] + times * b[2]];
export const cross = (a: Point, b: Point): Point =>
  [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const length = (a: Point): number => Math.hypot(a[0], a[1], a[2]);
export const distance = (a: Point, b: Point): number => length(minus(a, b));
export const unit = (a: Point): Point => {
  const size = length(a) || 1;
  return [a[0] / size, a[1] / size, a[2] / size];
};

/** How far along a line its point nearest to a ray is; null where the ray runs along it. */
export function alongLine(ray: Ray, origin: Point, axis: Point): number | null {
  const between = minus(origin, ray.origin);
  const slant = dot(axis, ray.direction);
  const apart = 1 - slant * slant;
  if (apart < SLANT * SLANT) return null;
  return (slant * dot(between, ray.direction) - dot(between, axis)) / apart;
}

/** Where a ray meets a plane; null where it runs along it, or away from it. */
export function onPlane(ray: Ray, place: Point, normal: Point): Point | null {
  const slant = dot(ray.direction, normal);
  if (Math.abs(slant) < SLANT) return null;
  const far = dot(minus(place, ray.origin), normal) / slant;
  return far > 0 ? plus(ray.origin, ray.direction, far) : null;
}

/** The signed angle about an axis from one place to another, as seen from a centre; radians. */
export function angleAbout(centre: Point, axis: Point, from: Point, to: Point): number {
  const flat = (p: Point): Point => {
    const arm = minus(p, centre);
    return plus(arm, axis, -dot(arm, axis));
  };
  const [a, b] = [flat(from), flat(to)];
  return Math.atan2(dot(axis, cross(a, b)), dot(a, b));
}

/** The shorter way round: an angle between -pi and pi. */
export const wrapped = (angle: number): number => angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));

/** Two directions at right angles to an axis and to each other. */
export function acrossOf(axis: Point): [Point, Point] {
  const other: Point = Math.abs(axis[1]) < 0.9 ? [0, 1, 0] : [1, 0, 0];
  const first = unit(cross(other, axis));
  return [first, cross(axis, first)];
}

/** A ring of places about a centre, closed: the last is the first. */
export function ringPlaces(centre: Point, axis: Point, radius: number, count: number): Point[] {
  const [a, b] = acrossOf(axis);
  return Array.from({ length: count + 1 }, (_, k) => {
    const turn = (2 * Math.PI * k) / count;
    return plus(plus(centre, a, radius * Math.cos(turn)), b, radius * Math.sin(turn));
  });
}

// ---- turns

/** A vector seen from axes that were turned: what the world calls `v`, they call this. */
export function seenFrom([w, x, y, z]: Quat, v: Point): Point {
  // The inverse of the turn, v + 2 q x (q x v + w v) with q negated.
  const q: Point = [-x, -y, -z];
  const inner = plus(cross(q, v), v, w);
  return plus(v, cross(q, inner), 2);
}

/** A turn about a world axis, by radians, as a rotation vector in the parent's axes, in degrees. */
export const turnInParent = (axis: Point, angle: number, parent: Quat): Point => {
  const by = seenFrom(parent, axis);
  return [(by[0] * angle) / RAD, (by[1] * angle) / RAD, (by[2] * angle) / RAD];
};

/** One turn after another; rotation vectors in degrees. */
export function turnedOn(first: Point, then: Point): Point {
  const [aw, ax, ay, az] = quatOf(then);
  const [bw, bx, by, bz] = quatOf(first);
  return vectorOf([
    aw * bw - ax * bx - ay * by - az * bz,
    aw * bx + ax * bw + ay * bz - az * by,
    aw * by - ax * bz + ay * bw + az * bx,
    aw * bz + ax * by - ay * bx + az * bw,
  ]);
}

export function quatOf(degrees: Point): Quat {
  const angle = length(degrees) * RAD;
  const share = angle > 1e-9 ? (Math.sin(angle / 2) / angle) * RAD : RAD / 2;
  return [Math.cos(angle / 2), share * degrees[0], share * degrees[1], share * degrees[2]];
}

export function vectorOf(q: Quat): Point {
  const side = q[0] < 0 ? -1 : 1; // the shorter of both ways
  const sine = Math.hypot(q[1], q[2], q[3]);
  const angle = 2 * Math.atan2(sine, side * q[0]);
  const share = (side * (sine > 1e-9 ? angle / sine : 2)) / RAD;
  return [share * q[1], share * q[2], share * q[3]];
}

/** Pixels from a place to the nearest of a line between two others. */
export function pixelsToSegment(
  p: { x: number; y: number }, a: { x: number; y: number }, b: { x: number; y: number },
): number {
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const size = dx * dx + dy * dy;
  const share = size > 0 ? Math.min(Math.max(((p.x - a.x) * dx + (p.y - a.y) * dy) / size, 0), 1) : 0;
  return Math.hypot(p.x - a.x - share * dx, p.y - a.y - share * dy);
}
