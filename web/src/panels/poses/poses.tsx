/** Of steps of staggered poses: the pose that is edited, tools for all of them, and the edits that were made. */

import { Section } from "../../controls";
import { poses } from "../../store/poses";
import * as state from "../../store/state";
import { FieldRow } from "../form/fields";
import { Notes, type MethodPanel } from "../form/form";
import { CandidatesSection } from "./candidates";
import { ContactsGroup } from "./contacts";
import { EditsSection } from "./edits";
import { JointSection } from "./joint";
import { PoseGroup } from "./pose";
import "./poses.css";
import { RefinementsSection } from "./refinements";
import { SelectionSection } from "./selection";
import { DetailSection, ExaggerateSection } from "./shape";
import { TangentsSection } from "./tangents";
import { TweenSection } from "./tween";

/** Edits of all poses as plain parameters: for recipes, seldom for hands. */
const WHOLE_STEP = [
  "exaggerate", "relative_to", "overlap", "jitter", "seed", "detail", "joints", "succession", "lead", "past_end", "moves",
  "reach", "reach_help",
];

export const posesPanel: MethodPanel = {
  replaces: ["keep", "edits", "constraints", ...WHOLE_STEP],
  Above: ({ step }) => (
    <>
      <PoseGroup step={step} />
      <div class="pose-joint"><JointSection /></div>
      <SelectionSection />
      <TweenSection step={step} />
      <ExaggerateSection step={step} />
      <RefinementsSection step={step} />
      <TangentsSection step={step} />
      <DetailSection step={step} />
      <CandidatesSection step={step} />
      <EditsSection step={step} />
      <ContactsGroup step={step} />
      <EditorNotes />
    </>
  ),
  Below: ({ step, form }) => (
    <Section id="pose-whole" title="Before all edits" caption="all poses at once" folded>
      {WHOLE_STEP.map((name) => form.fields.find((f) => f.name === name))
        .map((field) => field && <FieldRow key={field.name} {...{ step, field }} />)}
    </Section>
  ),
};

/** What the edits gave way to; the step's own notes come below all fields. */
function EditorNotes() {
  const said = new Set(state.stepResult(poses.value?.step ?? "")?.notes ?? []);
  return <Notes notes={(poses.value?.editor.notes ?? []).filter((note) => !said.has(note))} />;
}
