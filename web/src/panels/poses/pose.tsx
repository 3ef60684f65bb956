/** The selected pose: its time, and how it is edited in the view. */

import { Button, Field, IconButton, NumberField, Segments } from "../../controls";
import * as actions from "../../store/actions";
import { ofStep, type Editable } from "../../store/editable";
import {
  addEdits, deletePose, editChange, insertPose, placePose, poseHandle, poseLayer, poses, poseWhen, selectPose,
} from "../../store/poses";
import * as state from "../../store/state";
import { timeReader } from "../../store/times";
import { count } from "../../words/numbers";
import { LayerRow } from "./layers";
import { jointsText, scopedJoints } from "./selection";

const WHEN = [{ value: "pose", label: "Pose at time" }, { value: "extreme", label: "Extreme" }] as const;
const HANDLES = [{ value: "fk", label: "FK" }, { value: "ik", label: "IK" }] as const;

export function PoseGroup({ step }: { step: string }) {
  const view = poses.value;
  const chosen = state.selectedPose.value;
  const k = chosen !== null && chosen < (view?.count ?? 0) ? chosen : null;
  return (
    <div class="field-group pose-group">
      <div class="pose-title">
        <span class="heading">{view && count(view.count, "pose")}</span>
        <span class="caption">{k !== null && fixedText(k)}</span>
        <IconButton
          icon="plus" label={`Insert a pose at the playhead (P), ${jointsText()}`}
          onClick={() => insertPose(state.time.value, scopedJoints())}
        />
        <IconButton
          icon="close" label="Delete this pose (Delete); the motion stays as it is"
          disabled={k === null || !view?.isFree(k)} onClick={() => k !== null && deletePose(k)}
        />
      </div>
      {k === null && <p><span class="caption">Click a pose in the rows below to edit it.</span></p>}
      {k !== null && <TimeRow k={k} />}
      <Field label="Edit">
        <Segments
          label="What is edited" options={WHEN} value={poseWhen.value}
          onChange={(value) => (poseWhen.value = value as typeof poseWhen.value)}
        />
      </Field>
      <LayerRow step={step} />
      <Field label="Handle">
        <Segments
          label="Handle in the view" options={HANDLES} value={poseHandle.value}
          onChange={(value) => (poseHandle.value = value as typeof poseHandle.value)}
        />
      </Field>
      {k !== null && (
        <Field label="Scratch">
          <Button
            class="button small" title="The clip holds this pose; insert and shape poses from there"
            onClick={() => startOver(step, k)}
          >
            Start over from this pose
          </Button>
        </Field>
      )}
    </div>
  );
}

function startOver(step: string, pose: number): void {
  addEdits(step, { do: "blank", pose });
  poseLayer.value = 0;
  selectPose(0);
  state.announcement.value = `The clip holds pose ${pose + 1}; insert poses and shape them.`;
}

function fixedText(k: number): string {
  const view = poses.value;
  if (!view || view.isFree(k)) return "";
  return k === 0 ? "first, fixed" : k === view.count - 1 ? "last, fixed" : "outside the range";
}

/** The time as seconds and as a frame of the result. */
function TimeRow({ k }: { k: number }) {
  const view = poses.value!;
  const value = state.stepTimes.value.toResult(view.times[k]!);
  const [start, fps] = [state.domain.value[0], state.fps.value];
  const edit = (shown: number, toTime: (shown: number) => number): Editable<number> =>
    ofStep(view.step, shown, (to) => {
      const { time, refusal } = placePose(view, k, state.stepTimes.value.fromResult(toTime(to)));
      if (refusal) state.announcement.value = refusal;
      if (!view.isFree(k)) return null;
      actions.seek(state.stepTimes.value.toResult(time));
      return editChange(view.step, { do: "retime", pose: k, time: actions.round(time) });
    });
  return (
    <Field label="Time">
      <span class="pose-time">
        <NumberField
          label="Time of the pose" unit="s" digits={3} step={0.005} edit={edit(value, (t) => t)}
          parse={timeReader("output", () => view.step)}
        />
        <NumberField
          label="Frame of the pose" unit="frame" whole step={0.5}
          edit={edit((value - start) * fps, (frame) => start + frame / fps)}
        />
      </span>
    </Field>
  );
}
