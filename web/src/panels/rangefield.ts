/** A part of the clip: from when to when, typed or taken from the play range. */

import * as actions from "../store/actions";
import * as state from "../store/state";
import { timeReader } from "../store/times";
import { button } from "./controls";
import { element, shown, type Child } from "./dom";
import { numberField } from "./number";
import type { Parameter } from "./parameter";

export function rangeField(parameter: Parameter): Child[] {
  const given = (): [number, number] | null =>
    Array.isArray(parameter.value) ? (parameter.value as [number, number]) : null;
  const whole = (): [number, number] => [state.source.value?.start ?? 0, state.source.value?.end ?? 1];
  const changed = (side: 0 | 1, value: number): [number, number] => {
    const [a, b] = given() ?? whole();
    return side === 0 ? [actions.round(value), b] : [a, actions.round(value)];
  };
  const end = (side: 0 | 1): HTMLElement =>
    numberField({
      label: `${parameter.field.label}, ${side === 0 ? "from" : "to"}`,
      unit: "s",
      value: () => given()?.[side] ?? null,
      parse: timeReader("source", () => parameter.step),
      placeholder: () => whole()[side].toFixed(2),
      preview: (v) => parameter.preview(changed(side, v)),
      commit: (v) => parameter.commit(changed(side, v)),
      discard: () => parameter.discard(),
      clear: () => parameter.reset(),
    });
  return [
    element(
      "span",
      { className: "field-value" },
      end(0),
      element("span", { className: "caption", textContent: "to" }),
      end(1),
    ),
    element(
      "span",
      { className: "field-actions" },
      shown(
        () => state.playRange.value !== null,
        button("From play range", () => takePlayRange(parameter), "button small"),
      ),
      shown(() => given() !== null, button("Whole clip", () => parameter.reset(), "button small quiet")),
    ),
  ];
}

/** Play ranges are in the result's time; a step's range is in that of its own input. */
function takePlayRange(parameter: Parameter): void {
  const range = state.playRange.value;
  if (!range) return;
  const source = range.map((t) => state.result.value?.sourceAt(t) ?? t);
  parameter.commit(source.map((s) => actions.round(state.stepTimes.value.fromSource(s))));
}
