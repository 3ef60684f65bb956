/** Align takes the timing of another take: which one, and how far the two are apart in length. */

import * as state from "../store/state";
import { live } from "./dom";
import type { MethodExtra } from "./form";
import { percent, seconds } from "./format";
import { OWN_MOTION } from "./motionfield";

export const alignExtra: MethodExtra = {
  replaces: [],
  below: (step) => [live(() => lengths(step), "note")],
};

function lengths(step: string): string {
  const chosen = state.steps.value.find((s) => s.id === step)?.parameters?.["reference"];
  const source = state.source.value;
  if (typeof chosen !== "string" || !source) return "";
  const other = state.clips.value.get(chosen.replace(OWN_MOTION, ""));
  if (!other) return "";
  const share = percent(other.duration / source.duration);
  return `The other take lasts ${seconds(other.duration)}, ${share} of this motion.`;
}
