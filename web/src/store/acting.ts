/** Acting a timing out: the way of the pointer through the source, over time, becomes keytimes. */

import { signal } from "@preact/signals";
import * as actions from "./actions";
import { askedOf, speedsOf } from "./solver";
import * as state from "./state";
import { givenTo } from "./times";
import { count, seconds } from "../words/numbers";

/** When the pointer was where: seconds since the press, and a time of what the step is given. */
export type Sample = [time: number, source: number];

export interface Acting {
  samples: Sample[];
  /** First and last time of what can be acted. */
  span: [number, number];
}

export const acting = signal<Acting | null>(null);

/** Farther from the recorded curve than this, seconds of the source, there is a keytime. */
const TOLERANCE = 0.03;
const MOST_KEYS = 16;
/** Hands tremble: samples are averaged over so many seconds to either side. */
const STEADY = 0.06;
/** A hand that rests lets time run on at this speed: no timing stands still. */
const LEAST_SPEED = 0.02;
/** Begun or ended this near to an end of the clip, the end itself is meant. */
const AT_END = 0.03;

export interface Acted {
  keytimes: state.Key[];
  duration: number;
}

/**
 * Keytimes of what was acted, in the step's times. What lies before and after keeps its speed; a pointer that goes back
 * waits; a speed beyond the limit takes longer.
 */
export function keytimesFromActing(
  samples: readonly Sample[], [from, to]: [number, number], fastest: number, fps: number, pace = 1,
): Acted | null {
  const curve = steadied(samples, pace);
  if (curve.length < 2) return null;
  const near = AT_END * (to - from);
  const first = curve[0]![1] - from < near ? from : curve[0]![1];
  const last = to - curve.at(-1)![1] < near ? to : curve.at(-1)![1];
  if (!(last > first)) return null;
  const lead = first - from;
  const points = corners(curve.map(([t, s]): state.Key => [t, Math.min(Math.max(s, first), last)]));
  points[0]![1] = first;
  points.at(-1)![1] = last;
  const keys: state.Key[] = [[from + lead, first]];
  for (let k = 1; k < points.length; k++) {
    const [before, now] = [points[k - 1]!, points[k]!];
    const way = Math.max(now[1] - before[1], 1e-3);
    const wide = Math.max(now[0] - before[0], way / (0.98 * fastest) + 1 / fps);
    keys.push([keys[k - 1]![0] + wide, now[1]]);
  }
  const end = keys.at(-1)![0];
  const inside = keys.filter(([, s]) => s > from + 1e-3 && s < to - 1e-3);
  // The hand is less exact than a frame; up, so that no speed passes the limit by it.
  const frames = (t: number): number => Math.ceil(t * fps - 1e-6) / fps;
  return {
    keytimes: inside.map(([t, s]): state.Key => [actions.round(from + frames(t - from)), actions.round(s)]),
    // What is left out begins at the frame of the last keytime: the clip ends after it.
    duration: actions.round(frames(frames(end - from) + (to - last))),
  };
}

/** Samples at a steady pace, averaged and rising, from where the hand set off to where it arrived. */
function steadied(samples: readonly Sample[], pace: number): Sample[] {
  if (samples.length < 2) return [];
  let high = -Infinity;
  const rising = samples.map(([t, s]): Sample => [t * pace, (high = Math.max(high, s))]);
  const begin = Math.max(rising.findIndex(([, s]) => s > rising[0]![1] + 1e-6) - 1, 0);
  const arrived = rising.findIndex(([, s]) => s >= high - 1e-6);
  const moved = rising.slice(begin, arrived + 1);
  if (moved.length < 2) return [];
  const origin = moved[0]![0];
  const around = (t: number): number => {
    const near = moved.filter(([u]) => Math.abs(u - t) <= STEADY * pace);
    return near.reduce((sum, [, s]) => sum + s, 0) / near.length;
  };
  return moved.map(([t, s], k): Sample => [
    t - origin, k === 0 || k === moved.length - 1 ? s : around(t) + LEAST_SPEED * 1e-3 * k,
  ]);
}

