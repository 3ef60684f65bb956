/** Which joints edits of the inspector change: all, the selected one, a limb, or a set of one's own. */

import { computed, signal } from "@preact/signals";
import { Button, Field, IconButton, Section, Select, TextField } from "../../controls";
import * as actions from "../../store/actions";
import { LIMB_TITLES, LIMBS, limbsOf, type Limb } from "../../store/limbs";
import { keep, remembered } from "../../store/memory";
import { poses } from "../../store/poses";
import * as state from "../../store/state";
import { count } from "../../words/numbers";
import { withJoint, parseSets, type JointSets } from "./joint_sets";

/** "all", "joint", a limb, or a set as "set:NAME". */
export const jointScope = signal("all");
/** Sets that this browser kept before projects did; the first change takes them into the project. */
const older = signal<JointSets>(parseSets(remembered("joint-sets")));
export const jointSets = computed<JointSets>(() => ({ ...older.value, ...state.committed.value?.joint_sets }));

const SET = "set:";
const chosenSet = computed<string | null>(() => {
  const name = jointScope.value.startsWith(SET) ? jointScope.value.slice(SET.length) : null;
  return name !== null && name in jointSets.value ? name : null;
});

function keepSets(sets: JointSets): void {
  actions.run({ type: "set_joint_sets", sets });
  older.value = {};
  keep("joint-sets", "{}");
}

/** Joints that the poses have, without the roots' ways. */
const jointsOf = (): string[] => {
  const view = poses.value;
  return view ? view.channels.filter((_, c) => !view.isTranslation(c)) : [];
};

/** The argument that names the joints; without one an edit changes all. */
export function scopedJoints(): { joints?: string[] } {
  const [view, header, scope] = [poses.value, state.source.value?.header, jointScope.value];
  if (!view || !header || scope === "all") return {};
  const selected = state.selectedJoint.value;
  if (scope === "joint") return selected === null ? {} : { joints: [header.joints[selected]!] };
  const name = chosenSet.value;
  const limbs = limbsOf(header);
  const all = jointsOf();
  const joints = name !== null
    ? all.filter((joint) => jointSets.value[name]!.includes(joint))
    : all.filter((joint) => limbs[header.joints.indexOf(joint)] === (scope as Limb));
  return joints.length ? { joints } : {};
}

export function jointsText(): string {
  const { joints } = scopedJoints();
  if (!joints) return "all joints";
  return joints.length === 1 ? joints[0]! : (chosenSet.value ?? count(joints.length, "joint"));
}

export function JointsSelect() {
  const sets = Object.keys(jointSets.value);
  return (
    <Select
      label="Which joints" value={chosenSet.value === null && jointScope.value.startsWith(SET) ? "all" : jointScope.value}
      options={[{ value: "all", label: "All joints" }, { value: "joint", label: "Selected joint" }]}
      groups={[
        { heading: "Limbs", options: LIMBS.map((limb) => ({ value: limb, label: LIMB_TITLES[limb] })) },
        ...(sets.length ? [{ heading: "Sets", options: sets.map((name) => ({ value: SET + name, label: name })) }] : []),
      ]}
      onChange={(value) => (jointScope.value = value)}
    />
  );
}

/** Selection sets: chosen, made, named and removed. They are part of the project. */
export function SelectionSection() {
  const name = chosenSet.value;
  const add = (): void => {
    const free = Array.from({ length: 99 }, (_, n) => `Set ${n + 1}`).find((n) => !(n in jointSets.value));
    if (free === undefined) return;
    keepSets({ ...jointSets.value, [free]: scopedJoints().joints ?? [] });
    jointScope.value = SET + free;
  };
  return (
    <Section
      id="pose-selection" title="Selection" caption={jointsText()}
      actions={<IconButton icon="plus" label="Make a set of these joints" onClick={add} />}
    >
      <Field label="Joints"><JointsSelect /></Field>
      {name !== null && <SetEditor name={name} />}
    </Section>
  );
}

function SetEditor({ name }: { name: string }) {
  const chosen = jointSets.value[name]!;
  const rename = (to: string): void => {
    if (!to || to === name || to in jointSets.value) return;
    const { [name]: joints, ...rest } = jointSets.value;
    keepSets({ ...rest, [to]: joints! });
    jointScope.value = SET + to;
  };
  const remove = (): void => {
    const { [name]: _, ...rest } = jointSets.value;
    jointScope.value = "all";
    keepSets(rest);
  };
  return (
    <>
      <Field label="Name">
        <span class="pose-set-name">
          <TextField label="Name of the set" value={name} onChange={rename} />
          <Button class="button small" onClick={remove}>Remove</Button>
        </span>
      </Field>
      <ul class="pose-set" aria-label={`Joints of ${name}`}>
        {jointsOf().map((joint) => (
          <li key={joint}>
            <label>
              <input
                type="checkbox" checked={chosen.includes(joint)}
                onChange={() => keepSets(withJoint(jointSets.value, name, joint))}
              />
              {joint}
            </label>
          </li>
        ))}
      </ul>
    </>
  );
}
