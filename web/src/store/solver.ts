/**
 * Which keytimes a step's solver takes: the checks of the guided and the physics method, so that what is drawn as free
 * is free, and no keytime is kept that the solver would refuse. tests/data/keytimes.json holds for both sides.
 */

import type { StepEntry } from "../protocol";
import * as state from "./state";
import { givenTo } from "./times";

type Key = state.Key;

/** What is asked of a solver. */
export interface Asked {
  method: string;
  /** A parameter's value, its default where the step has none. */
  value(name: string): unknown;
  /** First and last source time of what is retimed. */
  span: [number, number];
  /** Length of the output. */
  length: number;
  keys: readonly Key[];
}

export interface Speeds {
  slowest: number;
  /** Infinite where time has only to rise. */
  fastest: number;
  /** Whether a larger maximum speed would change nothing. */
  capped?: boolean;
}

const PHYSICS: Speeds = { slowest: 0.05, fastest: 6 };
const MOST_CELLS = 64;
const FASTEST_STRETCHED = 4;
/** What is drawn as free stays this share inside what the guided search reaches: it moves keytimes to whole frames. */
const INSIDE = 0.85;

const numberOf = (value: unknown, fallback: number): number => (typeof value === "number" ? value : fallback);

function corners({ span: [a, b], length, keys }: Asked): Key[] {
  return [[a, a], ...[...keys].sort((p, q) => p[0] - q[0]), [a + length, b]];
}

const pairs = (points: readonly Key[]): [Key, Key][] => points.slice(1).map((p, k) => [points[k]!, p]);

/** How slow and how fast the guided search goes between keytimes. */
function guidedSpeeds(asked: Asked): Speeds {
  const speeds = pairs(corners(asked)).flatMap(([p, q]) => (q[0] > p[0] ? [(q[1] - p[1]) / (q[0] - p[0])] : []));
  const [most, least] = [numberOf(asked.value("max_speed"), 8), numberOf(asked.value("min_speed"), 0)];
  const stretched = speeds.some((speed) => speed < 1 - 1e-9);
  const needed = 1.5 * Math.max(...speeds, 0);
  const fastest = stretched ? Math.min(most, Math.max(FASTEST_STRETCHED, needed)) : most;
  return {
    slowest: Math.max(least, 1 / MOST_CELLS) / INSIDE,
    fastest: INSIDE * fastest,
    ...(fastest < most ? { capped: true } : {}),
  };
}

/** How slow and how fast a part may run between two keytimes. */
export function speedsOf(asked: Asked): Speeds {
  if (asked.method === "physics") return PHYSICS;
  const [least, most] = [asked.value("min_speed"), asked.value("max_speed")];
  if (asked.method !== "guided")
    return { slowest: numberOf(least, 0), fastest: numberOf(most, Infinity) };
  return guidedSpeeds(asked);
}

/** Whether the solver takes these keytimes. */
export function accepts(asked: Asked): boolean {
  if (asked.value("backwards") === true) return true; // its own checks say what is wrong
  const points = corners(asked);
  if (!pairs(points).every(([p, q]) => q[0] > p[0] && q[1] > p[1])) return false;
  if (asked.method === "guided") return guidedAccepts(asked, points);
  if (asked.method !== "physics") return true;
  return pairs(points).every(([p, q]) => {
    const speed = (q[1] - p[1]) / (q[0] - p[0]);
    return q[0] > p[0] + 1e-6 && q[1] > p[1] + 1e-6 && speed > PHYSICS.slowest && speed < PHYSICS.fastest;
  });
}

function guidedAccepts(asked: Asked, points: readonly Key[]): boolean {
  const frame = 1 / numberOf(asked.value("search_fps"), 30);
  const { slowest, fastest } = guidedSpeeds(asked);
  return pairs(points).every(([p, q]) => {
    const speed = (q[1] - p[1]) / (q[0] - p[0]);
    return q[0] - p[0] >= 2 * frame && speed >= slowest && speed <= fastest;
  });
}

/** What a step asks, with some parameters changed; null where its keytimes cannot be judged here. */
export function askedOf(
  step: StepEntry, changed: Readonly<Record<string, unknown>> = {}, form = state.methods.value.get(step.method),
): Asked | null {
  const values: Record<string, unknown> = { ...step.parameters };
  for (const [name, value] of Object.entries(changed)) {
    if (value === null) delete values[name];
    else values[name] = value;
  }
  const fields = form?.fields ?? [];
  const value = (name: string): unknown => values[name] ?? fields.find((field) => field.name === name)?.default ?? null;
  const range = value("range");
  const span = (Array.isArray(range) ? range : givenTo(step.id)) as [number, number];
  const duration = value("duration");
  const keys = value("keytimes");
  if (typeof duration === "string") return null;
  return {
    method: step.method,
    value,
    span,
    length: typeof duration === "number" ? duration : span[1] - span[0],
    keys: Array.isArray(keys) ? (keys as Key[]) : [],
  };
}

/** The farthest value on the way from one that the solver takes to a wish that it does not; the wish where it does. */
export function nearestTaken<T>(from: T, wish: T, between: (share: number) => T, taken: (value: T) => boolean): T {
  if (taken(wish) || !taken(from)) return wish;
  let [low, high] = [0, 1];
  for (let k = 0; k < 24; k++) {
    const middle = (low + high) / 2;
    if (taken(between(middle))) low = middle;
    else high = middle;
  }
  return between(low);
}

/** Whether a change of a step puts its keytimes where the solver refuses them, which it did not before. */
export function isRefused(id: string, changed: Readonly<Record<string, unknown>>): boolean {
  const step = state.committed.value?.versions[state.version.value].find((s) => s.id === id);
  if (!step || !("keytimes" in changed) || step.mute) return false;
  const [before, after] = [askedOf(step), askedOf(step, changed)];
  return after !== null && after.keys.length > 0 && !accepts(after) && (before === null || accepts(before));
}