/** The fewest points that stay near to a curve: the one farthest from the chord, again and again. */
function corners(curve: readonly state.Key[]): state.Key[] {
  const kept = new Set([0, curve.length - 1]);
  while (kept.size < MOST_KEYS + 2) {
    const order = [...kept].sort((a, b) => a - b);
    let [worst, far] = [-1, TOLERANCE];
    order.slice(1).forEach((b, n) => {
      const [p, q] = [curve[order[n]!]!, curve[b]!];
      for (let k = order[n]! + 1; k < b; k++) {
        const [t, s] = curve[k]!;
        const chord = p[1] + ((q[1] - p[1]) * (t - p[0])) / Math.max(q[0] - p[0], 1e-9);
        if (Math.abs(s - chord) > far) [worst, far] = [k, Math.abs(s - chord)];
      }
    });
    if (worst < 0) break;
    kept.add(worst);
  }
  const points = [...kept].sort((a, b) => a - b).map((k): state.Key => [...curve[k]!]);
  // Every point shows more than the one before: what rests moves on a little.
  for (let k = 1; k < points.length; k++) {
    const least = points[k - 1]![1] + LEAST_SPEED * (points[k]![0] - points[k - 1]![0]);
    if (k < points.length - 1) points[k]![1] = Math.max(points[k]![1], least);
  }
  const end = points.at(-1)!;
  return points.filter((p, k) => k === 0 || k === points.length - 1 || p[1] < end[1] - 1e-3);
}

// ---- what a person does

/** Show the bar to act on, or put it away. */
export function toggleActing(): void {
  if (stopActing() || !state.source.value) return;
  const step = actions.keyedStep();
  if (step) state.selectedStep.value = step;
  state.playing.value = false;
  const range = step ? state.stepNamed(step)?.parameters?.["range"] : null;
  acting.value = { samples: [], span: (Array.isArray(range) ? range : givenTo(step)) as [number, number] };
  state.announcement.value = "Drag the bar from left to right in the rhythm that you want. Press Esc to cancel.";
}

export function stopActing(): boolean {
  if (!acting.value) return false;
  acting.value = null;
  return true;
}

/** The hand is at a time of the source: it is recorded, and shown. */
export function act(time: number, source: number): void {
  const now = acting.value;
  if (!now) return;
  acting.value = { ...now, samples: [...now.samples, [time, source]] };
  const { toSource } = state.stepTimes.value;
  const shown = toSource(source);
  actions.seek(state.result.value?.outputOf(shown) ?? shown);
}

/** Forget what was recorded: the hand begins again. */
export function beginActing(): void {
  if (acting.value) acting.value = { ...acting.value, samples: [] };
}

/** Keep what was acted as keytimes: one undo step. Where no step takes keytimes, guided fills in between. */
export function finishActing(): void {
  const now = acting.value;
  if (!now) return;
  const id = actions.keyedStep();
  const step = id ? state.stepNamed(id) : null;
  const asked = step && askedOf(step, { duration: null, keytimes: null });
  const fastest = asked ? speedsOf(asked).fastest : 8;
  const made = keytimesFromActing(
    now.samples, now.span, Number.isFinite(fastest) ? fastest : 64, state.fps.value, state.playbackRate.value,
  );
  beginActing();
  if (!made) return;
  stopActing();
  const { duration, keytimes } = made;
  if (id) actions.change(id, { parameters: { duration, keytimes: keytimes.length ? keytimes : null } });
  else actions.addStep({ method: "guided", parameters: { duration, ...(keytimes.length ? { keytimes } : {}) } });
  const keys = count(keytimes.length, "keytime");
  state.announcement.value = `Your timing became ${keys}; the result lasts ${seconds(duration)}.`;
}
