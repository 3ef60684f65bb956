/** Random: parts arrive a little earlier or later, so that limbs are not in step. */

import { signal } from "@preact/signals-core";
import { poses, type PoseEdit } from "../store/poses";
import * as state from "../store/state";
import { iconButton, segments } from "./controls";
import { element } from "./dom";
import { number } from "./format";
import { LIMB_TITLES, limbsOf } from "./limbs";
import { numberField } from "./number";
import { row } from "./poses_pose";
import { jointsOfLimb, scopedPoses, scopeText } from "./poses_scope";
import { amountRow, showTool } from "./poses_tool";

const most = signal(0.03);
const seed = signal(0);
const which = signal<"limb" | "all">("all");

const NO_LIMB = "Select a joint in a row or in the view: its limb is meant.";

export function openRandom(id: string): void {
  const header = state.source.value?.header;
  if (!header) return;
  const limbs = limbsOf(header);
  const limb = (): string => {
    const joint = state.selectedJoint.value;
    return joint === null ? "Selected limb" : LIMB_TITLES[limbs[joint]!];
  };
  const edit = (): PoseEdit | null => {
    const [view, joint] = [poses.peek(), state.selectedJoint.value];
    if (!view || (which.value === "limb" && joint === null)) return null;
    const joints = which.value === "limb" ? { joints: jointsOfLimb(view, limbs, joint!) } : {};
    return { do: "jitter", seconds: Math.max(most.value, 0), seed: seed.value, ...joints, ...scopedPoses() };
  };
  const roll = (): void => {
    seed.value = Math.floor(Math.random() * 1000);
  };
  const setSeed = (value: number): void => void (seed.value = value);
  showTool({
    title: "Random",
    step: id,
    edit,
    trouble: () => (which.value === "limb" && state.selectedJoint.value === null ? NO_LIMB : ""),
    said: () => `Parts arrive up to ${number(most.value)} s earlier or later, ${scopeText()}.`,
    build: () => [
      amountRow({ label: "At most", unit: "s", value: most, bounds: [0, 0.15], step: 0.001, digits: 3, minimum: 0 }),
      row(
        "Seed",
        element(
          "span",
          { className: "pose-seed" },
          numberField({
            label: "Seed", value: () => seed.value, whole: true, step: 1, minimum: 0,
            preview: setSeed, commit: setSeed, discard: () => undefined,
          }),
          iconButton("loop", "Another seed", roll),
        ),
      ),
      row("Joints", segments(
        "Which joints",
        [{ value: "limb", label: limb() }, { value: "all", label: "All" }],
        () => which.value,
        (value) => (which.value = value as "limb" | "all"),
      )),
    ],
  });
}
