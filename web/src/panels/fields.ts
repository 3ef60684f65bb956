/** The form of any method: each kind of field has one control, made from its declaration alone. */

import type { FormField } from "../protocol";
import { iconButton, select, toggle } from "./controls";
import { element, shown, watch, type Child } from "./dom";
import { jointsField } from "./joints";
import { keytimesField } from "./keytimes";
import { motionField } from "./motionfield";
import { numberControl } from "./numberfield";
import { Parameter } from "./parameter";
import { numberLook } from "./presentation";
import { rangeField } from "./rangefield";
import { rowsField } from "./rows";

/** A field with its label, its control and its help. */
export function fieldRow(step: string, field: FormField): HTMLElement {
  const parameter = new Parameter(step, field);
  switch (field.kind) {
    case "keytimes":
      return keytimesField(parameter);
    case "pairs":
    case "rows":
      return rowsField(parameter);
    case "number":
    case "integer":
      return row(parameter, numberControl(parameter), numberLook(field).wide ? "field wide" : "field");
    case "flag":
      return row(parameter, [toggle(field.label, () => parameter.value === true, (on) => parameter.commit(on))]);
    case "choice":
      return row(parameter, [choice(parameter)]);
    case "range":
      return row(parameter, rangeField(parameter));
    case "motion":
    case "motions":
      return row(parameter, [motionField(parameter)]);
    case "joints":
      return row(parameter, [jointsField(parameter)]);
    case "text":
      return row(parameter, [textControl(parameter)]);
    case "data":
      return row(parameter, [element("span", { className: "caption", textContent: "Set in the recipe file" })]);
  }
}

function row(parameter: Parameter, control: Child[], className = "field"): HTMLElement {
  return element(
    "div",
    { className, data: { field: parameter.field.name } },
    label(parameter),
    ...control,
    help(parameter),
  );
}

export function label(parameter: Parameter): HTMLElement {
  const { field } = parameter;
  const reset = iconButton("reset", `Reset ${field.label}`, () => parameter.reset());
  return element(
    "span",
    { className: "field-label" },
    element("span", { className: "field-name", textContent: field.label, title: field.help }),
    shown(() => parameter.changed, reset),
  );
}

/** Help under a field, shown when the inspector's help is on. */
export const help = ({ field }: Parameter): HTMLElement =>
  element("p", { className: "field-help", textContent: field.help });

function choice(parameter: Parameter): HTMLElement {
  const { field } = parameter;
  const options = field.choices.map((value) => ({ value, label: value.charAt(0).toUpperCase() + value.slice(1) }));
  return select(field.label, () => options, () => String(parameter.value ?? ""), (value) => parameter.commit(value));
}

function textControl(parameter: Parameter): HTMLElement {
  const input = element("input", { type: "text", className: "text", ariaLabel: parameter.field.label });
  input.placeholder = parameter.field.metavar ?? "";
  const written = (): string => {
    const value = parameter.value;
    if (value === null || value === undefined) return "";
    return Array.isArray(value) ? value.join(", ") : String(value);
  };
  watch(() => {
    const text = written();
    if (document.activeElement !== input) input.value = text;
  });
  input.onchange = () => (input.value.trim() ? parameter.commit(input.value.trim()) : parameter.reset());
  input.onkeydown = (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    input.value = written();
    input.blur();
  };
  return input;
}
