/** One parameter of one step, as a form shows and edits it. */

import { computed } from "@preact/signals";
import type { FormField } from "../../protocol";
import * as actions from "../../store/actions";
import { ofStep, type Editable } from "../../store/editable";
import * as state from "../../store/state";

export class Parameter {
  // Computed, so that a drag of one parameter draws no other field again.
  private readonly stored = computed(() => state.stepNamed(this.step)?.parameters?.[this.field.name]);

  constructor(readonly step: string, readonly field: FormField) {}

  /** The step's own value; undefined where it leaves the default. */
  get given(): unknown {
    return this.stored.value;
  }
  get value(): unknown {
    return this.given ?? this.field.default;
  }
  get number(): number | null {
    return typeof this.value === "number" ? this.value : null;
  }
  /** The value as a person would type it. */
  get text(): string {
    return [this.value ?? ""].flat().map((part) => String(part as string | number | boolean)).join(", ");
  }
  get changed(): boolean {
    return this.given !== undefined && JSON.stringify(this.given) !== JSON.stringify(this.field.default);
  }
  /** The value as a list of rows, whatever it is. */
  get rows(): unknown[][] {
    const listed = Array.isArray(this.value) ? (this.value as unknown[]) : [];
    return listed.map((row) => (Array.isArray(row) ? (row as unknown[]) : [row]));
  }

  set(value: unknown): void {
    if (JSON.stringify(value) !== JSON.stringify(this.given)) actions.setParameter(this.step, this.field.name, value);
  }
  reset(): void {
    if (this.given !== undefined) actions.setParameter(this.step, this.field.name, null);
  }
  /** A part of the value, for a control; `write` makes the whole value of that part. */
  editable<T>(part: T | null, write: (part: T) => unknown = (whole) => whole): Editable<T> {
    return ofStep(this.step, part, (to) => ({ parameters: { [this.field.name]: write(to) } }));
  }
}

const known = new WeakMap<FormField, Map<string, Parameter>>();

/** The parameter of a step that a field declares. */
export function parameterOf(step: string, field: FormField): Parameter {
  const ofField = known.get(field) ?? new Map<string, Parameter>();
  known.set(field, ofField);
  const made = ofField.get(step) ?? new Parameter(step, field);
  ofField.set(step, made);
  return made;
}

/** A method's parameter by name, where the method has it. */
export function namedParameter(step: string, method: string, name: string): Parameter | null {
  const field = state.methods.value.get(method)?.fields.find((f) => f.name === name);
  return field ? parameterOf(step, field) : null;
}
