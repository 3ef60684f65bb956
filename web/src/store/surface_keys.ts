/** What a surface key holds, what changes make of it, and where it may stand beside others: nothing but values. */

import type { StepEntry, SurfaceKeyView } from "../protocol";

export type Vector = [number, number, number];

export interface ControlPoint {
  shift: number;
  joint?: string;
  point?: [number, number];
}

/** A key as the document holds it; what is left out has its default. */
export interface SurfaceKey {
  time: number;
  shift?: number;
  joint?: string;
  point?: [number, number];
  shape?: string | number[][];
  sigma?: number | [number, number];
  range_sigma?: number;
  gamma?: number;
  degree?: number;
  control_points?: ControlPoint[];
  direction?: Vector;
}

/** Changes of a key: null brings the default back. */
export type SurfaceChanges = { [K in keyof SurfaceKey]?: SurfaceKey[K] | null };

export const DEFAULTS = { sigma: 0.25, range_sigma: 0.25, gamma: 0.3, degree: 3 } as const;
/** A fade shorter than this is a jerk: a key that has no more room is refused. */
export const LEAST_FADE = 0.05;

// ---- keys

export function surfaceKeysOf(step: StepEntry | null): SurfaceKey[] {
  const listed = step?.method === "surface" ? step.parameters?.["keys"] : null;
  return Array.isArray(listed) ? (listed as SurfaceKey[]) : [];
}

export const shiftOf = (key: SurfaceKey): number => key.shift ?? 0;
export const gammaOf = (key: SurfaceKey): number => key.gamma ?? DEFAULTS.gamma;

export function sigmaOf({ sigma }: SurfaceKey): [number, number] {
  if (Array.isArray(sigma)) return [sigma[0], sigma[1]];
  return [sigma ?? DEFAULTS.sigma, sigma ?? DEFAULTS.sigma];
}

/** All drags of a key, its own first. */
export function dragsOf(key: SurfaceKey): ControlPoint[] {
  const { joint, point, control_points: others = [] } = key;
  return joint === undefined && point === undefined ? others : [{ shift: shiftOf(key), joint, point }, ...others];
}

/** The drag that goes farthest, with its sign: what joints' weights are shares of. */
export const farthestOf = (key: SurfaceKey): number =>
  dragsOf(key).reduce((most, { shift }) => (Math.abs(shift) > Math.abs(most) ? shift : most), 0);

export function withChanges(key: SurfaceKey, changes: SurfaceChanges): SurfaceKey {
  const made: Record<string, unknown> = { ...key, ...changes };
  for (const name of Object.keys(made)) if (made[name] === null || made[name] === undefined) delete made[name];
  return made as unknown as SurfaceKey;
}

/** Another shift: drags that went along with the key's own so far (both hands) go on doing so. */
export function withShift(key: SurfaceKey, shift: number): SurfaceChanges {
  const before = shiftOf(key);
  const others = key.control_points?.map((c) => (Math.abs(c.shift - before) < 1e-9 ? { ...c, shift } : c));
  return others ? { shift, control_points: others } : { shift };
}

/** Drag another joint; a Gaussian's further drags that went along belonged to the joint before. */
export function withJoint(key: SurfaceKey, joint: string): SurfaceChanges {
  const polynomial = key.shape === "polynomial";
  const before = shiftOf(key);
  const others = (key.control_points ?? []).filter(
    (c) => c.joint !== joint && (polynomial || Math.abs(c.shift - before) > 1e-9),
  );
  const enough = !polynomial || others.length > 0;
  const degree = polynomial && enough ? Math.min(key.degree ?? DEFAULTS.degree, others.length) : key.degree;
  return {
    joint, point: null, control_points: others.length ? others : null,
    degree: degree ?? null, shape: enough ? (key.shape ?? null) : null,
  };
}

// ---- room in time

export type Span = [number, number];

/** A key's range before it is widened: as the method has it. */
export function rangeOf(key: SurfaceKey): Span {
  const shifts = dragsOf(key).map((d) => d.shift);
  return [key.time + Math.min(0, ...shifts) - gammaOf(key), key.time + Math.max(0, ...shifts) + gammaOf(key)];
}

/** From when to when a key's time may be, with its range between the free room's ends; at the clip's ends it is cut. */
export function timeRoom(key: SurfaceKey, room: Span, clip: Span): Span {
  const [from, to] = rangeOf(key);
  const low = room[0] <= clip[0] + 1e-6 ? clip[0] : room[0] + (key.time - from);
  const high = room[1] >= clip[1] - 1e-6 ? clip[1] : room[1] - (to - key.time);
  // A key that stands there already may stay: ranges that were widened into each other are no reason to jump.
  return [Math.min(low, key.time), Math.max(high, key.time)];
}

/** From least to most: shifts with which a key's range stays in the free room, and its arrival in the clip. */
export function shiftRoom(key: SurfaceKey, room: Span, clip: Span): Span {
  const gamma = gammaOf(key);
  const low = room[0] <= clip[0] + 1e-6 ? clip[0] - key.time : room[0] + gamma - key.time;
  const high = room[1] >= clip[1] - 1e-6 ? clip[1] - key.time : room[1] - gamma - key.time;
  return [Math.min(low, shiftOf(key), 0), Math.max(high, shiftOf(key), 0)];
}

/** What lies between the ranges of the keys before and after a moment, or the range that holds it. */
export function roomAt(t: number, spans: readonly Span[], clip: Span): { room: Span } | { taken: number } {
  const taken = spans.findIndex(([from, to]) => t > from - 1e-6 && t < to + 1e-6);
  if (taken >= 0) return { taken };
  return {
    room: [
      Math.max(clip[0], ...spans.filter(([, to]) => to <= t).map(([, to]) => to)),
      Math.min(clip[1], ...spans.filter(([from]) => from >= t).map(([from]) => from)),
    ],
  };
}

/** The fade that fits beside other keys, at most the usual one; null where there is too little room. */
export function fadeThatFits(t: number, room: Span, clip: Span): number | null {
  const before = room[0] <= clip[0] + 1e-6 ? Infinity : t - room[0];
  const after = room[1] >= clip[1] - 1e-6 ? Infinity : room[1] - t;
  const fade = Math.min(DEFAULTS.gamma, Math.floor(100 * Math.min(before, after) + 1e-6) / 100);
  return fade >= LEAST_FADE ? fade : null;
}

/** From when to when a key is felt, in the step's time: as the server made it, moved along with a drag. */
export function spanOf(key: SurfaceKey, view: SurfaceKeyView | null): Span {
  if (!view) return rangeOf(key);
  const moved = key.time - view.time;
  return [view.start + moved, view.end + moved];
}
