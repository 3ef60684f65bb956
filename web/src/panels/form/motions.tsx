/** Which motion a step uses: none, one of the project's, or a file or folder of the library. */

import { useSignal } from "@preact/signals";
import { IconButton, type Option, Select, TextField } from "../../controls";
import type { FormField } from "../../protocol";
import * as state from "../../store/state";
import type { Parameter } from "./parameter";

/** How a parameter names one of the project's own motions, as in retime/studio/project.py. */
export const OWN_MOTION = "motion:";
const PATH = "path";
const NONE = "";

/** One list for a motion; for several, one each and an empty one to add. */
export function MotionField({ parameter }: { parameter: Parameter }) {
  const { field } = parameter;
  const adding = useSignal(false);
  const many = field.kind === "motions";
  const chosen = [parameter.value].flat().filter((v): v is string => typeof v === "string" && v !== NONE);
  const set = (at: number, value: string): void => {
    adding.value = false;
    const kept = [...chosen.slice(0, at), value, ...chosen.slice(at + 1)].filter((v) => v !== NONE);
    if (!kept.length) parameter.reset();
    else parameter.set(many ? kept : kept[0]);
  };
  const shown = adding.value || !chosen.length ? [...chosen, NONE] : chosen;
  return (
    <span class="motion-field">
      {shown.map((value, k) => <MotionChoice key={k} {...{ field, value }} onChange={(to) => set(k, to)} />)}
      {many && chosen.length > 0 && (
        <IconButton icon="plus" label={`Another ${field.label.toLowerCase()}`} onClick={() => (adding.value = true)} />
      )}
    </span>
  );
}

function MotionChoice(
  { field, value, onChange }: { field: FormField; value: string; onChange(value: string): void },
) {
  const typing = useSignal(false);
  const isPath = value !== NONE && !value.startsWith(OWN_MOTION);
  const byPath = typing.value || isPath;
  const choose = (picked: string): void => {
    typing.value = picked === PATH;
    if (picked !== PATH) onChange(picked);
  };
  const type = (path: string): void => {
    typing.value = false;
    onChange(path);
  };
  const shown = isItself(field, value) ? NONE : value;
  return (
    <span class="motion-choice">
      <Select label={field.label} options={optionsOf(field)} value={byPath ? PATH : shown} onChange={choose} />
      {byPath && (
        <TextField
          label={`${field.label}, path under the root`} value={isPath ? value : ""} placeholder="library/walks"
          title={`Under ${state.welcome.value?.root ?? "the root"}`} onChange={type}
        />
      )}
    </span>
  );
}

/** What a field offers: the motion that is retimed once, by what it is there and not by its name. */
export function optionsOf(field: FormField): Option[] {
  const none = { value: NONE, label: field.name === "reference" ? "This motion" : "None" };
  return [
    ...(field.required ? [] : [none]),
    ...motionOptions().filter(({ value }) => !isItself(field, value)),
    { value: PATH, label: "A file or folder" },
  ];
}

/** A reference that is the retimed motion itself is none: the method takes it anyway. */
const isItself = (field: FormField, value: string): boolean =>
  field.name === "reference" && !field.required && value === `${OWN_MOTION}${state.project.value?.source ?? ""}`;

/** The project's motions, as values a parameter takes. */
export const motionOptions = (): Option[] =>
  Object.entries(state.committed.value?.motions ?? {}).map(([id, motion]) => ({
    value: OWN_MOTION + id, label: motion.name,
  }));
