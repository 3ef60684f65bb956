/**
 * Which keytimes a step's solver takes: the limits of the guided, spline and physics methods, so that what is drawn as
 * free is free, and no keytime is kept that the solver would refuse. tests/data/keytimes.json holds for both sides.
 * Where only the solver knows, it is asked: see `verdicts.ts`.
 */

import type { MethodForm, StepEntry } from "../protocol";
import { seconds } from "../words/numbers";
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
}

/** Mean speeds between keytimes that the physics search goes to. */
const PHYSICS: Speeds = { slowest: 0.05, fastest: 6 };
/** Slowest mean speed of guided warps where none is asked for. */
const GUIDED_SLOWEST = 1e-3;
/** Parameters that place things in time: only such a change can be refused for where it stands. */
const PLACING = new Set(["keytimes", "rates", "keys", "edits", "duration"]);

const numberOf = (value: unknown, fallback: number): number => (typeof value === "number" ? value : fallback);
const isFilled = (value: unknown): boolean => Array.isArray(value) && value.length > 0;

function corners({ span: [a, b], length, keys }: Asked): Key[] {
  return [[a, a], ...[...keys].sort((p, q) => p[0] - q[0]), [a + length, b]];
}

const pairs = (points: readonly Key[]): [Key, Key][] => points.slice(1).map((p, k) => [points[k]!, p]);

/** How slow and how fast a part may run between two keytimes. */
export function speedsOf(asked: Asked): Speeds {
  if (asked.method === "physics") return PHYSICS;
  const [least, most] = [asked.value("min_speed"), asked.value("max_speed")];
  const slowest = asked.method === "guided" ? numberOf(least, 0) || GUIDED_SLOWEST : numberOf(least, 0);
  return { slowest, fastest: numberOf(most, Infinity) };
}

/** Whether the limits that are known here are all that the solver has against keytimes. */
function isKnown({ method, value }: Asked): boolean {
  if (value("backwards") === true) return false;
  if (method === "spline") return true;
  if (method === "guided") return value("formulation") !== "paper" && !isFilled(value("speed_limits"));
  return method === "physics" && !mayRefuse(value) && !isFilled(value("rates")) && !isFilled(value("joint_speeds"));
}

/** Whether physics reports an error for a timing that the body cannot follow. */
const mayRefuse = (value: Asked["value"]): boolean => value("infeasible") !== "flights" && value("infeasible") !== "even";

/** Shortest length that physics solves, relative to the shortest feasible one. */
const BELOW = 0.85;

/** The shortest feasible length of the body, and the shortest that is solved; null where none is known. */
export function shortestOf({ method, value }: Asked): { feasible: number; solved: number } | null {
  const feasible = state.physics.value?.header.least ?? null;
  if (method !== "physics" || feasible === null || !mayRefuse(value)) return null;
  return { feasible, solved: (value("infeasible") === "refuse" ? 1.001 : BELOW + 0.001) * feasible };
}

/** Whether the solver takes these keytimes, as far as its limits are known here. */
export function accepts(asked: Asked): boolean {
  if (asked.value("backwards") === true) return true; // its own checks say what is wrong
  return firstBreach(asked) === null;
}

interface Breach {
  from: Key;
  to: Key;
  limit: "order" | "fastest" | "slowest";
}

/** The first two neighbours between which no allowed speed leads. */
function firstBreach(asked: Asked): Breach | null {
  const { slowest, fastest } = speedsOf(asked);
  const [least, slack] = asked.method === "physics" ? [1e-6, 0] : [0, 1e-9];
  for (const [from, to] of pairs(corners(asked))) {
    const [wide, far] = [to[0] - from[0], to[1] - from[1]];
    if (!(wide > least && far > least)) return { from, to, limit: "order" };
    if (far / wide > fastest * (1 + slack)) return { from, to, limit: "fastest" };
    if (far / wide < slowest * (1 - slack)) return { from, to, limit: "slowest" };
  }
  return null;
}

/** Which limit keytimes break, in a sentence; null where they break none. */
export function whyRefused(asked: Asked, form?: MethodForm): string | null {
  const breach = firstBreach(asked);
  if (!breach) return null;
  const { from, to, limit } = breach;
  const where = `Between ${seconds(from[0])} and ${seconds(to[0])} of the output`;
  if (limit === "order") return `${where} the source would not go forward. Keep keytimes in order, inside the clip.`;
  const speed = (to[1] - from[1]) / (to[0] - from[0]);
  const bound = speedsOf(asked)[limit];
  const name = limit === "fastest" ? "max_speed" : "min_speed";
  const field = form?.fields.find((f) => f.name === name);
  const way = limit === "fastest" ? "above" : "below";
  const verb = limit === "fastest" ? "Raise" : "Lower";
  const lift = field && (limit === "fastest" || asked.value(name)) ? `${verb} ${field.label}, or move` : "Move";
  return `${where} the speed would be ${times(speed)}, ${way} the limit of ${times(bound)}. ${lift} the keytime.`;
}

const times = (speed: number): string => `${Number(speed.toPrecision(3))}×`;

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

const committedStep = (id: string): StepEntry | undefined =>
  state.committed.value?.versions[state.version.value].find((s) => s.id === id);

/** Why a change of a step puts its keytimes where the solver refuses them, which it did not before; else null. */
export function refusalOf(id: string, changed: Readonly<Record<string, unknown>>): string | null {
  const step = committedStep(id);
  if (!step || !("keytimes" in changed) || step.mute) return null;
  const [before, after] = [askedOf(step), askedOf(step, changed)];
  if (!after?.keys.length || accepts(after) || (before !== null && !accepts(before))) return null;
  return whyRefused(after, state.methods.value.get(step.method));
}

export const isRefused = (id: string, changed: Readonly<Record<string, unknown>>): boolean =>
  refusalOf(id, changed) !== null;

/** Whether it is known here that the solver takes a change, or that it may be kept whatever the solver says. */
export function isCertain(id: string, changed: Readonly<Record<string, unknown>>): boolean {
  const step = committedStep(id);
  if (!step || step.mute || !Object.keys(changed).some((name) => PLACING.has(name))) return true;
  // What is refused already may be put right little by little.
  if (state.problems.value.some((problem) => problem.step === id)) return true;
  const asked = askedOf(step, changed);
  return asked !== null && isKnown(asked) && accepts(asked);
}
