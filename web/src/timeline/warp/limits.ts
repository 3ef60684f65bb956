/** How slow and how fast a step lets time run. */

import type { FormField, MethodForm, StepEntry } from "../../protocol";

export interface Limits {
  slowest: number;
  /** Infinite where time has only to rise. */
  fastest: number;
}

/** Bounds that a solver keeps although its form has no field for them. */
const SOLVER_LIMITS: Readonly<Record<string, Limits>> = { physics: { slowest: 0.05, fastest: 6 } };
const RISING: Limits = { slowest: 0, fastest: Infinity };

export const fieldOf = (form: MethodForm | null, name: string): FormField | null =>
  form?.fields.find((field) => field.name === name) ?? null;

export function limitsOf(step: StepEntry | null, form: MethodForm | null): Limits {
  const fallback = SOLVER_LIMITS[step?.method ?? ""] ?? RISING;
  const value = (name: string): number | null => {
    const given = step?.parameters?.[name] ?? fieldOf(form, name)?.default;
    return typeof given === "number" ? given : null;
  };
  return { slowest: value("min_speed") ?? fallback.slowest, fastest: value("max_speed") ?? fallback.fastest };
}
