/** Numbers of a form: a slider with a typed field, a typed field alone, and words such as "free" beside them. */

import * as state from "../store/state";
import { sourceLength } from "../store/times";
import { button } from "./controls";
import { element, rebuild, watch, type Child } from "./dom";
import { number, percent, sentence, seconds } from "./format";
import { numberField } from "./number";
import type { Parameter } from "./parameter";
import { numberLook, type NumberLook } from "./presentation";
import { slider } from "./slider";

export function numberControl(parameter: Parameter): Child[] {
  const { field } = parameter;
  const look = numberLook(field);
  const isDuration = field.name === "duration";
  const bounds = isDuration ? () => durationBounds(parameter.step) : look.bounds && (() => look.bounds!);
  const typed = numberField({
    label: field.label,
    unit: look.unit,
    digits: look.digits,
    step: look.step,
    whole: field.kind === "integer",
    minimum: field.minimum ?? (isDuration ? look.step : null),
    maximum: field.maximum,
    value: () => parameter.number,
    preview: (v) => parameter.preview(v),
    commit: (v) => parameter.commit(v),
    discard: () => parameter.discard(),
    clear: () => parameter.reset(),
    placeholder: () => placeholder(parameter, look),
  });
  const words = field.choices.map((word) => wordToggle(parameter, word));
  const sliding =
    bounds &&
    slider({
      label: field.label,
      bounds,
      step: look.step,
      value: () => parameter.number ?? (isDuration ? sourceLength(parameter.step) : null),
      preview: (v) => parameter.preview(v),
      commit: (v) => parameter.commit(v),
      discard: () => parameter.discard(),
      spoken: (v) => `${number(v, look.digits)} ${look.unit}`.trim(),
    });
  if (!look.wide) return [sliding, element("span", { className: "field-value" }, ...words, typed)];
  return [element("span", { className: "field-value" }, ...words, typed), sliding, captions(parameter, look)];
}

/** A word in place of a number: chosen it stays until a number is. */
function wordToggle(parameter: Parameter, word: string): HTMLElement {
  const made = button(
    sentence(word),
    () => (parameter.value === word ? parameter.reset() : parameter.commit(word)),
    "segment lone",
  );
  watch(() => {
    const chosen = parameter.value === word;
    const why = chosen ? "" : whyNot(parameter, word);
    made.ariaPressed = String(chosen);
    made.disabled = why !== "";
    made.title = why;
  });
  return made;
}

/** Why a word cannot be chosen now; empty where it can. */
export function whyNot({ field, step }: Parameter, word: string): string {
  const entry = state.steps.value.find((s) => s.id === step) ?? null;
  const clash = entry?.method === "guided" && field.name === "duration" && word === "free";
  if (!clash || !state.keysOf(entry).length) return "";
  return "A free duration leaves no time to hold on to: delete the keytimes first";
}

function placeholder(parameter: Parameter, look: NumberLook): string {
  const { value, field } = parameter;
  if (typeof value === "string") return "";
  if (field.name === "duration") return number(sourceLength(parameter.step), look.digits);
  return "–";
}

/** Words under the ends of a wide slider; under a duration, its bounds and its share of the source. */
function captions(parameter: Parameter, look: NumberLook): HTMLElement {
  const made = element("div", { className: "slider-captions" });
  const words = (): string[] => look.ends ?? (parameter.field.name === "duration" ? durationCaptions(parameter) : []);
  rebuild(made, () => words().join("\n"), (said) =>
    said ? said.split("\n").map((textContent) => element("span", { textContent })) : []);
  return made;
}

function durationCaptions(parameter: Parameter): string[] {
  const [low, high] = durationBounds(parameter.step);
  const whole = sourceLength(parameter.step);
  const now = parameter.number ?? whole;
  return [seconds(low), whole > 0 ? `${percent(now / whole)} of the source` : "", seconds(high)];
}

/** From as short as the speed limit allows to twice the source. */
export function durationBounds(step: string): [number, number] {
  const entry = state.steps.value.find((s) => s.id === step);
  const fields = state.methods.value.get(entry?.method ?? "")?.fields;
  const fastest = entry?.parameters?.["max_speed"] ?? fields?.find((f) => f.name === "max_speed")?.default ?? 8;
  const whole = sourceLength(step);
  return [Math.ceil((100 * whole) / Number(fastest)) / 100, Math.round(200 * whole) / 100];
}
