/** Exaggeration of poses, and how much of the detail that splines leave out is kept. */

import { computed, signal, useComputed } from "@preact/signals";
import { AmountField, Captions, Field, NumberField, Section, Select, Slider, type Option } from "../../controls";
import type { FieldChoice } from "../../protocol";
import { choicesOf, labelOf, optionsOf } from "../../store/choices";
import { ofStep } from "../../store/editable";
import { LIMB_TITLES, LIMBS, limbsOf, type Limb } from "../../store/limbs";
import {
  committedEdits, detailOf, editChange, editsChange, editsOf, endTool, goingOn, onLayer, poses, poseWhen, withDetail,
  type PoseEdit,
} from "../../store/poses";
import * as state from "../../store/state";
import { number, seconds } from "../../words/numbers";
import { scopedPoses, ScopeSegments, scopeText } from "./scope";
import { jointsText, scopedJoints } from "./selection";

const words = (): FieldChoice[] => choicesOf("stagger", "relative_to");
/** One of the words, or a pose's number. */
const reference = signal("neighbours");

/** What poses can be exaggerated against: their neighbours, the mean, or any pose. */
function references(): Option[] {
  const times = Array.from(poses.value?.times ?? []);
  const numbered = times.map((t, k) => ({ value: String(k), label: `Pose ${k + 1} at ${seconds(t)}` }));
  return [...optionsOf(words()), ...numbered];
}

/** The reference as an edit names it; a pose that is gone is none. */
function against(): string | number {
  const pose = words().some(({ value }) => value === reference.value) ? null : Number(reference.value);
  if (pose === null) return reference.value;
  return pose < (poses.value?.count ?? 0) ? pose : "neighbours";
}

const referenceText = (): string => {
  const to = against();
  return typeof to === "number" ? `pose ${to + 1}` : labelOf(words(), to).toLowerCase();
};

function exaggeration(weight: number): PoseEdit {
  const chosen = scopedPoses();
  // Of one pose it is the look that was chosen above; all together are pushed by their extremes.
  const when = chosen.poses && poseWhen.value === "pose" ? { when: "pose" } : {};
  return { do: "exaggerate", weight, relative_to: against(), ...chosen, ...scopedJoints(), ...when, ...onLayer() };
}

export function ExaggerateSection({ step }: { step: string }) {
  const weight = goingOn(editsOf(state.stepNamed(step)), exaggeration(0), "weight") ?? 0;
  const label = "Exaggerate";
  const told = (of: number): string => `${number(of)} from ${referenceText()}`;
  const edit = ofStep(step, weight, (to) => editChange(step, exaggeration(to)), (to) => {
    state.announcement.value = `Exaggerated by ${told(to)}, ${scopeText()}.`;
  });
  return (
    <Section id="pose-exaggerate" title={label} caption={`${scopeText()}, ${jointsText()}`}>
      <div class="field wide">
        <Select
          label="Exaggerate relative to" options={references()} value={String(against())}
          onChange={(name) => (reference.value = name)}
        />
        <NumberField {...{ label, edit }} minimum={-10} maximum={10} />
        <Slider {...{ label, edit }} bounds={[-1, 1]} spoken={told} />
        <Captions words={["Less", told(weight), "More"]} />
      </div>
      <Field label="Of"><ScopeSegments /></Field>
    </Section>
  );
}

/** Which channels there are: results come many times a second, with the same ones. */
const channels = computed(() => `${state.source.value?.header.sha256} ${poses.value?.channels.join()}`);

/** Detail by limb: what the splines between poses leave out. */
export function DetailSection({ step }: { step: string }) {
  void channels.value;
  const [view, header] = [poses.peek(), state.source.peek()?.header];
  const limbs = header ? limbsOf(header) : [];
  const jointsOf = (limb: Limb): string[] =>
    view?.channels.filter((_, c) => !view.isTranslation(c) && limbs[view.jointOf(c)] === limb) ?? [];
  return (
    <Section id="pose-detail" title="Detail" caption="what splines leave out">
      <div class="pose-details">
        {LIMBS.map((limb) => ({ limb, joints: jointsOf(limb) })).filter(({ joints }) => joints.length).map((row) => (
          <DetailRow key={row.limb} {...{ step, ...row }} />
        ))}
      </div>
    </Section>
  );
}

function DetailRow({ step, limb, joints }: { step: string; limb: Limb; joints: string[] }) {
  const name = LIMB_TITLES[limb].toLowerCase();
  const change = (percent: number) => {
    endTool();
    return editsChange(withDetail(committedEdits(step), joints, percent / 100));
  };
  const percent = useComputed(() => Math.round(100 * detailOf(editsOf(state.stepNamed(step)), joints))).value;
  const edit = ofStep(step, percent, change, (percent) => {
    state.announcement.value = `Detail of ${name}: ${percent} %.`;
  });
  return (
    <AmountField
      name={limb === "trunk" ? "Trunk" : LIMB_TITLES[limb]} mark={<span class="swatch" data-limb={limb} />}
      label={`Detail, ${name}`} unit="%" whole step={1} minimum={0} maximum={1000} bounds={[0, 200]} edit={edit}
      spoken={(percent) => `${percent} %`}
    />
  );
}
