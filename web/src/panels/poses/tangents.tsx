/** Tangents: how fast splines come to a pose and go from it, by shape and by numbers. */

import { Button, Field, NumberField, Section } from "../../controls";
import { ofStep } from "../../store/editable";
import { addEdits, editChange, onLayer, poseLayer, poses, type PoseEdit } from "../../store/poses";
import * as state from "../../store/state";
import { titled } from "../../words/numbers";
import { freePose, scopedPoses, ScopeSegments, scopeText } from "./scope";
import { jointsText, scopedJoints } from "./selection";

const SHAPES = ["flat", "smooth", "linear"] as const;
const SIDES = ["arrive", "leave"] as const;

export function TangentsSection({ step }: { step: string }) {
  const shape = (name: (typeof SHAPES)[number]): void => {
    addEdits(step, { do: "shape_tangents", shape: name, ...scopedPoses(), ...scopedJoints(), ...onLayer() });
    state.announcement.value = `${titled(name)} tangents, ${scopeText()}, ${jointsText()}.`;
  };
  return (
    <Section id="pose-tangents" title="Tangents" caption={`${scopeText()}, ${jointsText()}`} folded>
      <div class="pose-tools">
        {SHAPES.map((name) => <Button key={name} onClick={() => shape(name)}>{titled(name)}</Button>)}
      </div>
      <Field label="Of"><ScopeSegments /></Field>
      <TangentFields step={step} />
    </Section>
  );
}

/** Speeds of the selected joint at the selected pose, degrees a second. */
function TangentFields({ step }: { step: string }) {
  const [view, k, joint] = [poses.value, freePose(), state.selectedJoint.value];
  const channel = view && joint !== null ? view.channelOf(joint) : null;
  const now = view && k !== null && channel !== null ? view.tangents(k, channel) : null;
  if (poseLayer.value > 0) return <p class="field caption pose-note">Speeds are those of the motion itself.</p>;
  if (!view || k === null || channel === null || !now)
    return <p class="field caption pose-note">Select a pose and a joint to see its speeds.</p>;
  const name = view.channels[channel]!;
  return (
    <>
      {SIDES.map((side) => (
        <Field key={side} label={`${titled(side)}, °/s`}>
          <span class="pose-target">
            {["x", "y", "z"].map((axis, n) => (
              <NumberField
                key={axis} label={`${titled(side)} ${axis}, degrees a second`} step={1} digits={0}
                edit={ofStep(step, now[side][n]!, (to: number) => {
                  const after = { ...now, [side]: now[side].map((v, at) => (at === n ? to : v)) };
                  const [arrive, leave] = SIDES.map((s) => after[s].map((v) => Number(v.toFixed(3))));
                  const made: PoseEdit = { do: "set_tangents", pose: k, joint: name, arrive, leave };
                  return editChange(step, made);
                })}
              />
            ))}
          </span>
        </Field>
      ))}
    </>
  );
}
