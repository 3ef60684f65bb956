/** The recipe: steps in the order they act, to select, weigh, mute, reorder and remove. */

import * as actions from "../store/actions";
import * as state from "../store/state";
import { addStepButton } from "./addstep";
import { section } from "./controls";
import { element, live, shown } from "./dom";
import { count } from "./format";
import { icon } from "./icons";
import { openMenu } from "./popover";
import { stepMenu, stepTitle } from "./step";
import { focusRow, lineOf, moveStep, stepEntry, stepEye, stepRows, stepWeight } from "./step_rows";

export function recipeSection(): HTMLElement {
  const add = addStepButton();
  const list = stepRows({
    name: "step",
    label: "Steps of the recipe",
    choose(id) {
      state.selectedStep.value = id;
    },
    words: (id) => [
      element(
        "span",
        { className: "step-words" },
        live(() => stepTitle(stepEntry(id)), "step-name"),
        live(() => describe(id), "step-line"),
      ),
    ],
    arrange(id, choose) {
      const grip = element("span", { className: "grip", ariaHidden: "true" }, icon("grip"));
      return { children: [grip, choose, stepWeight(id), stepEye(id)], grip };
    },
    key: rowKey,
    afterLast: () => add.focus(),
  });
  const none = element("p", { className: "empty-note", textContent: "No steps yet: the motion plays as it is." });
  return section(
    {
      id: "recipe",
      title: "Recipe",
      caption: live(() => count(state.steps.value.length, "step")),
      actions: [add],
    },
    list,
    shown(() => state.steps.value.length === 0, none),
  );
}

/** What the step did; a muted step says so, one without a result what it is for. */
function describe(id: string): string {
  const step = stepEntry(id);
  return lineOf(id) || (step?.mute ? "muted" : (state.methods.value.get(step?.method ?? "")?.summary ?? ""));
}

function rowKey(event: KeyboardEvent, id: string, index: number): void {
  if ((event.target as Element).tagName === "INPUT") return;
  const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (by !== undefined) {
    event.preventDefault();
    event.stopPropagation();
    if (event.altKey) moveStep(id, by);
    else goTo(event.currentTarget as HTMLElement, index + by);
  } else if (event.key === "Delete") {
    event.stopPropagation();
    actions.run({ type: "remove_step", id });
  } else if (event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey)) {
    event.preventDefault();
    openMenu((event.target as Element).getBoundingClientRect(), "Step", stepMenu(id));
  }
}

function goTo(row: HTMLElement, index: number): void {
  const next = state.steps.value[index];
  if (!next) return;
  state.selectedStep.value = next.id;
  focusRow(row.parentElement!, next.id);
}
