/** The menu that adds a step; what a method cannot do without is chosen first. */

import type { ComponentChildren } from "preact";
import { type IconName, MenuButton, type MenuRow, openMenu } from "../../controls";
import type { FormField, MethodForm } from "../../protocol";
import * as actions from "../../store/actions";
import * as state from "../../store/state";
import { addSurfaceAt } from "../../store/surface";
import { motionOptions, OWN_MOTION } from "../form/motions";
import { METHOD_GROUPS } from "../form/presentation";
import { chooseFiles } from "../motions/files";

/** A lone icon, or a button with words. */
export const AddStep = ({ children }: { children?: ComponentChildren }) => (
  <MenuButton
    label="Add a step" rows={methodRows} {...(children ? { children, class: "button" } : { icon: "plus" })}
    disabled={state.link.value !== "open" || !state.committed.value?.source}
  />
);

/** All methods by group; those that only a recipe file can fill are left out. */
function methodRows(): MenuRow[] {
  const offered = [...state.methods.value.values()].filter(
    (form) => !form.fields.some((f) => f.required && f.kind === "data"),
  );
  const grouped = new Set(METHOD_GROUPS.flatMap(({ methods }) => methods));
  const groups = METHOD_GROUPS.map(({ heading, methods }) => ({
    heading, forms: methods.flatMap((name) => offered.filter((form) => form.name === name)),
  }));
  groups.push({ heading: "Others", forms: offered.filter((form) => !grouped.has(form.name)) });
  return groups.flatMap(({ heading, forms }) => (forms.length ? [{ heading }, ...forms.map(methodItem)] : []));
}

function methodItem(form: MethodForm): MenuRow {
  const needed = form.fields.find((f) => f.required);
  return {
    label: form.title,
    icon: form.name as IconName,
    note: form.summary,
    run: (at) => {
      if (form.name === "surface") addSurfaceAt(state.time.value); // without a key it has nothing to do
      else if (needed) chooseFirst(form, needed, at);
      else add(form.name, {});
    },
  };
}

/** Ask for a motion that the method needs, where the menu was. */
function chooseFirst(form: MethodForm, needed: FormField, at: DOMRect): void {
  const source = OWN_MOTION + (state.project.value?.source ?? "");
  const options = motionOptions().filter((o) => o.value !== source);
  const rows: MenuRow[] = options.length
    ? options.map((o) => ({ label: o.label, icon: "file", run: () => add(form.name, { [needed.name]: o.value }) }))
    : [{ label: "Open another motion first", icon: "folder", run: chooseFiles }];
  openMenu(at, form.title, [{ heading: needed.help }, ...rows]);
}

/** After the selected step: a step acts on what those before it made. */
function add(method: string, parameters: Record<string, unknown>): void {
  const place = state.steps.value.findIndex((s) => s.id === state.selectedStep.value);
  actions.addStep({ method, parameters }, place < 0 ? undefined : place + 1);
}
