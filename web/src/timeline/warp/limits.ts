/** How slow and how fast a step lets time run. */

import type { FormField, MethodForm, StepEntry } from "../../protocol";
import { askedOf, speedsOf, type Speeds } from "../../store/solver";

export type Limits = Speeds;

const RISING: Limits = { slowest: 0, fastest: Infinity };

export const fieldOf = (form: MethodForm | null, name: string): FormField | null =>
  form?.fields.find((field) => field.name === name) ?? null;

/** The speeds that the step's solver takes with the keytimes that it has now. */
export function limitsOf(step: StepEntry | null, form: MethodForm | null): Limits {
  const asked = step && askedOf(step, {}, form ?? undefined);
  return asked ? speedsOf(asked) : RISING;
}
