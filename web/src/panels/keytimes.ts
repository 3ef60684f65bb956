/** Keytimes as a list to type: at which output time which moment of the source is shown. */

import * as actions from "../store/actions";
import * as state from "../store/state";
import { givenTo, sourceLength, timeReader } from "../store/times";
import { iconButton, section } from "./controls";
import { element, rebuild, watch, type Child } from "./dom";
import { seconds } from "./format";
import { icon, keyMark } from "./icons";
import { numberField } from "./number";
import type { Parameter } from "./parameter";

export function keytimesField(parameter: Parameter): HTMLElement {
  const list = element("div", { className: "keytimes", role: "list" });
  rebuild(list, () => state.keysOf(stepOf(parameter)).length, (count) => [
    ...Array.from({ length: count }, (_, k) => keyRow(parameter, k)),
    endRow(parameter),
  ]);
  const add = iconButton("plus", "Add a keytime at the playhead", () => actions.addKeyAt(state.time.value));
  return section(
    { id: "keytimes", title: parameter.field.label, caption: "output → source", actions: [add] },
    list,
    element("p", { className: "field-help", textContent: parameter.field.help }),
  );
}

const stepOf = ({ step }: Parameter) => state.steps.value.find((s) => s.id === step) ?? null;
const sorted = (parameter: Parameter): state.Key[] => state.keysOf(stepOf(parameter)).sort((a, b) => a[0] - b[0]);

function keyRow(parameter: Parameter, k: number): HTMLElement {
  const choose = (): void => {
    state.selectedKey.value = k;
    const at = sorted(parameter)[k]?.[0];
    if (at !== undefined) actions.seek(state.stepTimes.value.toResult(at));
  };
  const mark = element("button", { type: "button", className: "key-button", onclick: choose }, keyMark("key"));
  const made = element(
    "div",
    { className: "key-row", role: "listitem" },
    mark,
    timeField(parameter, k, 0),
    icon("arrow"),
    timeField(parameter, k, 1),
    iconButton("close", `Delete keytime ${k + 1}`, () => {
      state.selectedStep.value = parameter.step;
      actions.deleteKey(k);
    }),
  );
  made.addEventListener("focusin", () => (state.selectedKey.value = k));
  watch(() => {
    made.classList.toggle("selected", state.selectedKey.value === k);
    const key = sorted(parameter)[k];
    mark.ariaLabel = key ? `Go to keytime ${k + 1}: ${seconds(key[0])} shows ${seconds(key[1])}` : "";
  });
  return made;
}

function timeField(parameter: Parameter, k: number, side: 0 | 1): HTMLElement {
  const changed = (value: number): state.Key[] =>
    sorted(parameter).map((key, i) => {
      if (i !== k) return key;
      return side === 0 ? [actions.round(value), key[1]] : [key[0], actions.round(value)];
    });
  return numberField({
    label: `Keytime ${k + 1}, ${side === 0 ? "output" : "source"}`,
    unit: "s",
    value: () => sorted(parameter)[k]?.[side] ?? null,
    parse: timeReader(side === 0 ? "output" : "source", () => parameter.step),
    step: 1 / Math.max(state.fps.value, 1),
    preview: (v) => parameter.preview(changed(v)),
    commit: (v) => parameter.commit(changed(v)),
    discard: () => parameter.discard(),
  });
}

/** The end is fixed by the duration: shown, not edited. */
function endRow(parameter: Parameter): HTMLElement {
  const fixed = (label: string, value: () => number): Child =>
    numberField({ label, unit: "s", value, readOnly: true, preview: nothing, commit: nothing, discard: nothing });
  const output = (): number => {
    const given = stepOf(parameter)?.parameters?.["duration"];
    if (typeof given === "number") return given;
    const found = state.result.value?.header.steps.find((s) => s.id === parameter.step);
    return found?.made[1] ?? sourceLength(parameter.step);
  };
  return element(
    "div",
    { className: "key-row end", role: "listitem" },
    keyMark("end"),
    fixed("End, output", output),
    icon("arrow"),
    fixed("End, source", () => givenTo(parameter.step)[1]),
    element("span", { className: "caption", textContent: "end" }),
    element("span", { className: "key-lock", title: "The end follows the duration" }, icon("lock")),
  );
}

const nothing = (): void => undefined;
