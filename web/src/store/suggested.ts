/** Moments worth a keytime that are none yet: the timeline and the inspector offer the same ones. */

import { computed } from "@preact/signals";
import * as state from "./state";

/** As close as two keytimes may be, in either time, before one says nothing that the other does not; seconds. */
const SAME = 0.05;

export interface Suggestion {
  /** The keytime that it would be. */
  key: state.Key;
  /** Where the result shows it now. */
  shown: number;
  /** How much its timing matters, as a share of the most that is suggested. */
  share: number;
}

/** Whether a keytime stands so near that a suggestion would lie on it. */
export function isTaken(keys: readonly state.Key[], [output, source]: state.Key, frame: number): boolean {
  const near = Math.max(SAME, frame);
  return keys.some(([t, s]) => Math.abs(t - output) <= near || Math.abs(s - source) <= near);
}

export const openSuggestions = computed<Suggestion[]>(() => {
  const result = state.result.value;
  if (!result) return [];
  const times = state.stepTimes.value;
  const most = Math.max(...state.suggestions.value.map(({ weight }) => weight), 1e-9);
  return state.suggestions.value
    .map(({ time, weight }): Suggestion => {
      const shown = result.outputOf(times.toSource(time));
      return { key: [times.fromResult(shown), time], shown, share: weight / most };
    })
    .filter(({ key }) => !isTaken(state.keys.value, key, 1 / result.fps));
});
