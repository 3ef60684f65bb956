/** Eases: a pose that is held, snapped to, left with an anticipation, or settled into. */

import { signal } from "@preact/signals";
import type { FieldChoice } from "../../protocol";
import type { PoseEdit } from "../../store/poses";
import { number } from "../../words/numbers";
import { freePose } from "./scope";
import { jointsText, scopedJoints } from "./selection";
import { showTool, ToolAmount } from "./tool";

const amount = signal(1);
const seconds = signal(0.2);
const NO_POSE = "Select a pose between the first and the last: an ease changes one pose.";

export const openEase = (step: string, { value: preset, label }: FieldChoice): void => {
  // It inserts a pose: while it is shown, numbers after it are others.
  const pose = freePose();
  const edit = (): PoseEdit | null => {
    if (pose === null) return null;
    const lasts = preset === "snap" ? {} : { seconds: Math.max(seconds.value, 0.01) };
    return { do: "ease", pose, preset, amount: Math.min(Math.max(amount.value, 0), 2), ...lasts, ...scopedJoints() };
  };
  showTool({
    title: label,
    step,
    edit,
    trouble: () => (pose === null ? NO_POSE : ""),
    said: () => `${label} at pose ${(pose ?? 0) + 1} by ${number(amount.value)}, ${jointsText()}.`,
    Controls: () => (
      <>
        <ToolAmount label="Amount" value={amount} bounds={[0, 2]} step={0.05} digits={2} minimum={0} maximum={2} />
        {preset !== "snap" && (
          <ToolAmount label="Lasts" unit="s" value={seconds} bounds={[0.05, 1]} step={0.01} digits={2} minimum={0.01} />
        )}
      </>
    ),
  });
};
