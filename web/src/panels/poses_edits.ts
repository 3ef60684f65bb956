/** The edits that were made, in their order: each can be muted and removed. */

import * as actions from "../store/actions";
import { withMute, withoutEdit, type Renumbered } from "../store/pose_numbers";
import { editsOf, endTool, poses, sayEdit, selectPose, setEdits, stepNamed, type PoseEdit } from "../store/poses";
import * as state from "../store/state";
import { button, iconButton, section } from "./controls";
import { element, live, rebuild, shown } from "./dom";
import { count } from "./format";

export function editsSection(step: string): HTMLElement {
  const edits = (): PoseEdit[] => editsOf(stepNamed(step));
  const list = element("ol", { className: "pose-edits" });
  // Rows are made anew only when the list is: a slider that changes the last one does so many times a second.
  rebuild(list, () => JSON.stringify(edits()), () => edits().map((edit, n) => editRow(step, edit, n)));
  return section(
    {
      id: "pose-edits",
      title: "Edits",
      caption: live(() => (edits().length ? count(edits().length, "edit") : "none yet")),
    },
    list,
    shown(() => edits().length > 1, element("div", { className: "pose-tools" }, button("Remove all", () => {
      change(step, [], "All edits are removed.");
    }))),
  );
}

function editRow(step: string, edit: PoseEdit, n: number): HTMLElement {
  const { title, detail } = sayEdit(edit);
  const now = (): PoseEdit[] => editsOf(stepNamed(step));
  const counted = (): (number | null)[] => (poses.value?.step === step ? poses.value.editor.counted : []);
  const flip = (): void =>
    renumber(step, withMute(now(), n, counted()), `Edit ${n + 1} is ${edit.mute ? "on" : "muted"}.`);
  const go = (): void => {
    const pose = [edit["pose"], edit["poses"]].flat().find((p): p is number => typeof p === "number");
    if (pose !== undefined) selectPose(pose);
  };
  const made = element(
    "li",
    { className: "pose-edit" },
    element("span", { className: "caption", textContent: String(n + 1) }),
    element(
      "button",
      { type: "button", className: "pose-edit-words", title: `${title}, ${detail}`, onclick: go },
      element("span", { textContent: title }),
      element("span", { className: "caption", textContent: detail }),
    ),
    iconButton(edit.mute ? "eye-off" : "eye", `${edit.mute ? "Unmute" : "Mute"} edit ${n + 1}`, flip),
    iconButton("close", `Remove edit ${n + 1}`, () =>
      renumber(step, withoutEdit(now(), n, counted()), `Edit ${n + 1} is removed.`),
    ),
  );
  made.classList.toggle("muted", edit.mute === true);
  return made;
}

/** Keep a list whose poses were numbered anew, or say why it cannot be. */
function renumber(step: string, made: Renumbered, said: string): void {
  if ("edits" in made) return change(step, made.edits, said);
  actions.fail("The edit stays", made.refused);
}

function change(step: string, edits: PoseEdit[], said: string): void {
  endTool();
  setEdits(step, edits);
  state.announcement.value = said;
}
