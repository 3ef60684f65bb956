/** Which motion a step looks at: none, one of the project's, or a file or folder of the library. */

import { signal } from "@preact/signals-core";
import type { FormField } from "../protocol";
import * as state from "../store/state";
import { iconButton, select, type Option } from "./controls";
import { element, rebuild, shown, watch } from "./dom";
import type { Parameter } from "./parameter";

/** How a parameter names one of the project's own motions, as in retime/studio/project.py. */
export const OWN_MOTION = "motion:";
const PATH = "path";
const NONE = "";

/** One chooser for a motion; for several, one each and an empty one to add. */
export function motionField(parameter: Parameter): HTMLElement {
  const many = parameter.field.kind === "motions";
  const chosen = (): string[] => {
    const value = parameter.value;
    const listed = Array.isArray(value) ? (value as unknown[]) : [value];
    return listed.filter((v): v is string => typeof v === "string" && v !== NONE);
  };
  const set = (at: number, value: string): void => {
    const next = chosen();
    if (value === NONE) next.splice(at, 1);
    else next[at] = value;
    if (!next.length) parameter.reset();
    else parameter.commit(many ? next : next[0]);
  };
  const extra = signal(0);
  const host = element("span", { className: "motion-field" });
  rebuild(host, () => `${Math.max(1, chosen().length + extra.value)} ${chosen().length > 0}`, (key) => {
    const count = parseInt(key);
    return [
    ...Array.from({ length: count }, (_, k) => chooser(parameter, () => chosen()[k] ?? NONE, (value) => {
      extra.value = 0;
      set(k, value);
    })),
    many && chosen().length
      ? iconButton("plus", `Another ${parameter.field.label.toLowerCase()}`, () => (extra.value = 1))
      : null,
    ];
  });
  return host;
}

function chooser(parameter: Parameter, value: () => string, set: (value: string) => void): HTMLElement {
  const { field } = parameter;
  const typing = signal(false);
  const isPath = (): boolean => value() !== NONE && !value().startsWith(OWN_MOTION);
  const shownValue = (): string => {
    if (typing.value || isPath()) return PATH;
    return isItself(field, value()) ? NONE : value();
  };
  const list = select(field.label, () => optionsOf(field), shownValue, (picked) => {
    typing.value = picked === PATH;
    if (picked !== PATH) set(picked);
  });
  const path = element("input", { type: "text", className: "text", ariaLabel: `${field.label}, path under the root` });
  path.placeholder = "library/walks";
  path.title = `Under ${state.welcome.value?.root ?? "the root"}`;
  watch(() => {
    if (isPath() && document.activeElement !== path) path.value = value();
  });
  path.onchange = () => {
    typing.value = false;
    set(path.value.trim());
  };
  return element("span", { className: "motion-choice" }, list, shown(() => typing.value || isPath(), path));
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
    value: OWN_MOTION + id,
    label: motion.name,
  }));
