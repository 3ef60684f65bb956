/** How long a step's result can be, from what the step is given. */

import * as state from "../../store/state";
import { percent, seconds } from "../../words/numbers";

/** From when to when a step was given its motion: by the source, or by the steps before it. */
export const givenTo = (step: string): [number, number] =>
  state.stepResult(step)?.given ?? [state.source.value?.start ?? 0, state.source.value?.end ?? 1];

/** Length of what a step retimes: its range, or all that it is given. */
export function sourceLength(step: string): number {
  const range = state.stepNamed(step)?.parameters?.["range"];
  const [a, b] = Array.isArray(range) ? (range as [number, number]) : givenTo(step);
  return b - a;
}

/** From as short as the speed limit allows to twice the source. */
export function durationBounds(step: string): [number, number] {
  const entry = state.stepNamed(step);
  const fields = state.methods.value.get(entry?.method ?? "")?.fields;
  const fastest = entry?.parameters?.["max_speed"] ?? fields?.find((f) => f.name === "max_speed")?.default ?? 8;
  const whole = sourceLength(step);
  return [Math.ceil((100 * whole) / Number(fastest)) / 100, Math.round(200 * whole) / 100];
}

/** What stands under a duration's slider: its bounds, and its share of the source. */
export function durationCaptions(step: string, given: number | null): string[] {
  const [low, high] = durationBounds(step);
  const whole = sourceLength(step);
  return [seconds(low), whole > 0 ? `${percent((given ?? whole) / whole)} of the source` : "", seconds(high)];
}
