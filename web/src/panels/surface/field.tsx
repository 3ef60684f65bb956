/** Numbers of a surface key: a slider with a typed field. */

import type { ComponentChildren } from "preact";
import { Amount, Field } from "../../controls";
import * as actions from "../../store/actions";
import { ofStep, type Editable } from "../../store/editable";
import * as state from "../../store/state";
import { surfaceChange, surfaceKeys, type SurfaceChanges, type SurfaceKey } from "../../store/surface";
import { number } from "../../words/numbers";

export interface KeyNumber {
  /** By which tests and the keyboard find it. */
  name: string;
  label: string;
  help: string;
  unit: string;
  bounds: [number, number];
  minimum?: number;
  value(key: SurfaceKey): number;
  change(key: SurfaceKey, value: number): SurfaceChanges;
  spoken?(value: number): string;
}

/** A value of a surface key of the edited step, for a control. */
export const ofKey = (
  index: number, value: number | null, changeOf: (key: SurfaceKey, to: number) => SurfaceChanges,
): Editable<number> =>
  ofStep(state.step.value?.id ?? "", value, (to) => {
    const key = surfaceKeys.value[index];
    return key ? surfaceChange(index, changeOf(key, actions.round(to))) : null;
  });

/** A number of a key; captions under its slider give it a line of its own. */
export function KeyNumberField(
  { index, of, captions }: { index: number; of: KeyNumber; captions?: ComponentChildren },
) {
  const { name, label, help, unit, bounds, minimum, spoken = (v: number) => `${number(v)} ${unit}` } = of;
  const key = surfaceKeys.value[index];
  const edit = ofKey(index, key ? of.value(key) : null, of.change);
  const wide = captions !== undefined;
  return (
    <Field {...{ label, help, wide }} data-surface={name}>
      <Amount {...{ label, edit, unit, bounds, minimum, spoken, wide, captions }} />
    </Field>
  );
}
