/** Steps as rows to choose, weigh, mute and drag to another place: the recipe and the layers show them each its way. */

import type { StepEntry } from "../protocol";
import * as actions from "../store/actions";
import * as state from "../store/state";
import { iconButton } from "./controls";
import { element, rebuild, watch, type Child } from "./dom";
import { icon, methodIcon } from "./icons";
import { numberField } from "./number";
import { menuPlace, openMenu } from "./popover";
import { dragToReorder } from "./reorder";
import { stepMenu, stepTitle, toggleMute } from "./step";

export const REORDER = "Drag to reorder (Alt+↑ ↓)";

export interface RowLook {
  /** Name of the classes: `x-row` holds an `x-choose`. */
  name: string;
  label: string;
  /** A row was clicked. */
  choose(id: string): void;
  /** What the button that chooses says beside its icon. */
  words(id: string): Child[];
  /** The row around that button, and what it is dragged by. */
  arrange(id: string, choose: HTMLElement): { children: Child[]; grip: HTMLElement };
  key?(event: KeyboardEvent, id: string, index: number): void;
  /** Where the focus goes when the last row is gone. */
  afterLast?(): void;
}

export const stepEntry = (id: string): StepEntry | undefined => state.steps.value.find((s) => s.id === id);

export function stepRows(look: RowLook): HTMLElement {
  const list = element("ol", { className: `${look.name}-rows`, ariaLabel: look.label });
  rebuild(list, () => state.steps.value.map((s) => `${s.id}:${s.method}`).join(), () => {
    // A row that is moved by keyboard takes the focus along; one that is removed gives it to its neighbour.
    const rows = [...list.children] as HTMLElement[];
    const place = rows.findIndex((row) => row.contains(document.activeElement));
    if (place >= 0) queueMicrotask(() => focusNear(list, look, rows[place]!.dataset["step"]!, place));
    return state.steps.value.map((step, index) => stepRow(look, step, index));
  });
  return list;
}

/** Which of the steps that are left has the focus next: the same one, else what came to its place, else the last. */
export function nextFocus(ids: readonly string[], id: string, place: number): string | null {
  return ids.includes(id) ? id : (ids[Math.min(place, ids.length - 1)] ?? null);
}

function focusNear(list: HTMLElement, look: RowLook, id: string, place: number): void {
  const next = nextFocus(state.steps.peek().map((s) => s.id), id, place);
  if (next === null) return look.afterLast?.();
  if (next !== id) look.choose(next);
  focusRow(list, next);
}

export const focusRow = (list: ParentNode, id: string): void =>
  list.querySelector<HTMLElement>(`[data-step="${CSS.escape(id)}"] [data-choose]`)?.focus();

/** Move a step by places; false where it is at the end already. */
export function moveStep(id: string, by: number): boolean {
  const from = state.steps.value.findIndex((s) => s.id === id);
  const to = from + by;
  if (from < 0 || to < 0 || to >= state.steps.value.length) return false;
  actions.run({ type: "move_step", id, index: to });
  state.announcement.value = `${stepTitle(stepEntry(id))} moved to place ${to + 1}`;
  return true;
}

function stepRow(look: RowLook, { id, method }: StepEntry, index: number): HTMLElement {
  const choose = element(
    "button",
    { type: "button", className: `${look.name}-choose`, onclick: () => look.choose(id), data: { choose: id } },
    methodIcon(method),
    ...look.words(id),
  );
  const { children, grip } = look.arrange(id, choose);
  grip.title = REORDER;
  const row = element("li", { className: `step-row ${look.name}`, data: { step: id } }, ...children);
  row.oncontextmenu = (event) => {
    event.preventDefault();
    openMenu(menuPlace(event, row), "Step", stepMenu(id));
  };
  row.onkeydown = (event) => look.key?.(event, id, index);
  dragToReorder(row, grip, index, (to) => actions.run({ type: "move_step", id, index: to }));
  watch(() => {
    const selected = state.selectedStep.value === id;
    row.classList.toggle("selected", selected);
    row.classList.toggle("muted", stepEntry(id)?.mute ?? false);
    choose.ariaCurrent = String(selected);
    // One stop of the Tab key for the list: arrows move inside it.
    choose.tabIndex = selected || (index === 0 && !stepEntry(state.selectedStep.value ?? "")) ? 0 : -1;
  });
  return row;
}

/** What the step did, from the result. */
export const lineOf = (id: string): string =>
  state.result.value?.header.steps.find((s) => s.id === id)?.line ?? "";

export function stepWeight(id: string): HTMLElement {
  const made = numberField({
    label: "Weight",
    unit: "%",
    whole: true,
    step: 1,
    minimum: 0,
    maximum: 100,
    value: () => 100 * (stepEntry(id)?.weight ?? 1),
    preview: (v) => actions.preview({ id, weight: v / 100 }),
    commit: (v) => actions.change(id, { weight: v / 100 }),
    discard: actions.discard,
  });
  made.classList.add("bare", "step-weight");
  made.title = "Weight: drag or type";
  return made;
}

export function stepEye(id: string): HTMLElement {
  const made = iconButton("eye", "Mute", () => toggleMute(id));
  const muted = (): boolean => stepEntry(id)?.mute ?? false;
  rebuild(made, muted, (mute) => [icon(mute ? "eye-off" : "eye")]);
  watch(() => {
    const mute = muted();
    made.ariaLabel = made.title = mute ? "Unmute (M)" : "Mute (M)";
    made.ariaPressed = String(mute);
  });
  return made;
}
