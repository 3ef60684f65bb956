/** Succession: movement travels down a limb, each joint below the start arrives later than the one above. */

import { signal } from "@preact/signals";
import { Field, Select, Switch } from "../../controls";
import { LIMB_TITLES, LIMBS, limbsOf } from "../../store/limbs";
import { poses, type PoseEdit } from "../../store/poses";
import * as state from "../../store/state";
import { chainBelow, delay, Delays } from "./delays";
import { scopedPoses, scopeText } from "./scope";
import { showTool, ToolAmount } from "./tool";
import { lengthText } from "../../words/units";

const joint = signal("");
const step = signal(0.02);
const growth = signal(1.5);
const pastEnd = signal(false);

function delayed(): { joints: number[]; late: number[] } {
  const header = state.source.value!.header;
  const joints = chainBelow(header.parents, header.joints.indexOf(joint.value));
  return { joints, late: joints.map((_, depth) => delay(depth, step.value, growth.value)) };
}

export function openSuccession(id: string): void {
  const header = state.source.value?.header;
  if (!header) return;
  const arm = header.roles.indexOf("right_upper_arm");
  joint.value = header.joints[state.selectedJoint.value ?? Math.max(arm, 0)] ?? header.joints[0]!;
  showTool({
    title: "Succession",
    step: id,
    edit: () => (tooLate() ? null : succession()),
    trouble: () =>
      delayed().joints.length < 2 ? `There are no joints below ${joint.value}: choose a joint further up.` : tooLate(),
    said: () => `Succession from ${joint.value}, ${scopeText()}.`,
    Controls,
  });
}

function succession(): PoseEdit {
  const scope = scopedPoses();
  // The last pose takes part only where all do.
  const end = pastEnd.value && !scope.poses ? { past_end: true } : {};
  return { do: "succession", joint: joint.value, step: step.value, power: growth.value, ...scope, ...end };
}

/** Why the last joint cannot be so late; empty where it can. */
function tooLate(): string {
  const most = Math.abs(delayed().late.at(-1) ?? 0);
  const times = poses.value?.times;
  const length = times?.length ? times[times.length - 1]! - times[0]! : 1;
  return most <= length ? "" : `The last joint would be ${lengthText(most)} late, and the clip lasts ${lengthText(length)}.`;
}

const Controls = () => (
  <>
    <Field label="Start joint"><StartSelect /></Field>
    <ToolAmount label="Step" unit="s" value={step} bounds={[0, 0.06]} step={0.001} digits={3} minimum={-1} />
    <ToolAmount label="Growth" value={growth} bounds={[0, 3]} step={0.05} minimum={0} />
    {!scopedPoses().poses && (
      <Field label="Past the end">
        <Switch label="Let the clip get longer" on={pastEnd.value} onChange={(on) => (pastEnd.value = on)} />
      </Field>
    )}
    <Delays delayed={delayed} />
  </>
);

/** Joints by limb; with their own names, as the skeleton's tree has them. */
function StartSelect() {
  const header = state.source.value!.header;
  const limbs = limbsOf(header);
  const groups = LIMBS.map((limb) => ({
    heading: LIMB_TITLES[limb],
    options: header.joints
      .filter((_, j) => limbs[j] === limb && header.parents.includes(j))
      .map((value) => ({ value, label: value })),
  }));
  return <Select label="Start joint" groups={groups} value={joint.value} onChange={(name) => (joint.value = name)} />;
}
