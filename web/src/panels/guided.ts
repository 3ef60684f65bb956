/** Of guided and spline steps: moments worth a keytime, and what the timing costs beside simpler ones. */

import * as actions from "../store/actions";
import * as state from "../store/state";
import { button, iconButton, section } from "./controls";
import { element, shown, watch } from "./dom";
import type { MethodExtra } from "./form";
import { number, percent, seconds, sentence } from "./format";
import { icon, keyMark } from "./icons";
import { debounce } from "./waiting";

export const guidedExtra: MethodExtra = {
  replaces: [],
  below: (step) => [suggestedSection(step), costSection(step)],
};

/** Ask for suggestions when a step that takes keytimes is looked at and its result has changed. */
export function askForSuggestions(): void {
  let asked: unknown = null;
  const later = debounce(() => {
    const step = state.step.value;
    if (step) actions.ask("suggestions", step.id);
  });
  watch(() => {
    const step = state.step.value;
    const result = state.result.value;
    if (!step || !(step.method === "guided" || step.method === "spline")) return;
    const subject = `${step.id} ${result?.header.revision} ${result?.header.source}`;
    // A drag changes no moments of the source: only what is kept is worth a question.
    if (!result || result.header.interim || state.pending.value || subject === asked) return;
    asked = subject;
    later.ask();
  });
}

// ---- suggested

/** As close as two keytimes may be before one says nothing that the other does not. */
const SAME = 0.05;

function open(): { time: number; weight: number }[] {
  const taken = state.keys.value.map(([, source]) => source);
  return state.suggestions.value.filter((s) => taken.every((t) => Math.abs(t - s.time) > SAME));
}

function suggestedSection(step: string): HTMLElement {
  const rows = element("div", { className: "suggested", role: "list" });
  watch(() => {
    const most = Math.max(...state.suggestions.value.map((s) => s.weight), 1e-9);
    rows.replaceChildren(...open().map((s) => suggestedRow(step, s.time, s.weight / most)));
  });
  const all = button("Add all", () => addAll(step), "link");
  const made = section(
    {
      id: "suggested",
      title: "Suggested",
      caption: "where timing matters",
      actions: [shown(() => open().length > 1, all)],
    },
    rows,
  );
  made.classList.add("suggested-section");
  return shown(() => open().length > 0, made);
}

/** The result's time that shows a moment of the step's input. */
const shownAt = (given: number): number => {
  const source = state.stepTimes.value.toSource(given);
  return state.result.value?.outputOf(source) ?? source;
};

function suggestedRow(step: string, given: number, share: number): HTMLElement {
  const output = state.stepTimes.value.fromResult(shownAt(given));
  return element(
    "div",
    { className: "key-row suggestion", role: "listitem" },
    keyMark("suggested"),
    element("span", { textContent: seconds(output) }),
    icon("arrow"),
    element("span", { textContent: seconds(given) }),
    element("span", { className: "caption", textContent: percent(share), title: "How much its timing matters" }),
    iconButton("plus", `Add a keytime at ${seconds(output)}`, () => {
      state.selectedStep.value = step;
      actions.addKeyAt(shownAt(given), given);
    }),
  );
}

function addAll(step: string): void {
  const times = state.stepTimes.value;
  const added = open().map((s): state.Key => [actions.round(times.fromResult(shownAt(s.time))), actions.round(s.time)]);
  actions.setParameter(step, "keytimes", [...state.keys.value, ...added].sort((a, b) => a[0] - b[0]));
}

// ---- cost

function costSection(step: string): HTMLElement {
  const bars = element("div", { className: "costs", role: "list" });
  const costs = (): Record<string, number> =>
    state.result.value?.header.steps.find((s) => s.id === step)?.costs ?? {};
  watch(() => {
    const shownCosts = Object.entries(costs());
    const most = Math.max(...shownCosts.map(([, cost]) => cost), 1e-9);
    const method = state.steps.value.find((s) => s.id === step)?.method;
    bars.replaceChildren(...shownCosts.map(([name, cost]) => costRow(name, cost, cost / most, name === method)));
  });
  return shown(
    () => Object.keys(costs()).length > 0,
    section({ id: "cost", title: "Cost", caption: "lower is better" }, bars),
  );
}

function costRow(name: string, cost: number, share: number, own: boolean): HTMLElement {
  const bar = element("span", { className: "bar" }, element("span", { className: "bar-fill" }));
  bar.style.setProperty("--share", String(share));
  const made = element(
    "div",
    { className: "cost", role: "listitem" },
    element("span", { textContent: sentence(name) }),
    bar,
    element("span", { className: "cost-number", textContent: number(cost, 1) }),
  );
  made.classList.toggle("own", own);
  return made;
}
