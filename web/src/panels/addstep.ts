/** The menu that adds a step; what a method cannot do without is chosen first. */

import type { FormField, MethodForm } from "../protocol";
import * as actions from "../store/actions";
import * as state from "../store/state";
import { iconButton } from "./controls";
import { element, watch } from "./dom";
import type { IconName } from "./icons";
import { motionOptions } from "./motionfield";
import { attachMenu, openMenu, type MenuRow } from "./popover";
import { METHOD_GROUPS } from "./presentation";

export function addStepButton(): HTMLElement {
  const made = iconButton("plus", "Add a step", () => undefined);
  attachMenu(made, "Add a step", () => methodRows(made));
  watch(() => {
    made.disabled = state.link.value !== "open" || !state.project.value?.source;
  });
  return made;
}

/** All methods by group; those that only a recipe file can fill are left out. */
function methodRows(anchor: HTMLElement): MenuRow[] {
  const left = new Map(state.methods.value);
  for (const form of left.values())
    if (form.fields.some((f) => f.required && f.kind === "data")) left.delete(form.name);
  const groups = METHOD_GROUPS.map(({ heading, methods }) => ({
    heading,
    forms: methods.map((name) => take(left, name)).filter((form) => form !== undefined),
  }));
  groups.push({ heading: "Others", forms: [...left.values()] });
  return groups.flatMap(({ heading, forms }) =>
    forms.length ? [{ heading }, ...forms.map((form) => methodItem(form, anchor))] : [],
  );
}

function take(forms: Map<string, MethodForm>, name: string): MethodForm | undefined {
  const form = forms.get(name);
  forms.delete(name);
  return form;
}

function methodItem(form: MethodForm, anchor: HTMLElement): MenuRow {
  const needed = form.fields.find((f) => f.required);
  return {
    label: form.title,
    icon: form.name as IconName,
    note: form.summary,
    run: () => (needed ? chooseFirst(form, needed, anchor) : add(form.name, {})),
  };
}

function chooseFirst(form: MethodForm, needed: FormField, anchor: HTMLElement): void {
  const source = `motion:${state.project.value?.source ?? ""}`;
  const options = motionOptions().filter((o) => o.value !== source);
  const rows: MenuRow[] = options.length
    ? options.map((o) => ({ label: o.label, icon: "file", run: () => add(form.name, { [needed.name]: o.value }) }))
    : [{ label: "Open another motion first", icon: "folder", run: chooseFiles }];
  openMenu(anchor.getBoundingClientRect(), form.title, [{ heading: needed.help }, ...rows]);
}

/** After the selected step: a step acts on what those before it made. */
function add(method: string, parameters: Record<string, unknown>): void {
  const place = state.steps.value.findIndex((s) => s.id === state.selectedStep.value);
  actions.addStep({ method, parameters }, place < 0 ? undefined : place + 1);
}

/** Ask the browser for files and bring them in. */
export function chooseFiles(): void {
  const formats = state.welcome.value?.formats ?? [];
  const input = element("input", { type: "file", multiple: true });
  input.accept = [...formats.map((f) => (f.startsWith(".") ? f : `.${f}`)), ".json", "audio/*"].join();
  input.onchange = () => void actions.upload(input.files ?? []);
  input.click();
}
