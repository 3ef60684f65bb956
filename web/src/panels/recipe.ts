/** The recipe: steps in the order they act, to select, weigh, mute, reorder and remove. */

import * as actions from "../store/actions";
import * as state from "../store/state";
import type { StepEntry } from "../protocol";
import { addStepButton } from "./addstep";
import { iconButton, section } from "./controls";
import { element, live, rebuild, shown, watch } from "./dom";
import { count } from "./format";
import { icon, methodIcon } from "./icons";
import { numberField } from "./number";
import { menuPlace, openMenu } from "./popover";
import { dragToReorder } from "./reorder";
import { stepMenu, stepTitle } from "./step";

export function recipeSection(): HTMLElement {
  const list = element("ol", { className: "recipe", ariaLabel: "Steps of the recipe" });
  rebuild(list, () => state.steps.value.map((s) => `${s.id}:${s.method}`).join(), () => {
    // A step that is moved by keyboard takes the focus along, to be moved on.
    const focused = list.querySelector<HTMLElement>(".step:focus-within")?.dataset["step"];
    if (focused) queueMicrotask(() => focusStep(focused));
    return state.steps.value.map((step, index) => stepRow(step, index));
  });
  const none = element("p", { className: "empty-note", textContent: "No steps yet: the motion plays as it is." });
  return section(
    {
      id: "recipe",
      title: "Recipe",
      caption: live(() => count(state.steps.value.length, "step")),
      actions: [addStepButton()],
    },
    list,
    shown(() => state.steps.value.length === 0, none),
  );
}

const focusStep = (id: string): void =>
  document.querySelector<HTMLElement>(`[data-step="${CSS.escape(id)}"] .step-choose`)?.focus();
const entry = (id: string): StepEntry | undefined => state.steps.value.find((s) => s.id === id);

function stepRow({ id, method }: StepEntry, index: number): HTMLElement {
  const grip = element(
    "span",
    { className: "grip", ariaHidden: "true", title: "Drag to reorder (Alt+↑ ↓)" },
    icon("grip"),
  );
  const choose = element(
    "button",
    { type: "button", className: "step-choose", onclick: () => (state.selectedStep.value = id) },
    methodIcon(method),
    element(
      "span",
      { className: "step-words" },
      live(() => stepTitle(entry(id)), "step-name"),
      live(() => lineOf(id), "step-line"),
    ),
  );
  const row = element("li", { className: "step", data: { step: id } }, grip, choose, weight(id), eye(id));
  row.oncontextmenu = (event) => {
    event.preventDefault();
    openMenu(menuPlace(event, row), "Step", stepMenu(id));
  };
  row.onkeydown = (event) => rowKey(event, id, index);
  dragToReorder(row, grip, index, (to) => actions.run({ type: "move_step", id, index: to }));
  watch(() => {
    const selected = state.selectedStep.value === id;
    row.classList.toggle("selected", selected);
    row.classList.toggle("muted", entry(id)?.mute ?? false);
    choose.ariaCurrent = String(selected);
    // One stop of the Tab key for the list: arrows move inside it.
    choose.tabIndex = selected || (index === 0 && !entry(state.selectedStep.value ?? "")) ? 0 : -1;
  });
  return row;
}

/** What the step did, from the result; a muted step says so. */
function lineOf(id: string): string {
  const found = state.result.value?.header.steps.find((s) => s.id === id)?.line;
  return found || (entry(id)?.mute ? "muted" : (state.methods.value.get(entry(id)?.method ?? "")?.summary ?? ""));
}

function weight(id: string): HTMLElement {
  const made = numberField({
    label: "Weight",
    unit: "%",
    whole: true,
    step: 1,
    minimum: 0,
    maximum: 100,
    value: () => 100 * (entry(id)?.weight ?? 1),
    preview: (v) => actions.preview({ id, weight: v / 100 }),
    commit: (v) => actions.change(id, { weight: v / 100 }),
    discard: actions.discard,
  });
  made.classList.add("bare", "step-weight");
  made.title = "Weight: drag or type";
  return made;
}

function eye(id: string): HTMLElement {
  const made = iconButton("eye", "Mute", () => actions.change(id, { mute: !entry(id)?.mute }));
  watch(() => {
    const mute = entry(id)?.mute ?? false;
    made.replaceChildren(icon(mute ? "eye-off" : "eye"));
    made.ariaLabel = made.title = mute ? "Unmute (M)" : "Mute (M)";
    made.ariaPressed = String(mute);
  });
  return made;
}

function rowKey(event: KeyboardEvent, id: string, index: number): void {
  if ((event.target as Element).tagName === "INPUT") return;
  const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (by !== undefined && event.altKey) {
    event.preventDefault();
    event.stopPropagation();
    const to = index + by;
    if (to < 0 || to >= state.steps.value.length) return;
    actions.run({ type: "move_step", id, index: to });
    state.announcement.value = `${stepTitle(entry(id))} moved to place ${to + 1}`;
  } else if (by !== undefined) {
    event.preventDefault();
    event.stopPropagation();
    const next = state.steps.value[index + by];
    if (!next) return;
    state.selectedStep.value = next.id;
    focusStep(next.id);
  } else if (event.key === "Delete") {
    event.stopPropagation();
    actions.run({ type: "remove_step", id });
  } else if (event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey)) {
    event.preventDefault();
    openMenu((event.target as Element).getBoundingClientRect(), "Step", stepMenu(id));
  }
}

