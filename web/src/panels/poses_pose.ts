/** The selected pose: which it is, when it is, and how it is edited in the view. */

import * as actions from "../store/actions";
import { deletePose, insertPose, liveEdit, placePose, poseHandle, poses, poseWhen } from "../store/poses";
import * as state from "../store/state";
import { iconButton, segments } from "./controls";
import { element, live, shown, watch, type Child } from "./dom";
import { count } from "./format";
import { numberField } from "./number";

export function poseGroup(): Child[] {
  const k = (): number | null => {
    const chosen = state.selectedPose.value;
    return chosen !== null && chosen < (poses.value?.count ?? 0) ? chosen : null;
  };
  const title = (): string => (poses.value ? count(poses.value.count, "pose") : "");
  const remove = iconButton("close", "Delete this pose (Delete); the motion stays as it is", () => {
    const pose = k();
    if (pose !== null) deletePose(pose);
  });
  watch(() => {
    const pose = k();
    remove.disabled = pose === null || !poses.value?.isFree(pose);
  });
  const heading = element(
    "div",
    { className: "pose-title" },
    live(title, "heading"),
    live(() => (k() === null ? "" : fixedText(k()!)), "caption"),
    iconButton("plus", "Insert a pose at the playhead (P)", () => insertPose(state.time.value)),
    remove,
  );
  const hint = live(() => "Click a pose in the rows below to edit it.", "caption");
  return [
    element(
      "div",
      { className: "field-group pose-group" },
      heading,
      shown(() => k() === null, element("p", {}, hint)),
      shown(() => k() !== null, timeRow(k)),
      row("Edit", segments(
        "What is edited",
        [{ value: "pose", label: "Pose at time" }, { value: "extreme", label: "Extreme" }],
        () => poseWhen.value,
        (value) => (poseWhen.value = value as "pose" | "extreme"),
      )),
      row("Handle", segments(
        "Handle in the view",
        [{ value: "fk", label: "FK" }, { value: "ik", label: "IK" }],
        () => poseHandle.value,
        (value) => (poseHandle.value = value as "fk" | "ik"),
      )),
    ),
  ];
}

const fixedText = (k: number): string => {
  const view = poses.value;
  if (!view || view.isFree(k)) return "";
  return k === 0 ? "first, fixed" : k === view.count - 1 ? "last, fixed" : "outside the range";
};

export const row = (label: string, ...control: Child[]): HTMLElement =>
  element("div", { className: "field" }, element("span", { className: "field-label", textContent: label }), ...control);

/** The time as seconds and as a frame of the result. */
function timeRow(k: () => number | null): HTMLElement {
  const output = (): number | null => {
    const [view, pose] = [poses.value, k()];
    return view && pose !== null ? state.stepTimes.value.toResult(view.times[pose]!) : null;
  };
  const send = (how: "preview" | "commit", t: number): void => {
    const [view, pose] = [poses.value, k()];
    if (!view || pose === null) return;
    const { time, refusal } = placePose(view, pose, state.stepTimes.value.fromResult(t));
    if (refusal) state.announcement.value = refusal;
    if (!view.isFree(pose)) return;
    liveEdit[how](view.step, { do: "retime", pose, time: actions.round(time) });
    actions.seek(state.stepTimes.value.toResult(time));
  };
  const frame = (): number | null => {
    const t = output();
    return t === null ? null : (t - state.domain.value[0]) * state.fps.value;
  };
  const ofFrame = (n: number): number => state.domain.value[0] + n / state.fps.value;
  const common = { discard: actions.discard };
  return row(
    "Time",
    element(
      "span",
      { className: "pose-time" },
      numberField({
        ...common, label: "Time of the pose", unit: "s", digits: 3, step: 0.005, value: output,
        preview: (t) => send("preview", t), commit: (t) => send("commit", t),
      }),
      numberField({
        ...common, label: "Frame of the pose", unit: "frame", whole: true, step: 0.5, value: frame,
        preview: (n) => send("preview", ofFrame(n)), commit: (n) => send("commit", ofFrame(n)),
      }),
    ),
  );
}
