/** How long a step's result can be, from what the step is given. */

import * as state from "../../store/state";
import { sourceLength } from "../../store/times";
import { percent, seconds } from "../../words/numbers";

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
