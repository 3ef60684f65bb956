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
const MOST_UPSAMPLING = 16;
const USUAL_UPSAMPLING = 4;
const MOST_STEPS_UPSAMPLED = 16;

const numberOf = (value: unknown, fallback: number): number => (typeof value === "number" ? value : fallback);

/** Python's rounding: halves go to the even number. */
function rounded(x: number): number {
  const low = Math.floor(x);
  if (x - low !== 0.5) return Math.round(x);
  return low % 2 === 0 ? low : low + 1;
}

function corners({ span: [a, b], length, keys }: Asked): Key[] {
  return [[a, a], ...[...keys].sort((p, q) => p[0] - q[0]), [a + length, b]];
}

const pairs = (points: readonly Key[]): [Key, Key][] => points.slice(1).map((p, k) => [points[k]!, p]);

/** Input frames per output frame that the guided search takes. */
function upsampling(asked: Asked): number {
  const given = asked.value("upsample");
  if (typeof given === "number") return given;
  const ratios = pairs(corners(asked)).flatMap(([p, q]) => (q[1] > p[1] ? [(q[0] - p[0]) / (q[1] - p[1])] : []));
  const worst = Math.max(...ratios, ratios.length ? -Infinity : 1);
  const foreign = Boolean(asked.value("reference")) || Boolean(asked.value("reference_warp"));
  const least = asked.value("min_speed");
  if (worst <= 1 + 1e-9 && !foreign && (typeof least !== "number" || least >= 1)) return 1;
  return Math.min(Math.max(USUAL_UPSAMPLING, Math.ceil(2 * worst)), MOST_UPSAMPLING);
}

/** Largest step of the guided search in input frames, and whether upsampling made it smaller. */
function largestStep(asked: Asked, upsample: number, frames: number): [number, boolean] {
  const steps = Math.max(Math.ceil(numberOf(asked.value("max_speed"), 8) * upsample - 1e-9), 1);
  if (upsample > 1 && steps > MOST_STEPS_UPSAMPLED) return [Math.max(MOST_STEPS_UPSAMPLED, 2 * upsample), true];
  return [Math.min(steps, Math.max(frames - 1, 1)), false];
}

const framesOf = ({ span: [a, b] }: Asked, rate: number): number => Math.max(rounded((b - a) * rate), 1) + 1;

/** How slow and how fast a part may run between two keytimes. */
export function speedsOf(asked: Asked): Speeds {
  if (asked.method === "physics") return PHYSICS;
  const [least, most] = [asked.value("min_speed"), asked.value("max_speed")];
  if (asked.method !== "guided")
    return { slowest: numberOf(least, 0), fastest: numberOf(most, Infinity) };
  const upsample = upsampling(asked);
  const rate = numberOf(asked.value("search_fps"), 30);
  const [step, capped] = largestStep(asked, upsample, framesOf(asked, rate * upsample));
  const given = asked.value("upsample");
  const slowest = 1 / (typeof given === "number" ? given : MOST_UPSAMPLING);
  return {
    slowest: Math.max(numberOf(least, 0), slowest),
    fastest: step / upsample,
    ...(capped ? { capped } : {}),
  };
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
  const rate = numberOf(asked.value("search_fps"), 30);
  const upsample = upsampling(asked);
  const start = asked.span[0];
  const [outputs, inputs] = [Math.max(rounded(asked.length * rate), 1), framesOf(asked, rate * upsample) - 1];
  const [step] = largestStep(asked, upsample, inputs + 1);
  const inner = points.slice(1, -1).map(([o, s]): Key => [
    rounded((o - start) * rate), rounded((s - start) * rate * upsample),
  ]);
  const isEnd = ([t, q]: Key): boolean => (t === 0 && q === 0) || (t === outputs && q === inputs);
  const frames: Key[] = [[0, 0], ...inner.filter((key) => !isEnd(key)), [outputs, inputs]];
  const least = Math.ceil(numberOf(asked.value("min_speed"), 0) * upsample - 1e-9);
  return pairs(frames).every(([p, q]) => {
    const [wide, far] = [q[0] - p[0], q[1] - p[1]];
    return wide > 0 && far > 0 && far <= step * wide && far >= Math.max(least, 1) * wide;
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
