/** Numbers of a surface key: a slider with a typed field, shown at once while they are dragged. */

import * as actions from "../store/actions";
import * as state from "../store/state";
import { changeSurface, surfaceKeys, type SurfaceChanges, type SurfaceKey } from "../store/surface";
import { element, type Child } from "./dom";
import { number } from "./format";
import { numberField } from "./number";
import { slider } from "./slider";

export interface KeyNumber {
  /** By which tests and the keyboard find it. */
  name: string;
  label: string;
  help: string;
  unit: string;
  bounds: [number, number];
  minimum?: number;
  step?: number;
  value(key: SurfaceKey): number;
  change(key: SurfaceKey, value: number): SurfaceChanges;
  spoken?(value: number): string;
}

/** A line of its own for the slider where there are words to put under it. */
export function keyNumber(index: number, of: KeyNumber, under: Child = null): HTMLElement {
  const key = (): SurfaceKey | undefined => surfaceKeys.value[index];
  const set = (value: number, preview: boolean): void => {
    const now = key();
    if (!now) return;
    const same = Math.abs(of.value(now) - value) < 1e-9 && !state.pending.value;
    if (!same) changeSurface(index, of.change(now, actions.round(value)), preview);
  };
  const shared = {
    label: of.label,
    value: () => (key() ? of.value(key()!) : null),
    step: of.step ?? 0.01,
    preview: (value: number) => set(value, true),
    commit: (value: number) => set(value, false),
    discard: () => actions.discard(),
  };
  const sliding = slider({
    ...shared, bounds: () => of.bounds, spoken: of.spoken ?? ((value) => `${number(value)} ${of.unit}`),
  });
  const typing = numberField({ ...shared, unit: of.unit, minimum: of.minimum });
  const typed = element("span", { className: "field-value" }, typing);
  const made = keyField(of.name, of.label, of.help, ...(under ? [typed, sliding, under] : [sliding, typed]));
  made.classList.toggle("wide", under !== null);
  return made;
}

/** A labelled row with any control. */
export function keyField(name: string, label: string, help: string, ...controls: Child[]): HTMLElement {
  return element(
    "div",
    { className: "field", data: { surface: name } },
    element("span", { className: "field-label" }, element("span", { className: "field-name", textContent: label })),
    ...controls,
    element("p", { className: "field-help", textContent: help }),
  );
}
