/** One parameter of one step, as a field edits it: previewed while it is dragged, kept once it is let go. */

import type { FormField } from "../protocol";
import * as actions from "../store/actions";
import * as state from "../store/state";

/** How a control says what is being done to a value. */
export interface Editing<T> {
  preview(value: T): void;
  commit(value: T): void;
  discard(): void;
}

export class Parameter implements Editing<unknown> {
  constructor(
    readonly step: string,
    readonly field: FormField,
  ) {}

  /** What the step says; undefined where it leaves the default. */
  get given(): unknown {
    return state.steps.value.find((s) => s.id === this.step)?.parameters?.[this.field.name];
  }
  get value(): unknown {
    return this.given ?? this.field.default;
  }
  get number(): number | null {
    return typeof this.value === "number" ? this.value : null;
  }
  get changed(): boolean {
    return this.given !== undefined && JSON.stringify(this.given) !== JSON.stringify(this.field.default);
  }
  /** The value as a list of rows, whatever it is. */
  get rows(): unknown[][] {
    const listed = Array.isArray(this.value) ? (this.value as unknown[]) : [];
    return listed.map((row) => (Array.isArray(row) ? (row as unknown[]) : [row]));
  }

  preview(value: unknown): void {
    actions.previewParameter(this.step, this.field.name, value);
  }
  commit(value: unknown): void {
    if (JSON.stringify(value) === JSON.stringify(this.given) && !state.pending.value) return;
    actions.setParameter(this.step, this.field.name, value);
  }
  discard(): void {
    actions.discard();
  }
  reset(): void {
    if (this.given !== undefined) actions.setParameter(this.step, this.field.name, null);
  }
}

/** A method's field by name, where it has one. */
export function parameterOf(step: string, method: string, name: string): Parameter | null {
  const field = state.methods.value.get(method)?.fields.find((f) => f.name === name);
  return field ? new Parameter(step, field) : null;
}
