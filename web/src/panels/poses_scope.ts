/** Of which poses an edit in the inspector is: the selected one, or all but the ends. */

import { signal } from "@preact/signals-core";
import { poses, type PosesView } from "../store/poses";
import * as state from "../store/state";
import { segments } from "./controls";
import { watch } from "./dom";

export const poseScope = signal<"this" | "all">("this");

/** The pose that is selected, where it is there and may be edited. */
export function freePose(): number | null {
  const k = state.selectedPose.value;
  return k !== null && poses.value?.isFree(k) ? k : null;
}

/** The argument that names the poses; without one an edit is of all. */
export function scopedPoses(): { poses?: number[] } {
  const k = freePose();
  return poseScope.value === "this" && k !== null ? { poses: [k] } : {};
}

export const scopeText = (): string => {
  const [k] = scopedPoses().poses ?? [];
  return k === undefined ? "all poses" : `pose ${k + 1}`;
};

export function scopeSegments(): HTMLElement {
  const made = segments(
    "Which poses",
    [{ value: "this", label: "This pose" }, { value: "all", label: "All" }],
    () => (freePose() === null ? "all" : poseScope.value),
    (value) => (poseScope.value = value as "this" | "all"),
  );
  watch(() => {
    made.querySelector("button")!.disabled = freePose() === null;
  });
  return made;
}

/** Channels of the limb that the selected joint is of; null while none is selected. */
export function jointsOfLimb(view: PosesView, limbs: readonly string[], joint: number): string[] {
  return view.channels.filter((_, c) => !view.isTranslation(c) && limbs[view.jointOf(c)] === limbs[joint]);
}
