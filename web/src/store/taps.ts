/** Timing by performance: moments are tapped in time with playback, and the taps become keytimes. */

import { computed, signal } from "@preact/signals";
import * as actions from "./actions";
import { refusalOf } from "./solver";
import * as state from "./state";
import { count } from "../words/numbers";

export interface Tapping {
  /** The step that the taps are for, and the moments of its input that are tapped, in order. */
  step: string;
  moments: number[];
  /** When each was tapped, in the step's output time. */
  taps: number[];
  wasLooping: boolean;
}

export const tapping = signal<Tapping | null>(null);

/** Result time that shows the moment that is tapped next: the view draws its pose as a ghost. */
export const nextMoment = computed<number | null>(() => {
  const now = tapping.value;
  const moment = now?.moments[now.taps.length];
  if (moment === undefined) return null;
  const shown = state.stepTimes.value.toSource(moment);
  return state.result.value?.outputOf(shown) ?? shown;
});

/** Pair taps with moments; a tap that does not come after the one before counts for nothing. */
export function keytimesFromTaps(taps: readonly number[], moments: readonly number[], least: number): state.Key[] {
  const keys: state.Key[] = [];
  taps.slice(0, moments.length).forEach((tap, k) => {
    const last = keys.at(-1);
    if (!last || (tap - last[0] >= least && moments[k]! > last[1])) keys.push([actions.round(tap), moments[k]!]);
  });
  return keys;
}

/** What can be tapped: the step's keytimes, else the moments that are suggested. */
export function tapMoments(): number[] {
  const own = state.keys.value.map(([, source]) => source);
  const found = own.length ? own : state.suggestions.value.map(({ time }) => time);
  return [...found].sort((a, b) => a - b);
}

/** Play from the start and wait for taps. */
export function startTaps(): void {
  const step = actions.keyedStep();
  if (step) state.selectedStep.value = step;
  const moments = tapMoments();
  if (!step || !moments.length) {
    actions.fail(
      "There is nothing to tap",
      "Add keytimes for the moments to tap, or select a Guided or Spline step and wait for its suggestions.",
    );
    return;
  }
  tapping.value = { step, moments, taps: [], wasLooping: state.looping.value };
  state.looping.value = false;
  state.time.value = state.playSpan.value[0];
  state.playing.value = true;
  state.announcement.value = `Tap B at each of ${moments.length} moments. Enter keeps the taps, Esc discards them.`;
}

/** Take the playhead as the time of the next moment; the last one ends it. */
export function tap(): void {
  const now = tapping.value;
  if (!now) return startTaps();
  const taps = [...now.taps, state.stepTimes.value.fromResult(actions.nearestFrame(state.time.value))];
  tapping.value = { ...now, taps };
  if (taps.length >= now.moments.length) finishTaps();
}

/** Keep what was tapped: one undo step. Taps that no timing goes through are left out, and said. */
export function finishTaps(): void {
  const now = tapping.value;
  if (!now) return;
  giveUpTaps();
  const wanted = keytimesFromTaps(now.taps, now.moments, 1 / state.fps.value);
  const kept: state.Key[] = [];
  let refusal: string | null = null;
  for (const key of wanted) {
    const why = refusalOf(now.step, { keytimes: [...kept, key] });
    if (why === null) kept.push(key);
    else refusal ??= why;
  }
  if (kept.length) {
    actions.setParameter(now.step, "keytimes", kept);
    state.announcement.value = `${count(kept.length, "keytime")} from your taps.`;
  }
  if (kept.length === now.taps.length) return;
  const title = kept.length ? `${kept.length} of ${now.taps.length} taps became keytimes` : "No tap became a keytime";
  actions.fail(title, refusal ?? `${count(now.taps.length - kept.length, "tap")} came too soon after another.`);
}

export function giveUpTaps(): boolean {
  const now = tapping.value;
  if (!now) return false;
  tapping.value = null;
  state.playing.value = false;
  state.looping.value = now.wasLooping;
  return true;
}
