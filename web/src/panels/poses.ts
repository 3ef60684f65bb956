/** Of steps of staggered poses: the pose that is edited, tools for all of them, and the edits that were made. */

import { poses } from "../store/poses";
import * as state from "../store/state";
import { section } from "./controls";
import { element, watch } from "./dom";
import { fieldRow } from "./fields";
import type { MethodExtra } from "./form";
import { poseJointSection } from "./pose_joint";
import "./poses.css";
import { contactsGroup } from "./poses_contacts";
import { editsSection } from "./poses_edits";
import { poseGroup } from "./poses_pose";
import { refinementsSection } from "./poses_refinements";
import { detailSection, exaggerateSection } from "./poses_shape";

/** What edits of all poses there are as plain parameters: for recipes, seldom for hands. */
const WHOLE_STEP = [
  "exaggerate", "relative_to", "overlap", "jitter", "seed", "detail", "joints", "succession", "moves",
];

export const posesExtra: MethodExtra = {
  replaces: ["keep", "edits", "constraints", ...WHOLE_STEP],
  above: (step) => [
    ...poseGroup(),
    poseJointSection(),
    exaggerateSection(step),
    refinementsSection(step),
    detailSection(step),
    editsSection(step),
    contactsGroup(step),
    editorNotes(),
  ],
  below: (step, form) => [
    section(
      { id: "pose-whole", title: "Before all edits", caption: "all poses at once", folded: true },
      ...WHOLE_STEP.map((name) => form.fields.find((f) => f.name === name))
        .filter((f) => f !== undefined)
        .map((f) => fieldRow(step, f)),
    ),
  ],
};

/** What the edits gave way to; the step's own notes come below all fields. */
function editorNotes(): HTMLElement {
  const made = element("div", { className: "step-notes" });
  watch(() => {
    const said = new Set(state.result.value?.header.steps.find((s) => s.id === poses.value?.step)?.notes ?? []);
    const notes = (poses.value?.editor.notes ?? []).filter((note) => !said.has(note));
    made.replaceChildren(...notes.map((note) => element("p", { className: "note", textContent: note })));
    made.hidden = !notes.length;
  });
  return made;
}
