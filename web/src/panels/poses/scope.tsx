/** Which poses an edit in the inspector changes: the selected one, or all but the ends. */

import { signal } from "@preact/signals";
import { Segments } from "../../controls";
import { poses } from "../../store/poses";
import * as state from "../../store/state";

export const poseScope = signal<"this" | "all">("this");

/** The selected pose, where it is there and may be edited. */
export function freePose(): number | null {
  const k = state.selectedPose.value;
  return k !== null && poses.value?.isFree(k) ? k : null;
}

/** The argument that names the poses; without one an edit changes all. */
export function scopedPoses(): { poses?: number[] } {
  const k = freePose();
  return poseScope.value === "this" && k !== null ? { poses: [k] } : {};
}

export const scopeText = (): string => {
  const [k] = scopedPoses().poses ?? [];
  return k === undefined ? "all poses" : `pose ${k + 1}`;
};

export function ScopeSegments() {
  const none = freePose() === null;
  return (
    <Segments
      label="Which poses" value={none ? "all" : poseScope.value}
      options={[{ value: "this", label: "This pose", disabled: none }, { value: "all", label: "All" }]}
      onChange={(value) => (poseScope.value = value as "this" | "all")}
    />
  );
}
