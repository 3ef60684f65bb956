/** Tween tools: a pose led toward another one, mirrored, and eased. */

import { signal } from "@preact/signals";
import { Button, Captions, classes, Field, NumberField, Section, Select, Slider } from "../../controls";
import { choicesOf, labelOf, optionsOf } from "../../store/choices";
import { ofStep } from "../../store/editable";
import { addEdits, editChange, editsOf, goingOn, onLayer, poseWhen, type PoseEdit } from "../../store/poses";
import * as state from "../../store/state";
import { titled } from "../../words/numbers";
import { openEase } from "./ease";
import { freePose, scopedPoses, ScopeSegments, scopeText } from "./scope";
import { jointsText, scopedJoints } from "./selection";
import { toolShown } from "./tool";

const toward = signal("neighbours");

function tween(percent: number): PoseEdit {
  const chosen = scopedPoses();
  const when = chosen.poses && poseWhen.value === "pose" ? { when: "pose" } : {};
  return {
    do: "tween", share: percent / 100, toward: toward.value, ...chosen, ...scopedJoints(), ...when, ...onLayer(),
  };
}

export function TweenSection({ step }: { step: string }) {
  const percent = Math.round(100 * (goingOn(editsOf(state.stepNamed(step)), tween(0), "share") ?? 0));
  const label = "Tween";
  const why = freePose() === null ? "Select a pose between the first and the last" : "";
  const [poses, eases] = [choicesOf("tween", "tweens"), choicesOf("tween", "eases")];
  const words = (of: number): string => `${of} % toward ${labelOf(poses, toward.value).toLowerCase()}`;
  const edit = ofStep(step, percent, (to) => editChange(step, tween(to)), (to) => {
    state.announcement.value = `Blended ${words(to)}, ${scopeText()}, ${jointsText()}.`;
  });
  const mirror = (): void => {
    const pose = freePose();
    if (pose === null) return;
    addEdits(step, { do: "mirror", pose, ...scopedJoints(), ...onLayer() });
    state.announcement.value = `Left and right of pose ${pose + 1} are exchanged.`;
  };
  return (
    <Section id="pose-tween" title={label} caption={`${scopeText()}, ${jointsText()}`}>
      <div class="field wide">
        <Select
          label="Tween toward" options={optionsOf(poses)} value={toward.value}
          onChange={(name) => (toward.value = name)}
        />
        <NumberField {...{ label, edit }} unit="%" whole step={1} minimum={-300} maximum={300} />
        <Slider {...{ label, edit }} step={1} bounds={[-50, 150]} spoken={words} />
        <Captions words={["Away", words(percent), "Past it"]} />
      </div>
      <Field label="Of"><ScopeSegments /></Field>
      <div class="pose-tools">
        <Button disabled={why !== ""} title={why || "Exchange left and right"} onClick={mirror}>Mirror</Button>
      </div>
      <div class="pose-tools">
        {eases.map((ease) => (
          <Button
            key={ease.value} class={classes("button", toolShown.value?.title === ease.label && "on")}
            disabled={why !== ""} title={why || titled(ease.help)} onClick={() => openEase(step, ease)}
          >
            {ease.label}
          </Button>
        ))}
      </div>
    </Section>
  );
}
