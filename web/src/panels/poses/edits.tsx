/** The edits that were made, in their order: each can be muted and removed. */

import { Button, classes, IconButton, Section } from "../../controls";
import * as actions from "../../store/actions";
import { withMute, withoutEdit, type Renumbered } from "../../store/pose_numbers";
import { editsOf, endTool, poses, sayEdit, selectPose, setEdits, type PoseEdit } from "../../store/poses";
import * as state from "../../store/state";
import { count } from "../../words/numbers";

export function EditsSection({ step }: { step: string }) {
  const edits = editsOf(state.stepNamed(step));
  return (
    <Section id="pose-edits" title="Edits" caption={edits.length ? count(edits.length, "edit") : "none yet"}>
      <ol class="pose-edits">{edits.map((edit, n) => <EditRow key={n} {...{ step, edit, n }} />)}</ol>
      {edits.length > 1 && (
        <div class="pose-tools">
          <Button onClick={() => change(step, [], "All edits are removed.")}>Remove all</Button>
        </div>
      )}
    </Section>
  );
}

function EditRow({ step, edit, n }: { step: string; edit: PoseEdit; n: number }) {
  const { title, detail } = sayEdit(edit);
  const go = (): void => {
    const pose = [edit["pose"], edit["poses"]].flat().find((p): p is number => typeof p === "number");
    if (pose !== undefined) selectPose(pose);
  };
  /** Keep the list with its poses numbered again, or tell why that cannot be. */
  const renumber = (how: typeof withMute, said: string): void => {
    const counted = poses.value?.step === step ? poses.value.editor.counted : [];
    const made: Renumbered = how(editsOf(state.stepNamed(step)), n, counted);
    if ("edits" in made) change(step, made.edits, said);
    else actions.fail("The edit stays", made.refused);
  };
  return (
    <li class={classes("pose-edit", edit.mute && "muted")}>
      <span class="caption">{n + 1}</span>
      <button type="button" class="pose-edit-words" title={`${title}, ${detail}`} onClick={go}>
        <span>{title}</span><span class="caption">{detail}</span>
      </button>
      <IconButton
        icon={edit.mute ? "eye-off" : "eye"} label={`${edit.mute ? "Unmute" : "Mute"} edit ${n + 1}`}
        onClick={() => renumber(withMute, `Edit ${n + 1} is ${edit.mute ? "on" : "muted"}.`)}
      />
      <IconButton
        icon="close" label={`Remove edit ${n + 1}`} onClick={() => renumber(withoutEdit, `Edit ${n + 1} is removed.`)}
      />
    </li>
  );
}

function change(step: string, edits: PoseEdit[], said: string): void {
  endTool();
  setEdits(step, edits);
  state.announcement.value = said;
}
