/** What the retimed body is compared with: the original or the other version; and the take that a step follows. */

import { computed, signal } from "@preact/signals";
import type { Clip, SourceClip } from "./clip";
import { liveBodies } from "./live";
import * as state from "./state";

export const otherVersion = computed<state.Version>(() => (state.version.value === "A" ? "B" : "A"));
/** Whether the other version stands beside this one, in the place of the original. */
export const comparing = signal(false);
/** Whether the take that the step follows is shown as a third body. */
export const showTarget = signal(true);

/** The other version's result, while it is compared and fits the motion. */
export const otherResult = computed(() => {
  const found = comparing.value ? state.results.value[otherVersion.value] : null;
  return found && found.points === state.source.value?.points ? found : null;
});

/** What the retimed body is compared with. */
export const against = computed<Clip | null>(() => otherResult.value ?? state.source.value);

const OWN_MOTION = "motion:";

/** The first take that a parameter names: a motion of the project or, by its path, a file. */
function followed(reference: unknown): SourceClip | null {
  for (const value of [reference].flat()) {
    const named = String((value as { path?: string } | null)?.path ?? value);
    const clip = state.clips.value.get(named.startsWith(OWN_MOTION) ? named.slice(OWN_MOTION.length) : named);
    if (clip) return clip;
  }
  return null;
}

/** The take that the selected step follows, or else the last step that follows one. */
export const target = computed<SourceClip | null>(() => {
  const chosen = state.step.value;
  const steps = [...state.steps.value.filter((s) => s !== chosen), ...(chosen ? [chosen] : [])].reverse();
  for (const { method, parameters, mute } of steps) {
    if (mute || (method !== "align" && method !== "guided")) continue;
    const clip = followed(parameters?.["reference"]);
    if (clip) return clip;
  }
  return null;
});

/** The take that stands beside the two bodies now. */
export const thirdBody = computed(() => (showTarget.value && !liveBodies.value ? target.value : null));

const SAMPLES = 240;

export interface Difference {
  times: number[];
  /** Mean distance of the joints, metres. */
  metres: number[];
  most: number;
}

/** How far two clips are from each other over the time of the first. */
export function differenceOf(one: Clip, other: Clip, samples = SAMPLES): Difference {
  const count = Math.min(one.points, other.points);
  const [a, b] = [new Float32Array(3 * one.points), new Float32Array(3 * other.points)];
  const times = Array.from({ length: samples }, (_, k) => one.start + (one.duration * k) / Math.max(samples - 1, 1));
  const metres = times.map((t) => {
    one.poseAt(t, a);
    other.poseAt(t, b);
    let sum = 0;
    for (let k = 0; k < 3 * count; k += 3)
      sum += Math.hypot(a[k]! - b[k]!, a[k + 1]! - b[k + 1]!, a[k + 2]! - b[k + 2]!);
    return sum / Math.max(count, 1);
  });
  return { times, metres, most: Math.max(0, ...metres) };
}

/** The difference of the two versions over time, while they are compared. */
export const difference = computed<Difference | null>(() => {
  const [one, other] = [state.result.value, otherResult.value];
  return one && other ? differenceOf(one, other) : null;
});
