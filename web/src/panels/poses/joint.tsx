/** The joint that is edited at a pose: how near it came to its target, and the target as numbers. */

import { Button, Field, NumberField, Section, Segments } from "../../controls";
import * as actions from "../../store/actions";
import { choicesOf, optionsOf } from "../../store/choices";
import { ofStep } from "../../store/editable";
import { reachHelp } from "../../store/poses";
import * as state from "../../store/state";
import {
  editedJoint, editedPose, isReaching, jointLabel, onPose, reachChange, target, type EditedJoint,
} from "../../viewport/poses/pose_edit";
import type { Point } from "../../viewport/poses/pose_math";
import { chainTo, missWords } from "../../viewport/poses/pose_miss";

const CHOOSE = "Click a yellow point in the view to edit that joint. Hands, feet, head, elbows and knees move, other joints turn.";
const OUTSIDE = "This pose lies outside the step's range: it stays as it is.";

export function JointSection() {
  const edited = editedJoint.value;
  const header = state.source.value?.header;
  if (!editedPose.value || !header) return null;
  if (!edited) return <Section id="pose-joint" title="Joint"><Note>{CHOOSE}</Note></Section>;
  const reaching = edited.handle === "ik" && isReaching.value;
  return (
    <Section id="pose-joint" title={jointLabel(header, edited.joint)} caption={reaching ? missWords.value : ""}>
      {edited.free ? <JointFields edited={edited} /> : <Note>{OUTSIDE}</Note>}
      {!onPose.value && (
        <div class="field">
          <span class="field-label">The playhead is not on the pose.</span>
          <span class="field-value"><Button class="button small" onClick={goToPose}>Go to it</Button></span>
        </div>
      )}
    </Section>
  );
}

const Note = ({ children }: { children: string }) => <p class="field caption pose-note">{children}</p>;

function JointFields({ edited }: { edited: EditedJoint }) {
  if (edited.handle === "ik") return <><Target edited={edited} /><Help /><Chain edited={edited} /></>;
  const why = edited.reaches ? "" : " Inverse kinematics moves hands, feet, head, elbows and knees.";
  return <Note>{`Drag a ring in the view to turn it about an axis of the world.${why}`}</Note>;
}

function Target({ edited }: { edited: EditedJoint }) {
  const moved = (axis: number, value: number): Point | null =>
    target.value && (target.value.map((v, k) => (k === axis ? value : v)) as unknown as Point);
  return (
    <Field label="Target, m">
      <span class="pose-target">
        {["x", "y", "z"].map((name, axis) => (
          <NumberField
            key={name} label={`Target ${name}, metres`} step={0.005}
            edit={ofStep(edited.step, target.value?.[axis] ?? null, (value: number) => {
              const to = moved(axis, value);
              return to && reachChange(edited, to);
            })}
          />
        ))}
      </span>
    </Field>
  );
}

/** What helps to reach. */
const Help = () => (
  <Field label="Helps">
    <Segments
      label="What helps to reach" options={optionsOf(choicesOf("stagger", "reach_help"))} value={reachHelp.value}
      onChange={(value) => (reachHelp.value = value as typeof reachHelp.value)}
    />
  </Field>
);

/** Which joints follow: from the shoulder or the hip to the joint. */
function Chain({ edited: { joint } }: { edited: EditedJoint }) {
  const header = state.source.value!.header;
  if (reachHelp.value !== "limb") return null;
  const chain = chainTo(header, joint);
  const plain = (j: number): string => jointLabel(header, j).replace(/^(Left|Right) /, "");
  const words = chain.length > 1 ? `${jointLabel(header, chain[0]!)} to ${plain(chain.at(-1)!)}` : plain(joint);
  const title = chain.map((j) => header.joints[j]).join(" → ");
  return <Field label="Chain"><span class="caption" title={title}>{words}</span></Field>;
}

function goToPose(): void {
  state.playing.value = false;
  if (editedPose.value) actions.seek(editedPose.value.at);
}
