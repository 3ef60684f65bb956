/** Random: parts arrive a little earlier or later, so that limbs are not in step. */

import { signal } from "@preact/signals";
import { Field, IconButton, NumberField, Segments } from "../../controls";
import { ofWindow } from "../../store/editable";
import { LIMB_TITLES, limbsOf } from "../../store/limbs";
import { poses, type PoseEdit } from "../../store/poses";
import * as state from "../../store/state";
import { scopedPoses, scopeText } from "./scope";
import { showTool, ToolAmount } from "./tool";
import { lengthText } from "../../words/units";

const most = signal(0.03);
const seed = signal(0);
const which = signal<"limb" | "all">("all");

const NO_LIMB = "Select a joint in a row or in the view to choose its limb.";
const isLost = (): boolean => which.value === "limb" && state.selectedJoint.value === null;

export const openRandom = (step: string): void =>
  showTool({
    title: "Random",
    step,
    edit,
    trouble: () => (isLost() ? NO_LIMB : ""),
    said: () => `Parts arrive up to ${lengthText(most.value)} earlier or later, ${scopeText()}.`,
    Controls,
  });

function edit(): PoseEdit | null {
  const view = poses.peek();
  if (!view || isLost()) return null;
  const joints = which.value === "limb" ? { joints: limbChannels() } : {};
  return { do: "jitter", seconds: Math.max(most.value, 0), seed: seed.value, ...joints, ...scopedPoses() };
}

/** Channels of the limb that the selected joint belongs to. */
function limbChannels(): string[] {
  const [view, header] = [poses.peek()!, state.source.value!.header];
  const limbs = limbsOf(header);
  const limb = limbs[state.selectedJoint.value!];
  return view.channels.filter((_, c) => !view.isTranslation(c) && limbs[view.jointOf(c)] === limb);
}

function Controls() {
  const joint = state.selectedJoint.value;
  const limb = joint === null ? "Selected limb" : LIMB_TITLES[limbsOf(state.source.value!.header)[joint]!];
  const roll = (): void => {
    seed.value = Math.floor(Math.random() * 1000);
  };
  return (
    <>
      <ToolAmount label="At most" unit="s" value={most} bounds={[0, 0.15]} step={0.001} digits={3} minimum={0} />
      <Field label="Seed">
        <span class="pose-seed">
          <NumberField label="Seed" whole step={1} minimum={0} edit={ofWindow(seed.value, (to) => (seed.value = to))} />
          <IconButton icon="loop" label="Another seed" onClick={roll} />
        </span>
      </Field>
      <Field label="Joints">
        <Segments
          label="Which joints" options={[{ value: "limb", label: limb }, { value: "all", label: "All" }]}
          value={which.value} onChange={(value) => (which.value = value as typeof which.value)}
        />
      </Field>
    </>
  );
}
