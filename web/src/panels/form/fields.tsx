/** The form of any method: each kind of field has one control, made from its declaration alone. */

import type { ComponentChildren } from "preact";
import { Field, Select, Switch, TextField } from "../../controls";
import type { FormField } from "../../protocol";
import { optionsOf } from "../../store/choices";
import { JointsField } from "./joints";
import { KeytimesField } from "./keytimes";
import { MotionField } from "./motions";
import { ParameterNumber } from "./number";
import { parameterOf, type Parameter } from "./parameter";
import { isWide } from "./presentation";
import { RangeField } from "./range";
import { RowsField } from "./rows";

/** A field with its label, its control and its help. */
export function FieldRow({ step, field }: { step: string; field: FormField }) {
  const parameter = parameterOf(step, field);
  if (field.kind === "keytimes") return <KeytimesField parameter={parameter} />;
  if (field.kind === "pairs" || field.kind === "rows") return <RowsField parameter={parameter} />;
  return <ParameterField parameter={parameter} wide={isWide(field)}><Control parameter={parameter} /></ParameterField>;
}

interface ParameterFieldProps {
  parameter: Parameter;
  wide?: boolean;
  class?: string;
  style?: Record<string, number>;
  children: ComponentChildren;
}

/** A row of the form with the label, help and reset button of a parameter. */
export function ParameterField({ parameter, ...rest }: ParameterFieldProps) {
  const { label, help, name } = parameter.field;
  const reset = parameter.changed ? () => parameter.reset() : null;
  return <Field {...{ label, help, reset }} data-field={name} {...rest} />;
}

function Control({ parameter }: { parameter: Parameter }) {
  const { kind, label, choices } = parameter.field;
  const set = (value: unknown): void => parameter.set(value);
  switch (kind) {
    case "number":
    case "integer":
      return <ParameterNumber parameter={parameter} />;
    case "flag":
      return <Switch label={label} on={parameter.value === true} onChange={set} />;
    case "choice":
      return <Select label={label} options={optionsOf(choices)} value={parameter.text} onChange={set} />;
    case "range":
      return <RangeField parameter={parameter} />;
    case "motion":
    case "motions":
      return <MotionField parameter={parameter} />;
    case "joints":
      return <JointsField parameter={parameter} />;
    case "text":
      return <ParameterText parameter={parameter} />;
    default:
      return <span class="caption">{givenWords(parameter)}</span>;
  }
}

/** Data that no field can show: where it comes from, or where it is edited. */
const givenWords = ({ field, changed }: Parameter): string =>
  field.name === "contacts" && !changed ? "Edit the bars in the Warp tab" : "Given by the recipe";

function ParameterText({ parameter }: { parameter: Parameter }) {
  const { field, text } = parameter;
  const keep = (typed: string): void => (typed ? parameter.set(typed) : parameter.reset());
  return <TextField label={field.label} value={text} placeholder={field.metavar ?? ""} onChange={keep} />;
}
