/** The gutter of the layers: a row for each step, to select, weigh, mute and reorder. */

import { element, live, rebuild, watch } from "../../panels/dom";
import { icon, methodIcon } from "../../panels/icons";
import { iconButton } from "../../panels/controls";
import { numberField } from "../../panels/number";
import { menuPlace, openMenu } from "../../panels/popover";
import { dragToReorder } from "../../panels/reorder";
import { stepMenu, stepTitle, toggleMute } from "../../panels/step";
import type { StepEntry } from "../../protocol";
import * as actions from "../../store/actions";
import * as state from "../../store/state";

const entry = (id: string): StepEntry | undefined => state.steps.value.find((s) => s.id === id);

/** Select a step and stay here: steps with an editor of their own would open its tab. */
export function chooseLayer(id: string): void {
  state.selectedStep.value = id;
  state.tab.value = "layers";
}

/** Move a step by places; false where it is at the end already. */
export function moveLayer(id: string, by: number): boolean {
  const from = state.steps.value.findIndex((s) => s.id === id);
  const to = from + by;
  if (from < 0 || to < 0 || to >= state.steps.value.length) return false;
  actions.run({ type: "move_step", id, index: to });
  state.announcement.value = `${stepTitle(entry(id))} moved to place ${to + 1}`;
  return true;
}

export function layerRows(): HTMLElement {
  const list = element("ol", { className: "layer-rows", ariaLabel: "Timing layers, in the order of the recipe" });
  rebuild(list, () => state.steps.value.map((s) => `${s.id}:${s.method}`).join(), () => {
    // A row that was moved by keyboard takes the focus along.
    const focused = list.querySelector<HTMLElement>(".layer-row:focus-within")?.dataset["layer"];
    if (focused) queueMicrotask(() => focusLayer(list, focused));
    return state.steps.value.map((step, index) => layerRow(step, index));
  });
  return list;
}

const focusLayer = (list: HTMLElement, id: string): void =>
  list.querySelector<HTMLElement>(`[data-layer="${CSS.escape(id)}"] .layer-choose`)?.focus();

function layerRow({ id, method }: StepEntry, index: number): HTMLElement {
  const choose = element(
    "button",
    { type: "button", className: "layer-choose", title: "Drag to reorder (Alt+↑ ↓)", onclick: () => chooseLayer(id) },
    methodIcon(method),
    live(() => stepTitle(entry(id)), "layer-name"),
  );
  const row = element(
    "li",
    { className: "layer-row", data: { layer: id } },
    element("div", { className: "layer-head" }, choose, eye(id)),
    element("div", { className: "layer-foot" }, live(() => lineOf(id), "layer-line"), weight(id)),
  );
  row.oncontextmenu = (event) => {
    event.preventDefault();
    openMenu(menuPlace(event, row), "Step", stepMenu(id));
  };
  dragToReorder(row, choose, index, (to) => actions.run({ type: "move_step", id, index: to }));
  watch(() => {
    const selected = state.selectedStep.value === id;
    row.classList.toggle("selected", selected);
    row.classList.toggle("muted", entry(id)?.mute ?? false);
    choose.ariaCurrent = String(selected);
    choose.tabIndex = selected || (index === 0 && !entry(state.selectedStep.value ?? "")) ? 0 : -1;
  });
  return row;
}

function lineOf(id: string): string {
  if (entry(id)?.mute) return "muted";
  return state.result.value?.header.steps.find((s) => s.id === id)?.line ?? "";
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
  const made = iconButton("eye", "Mute", () => toggleMute(id));
  watch(() => {
    const mute = entry(id)?.mute ?? false;
    made.replaceChildren(icon(mute ? "eye-off" : "eye"));
    made.ariaLabel = made.title = mute ? "Unmute (M)" : "Mute (M)";
    made.ariaPressed = String(mute);
  });
  return made;
}
