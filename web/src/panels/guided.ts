/** Of guided and spline steps: moments worth a keytime, and what the timing costs beside simpler ones. */

import * as actions from "../store/actions";
import * as state from "../store/state";
import { openSuggestions, type Suggestion } from "../store/suggested";
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

function suggestedSection(step: string): HTMLElement {
  const rows = element("div", { className: "suggested", role: "list" });
  watch(() => {
    rows.replaceChildren(...openSuggestions.value.map((found) => suggestedRow(step, found)));
  });
  const all = button("Add all", () => addAll(step), "link");
  const made = section(
    {
      id: "suggested",
      title: "Suggested",
      caption: "where timing matters",
      actions: [shown(() => openSuggestions.value.length > 1, all)],
    },
    rows,
  );
  made.classList.add("suggested-section");
  return shown(() => openSuggestions.value.length > 0, made);
}

function suggestedRow(step: string, { key, shown: at, share }: Suggestion): HTMLElement {
  const [output, given] = key;
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
      actions.addKeyAt(at, given);
    }),
  );
}

function addAll(step: string): void {
  const added = openSuggestions.value.map(({ key }): state.Key => [actions.round(key[0]), actions.round(key[1])]);
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
