/** What can be done to a whole step, wherever it is shown. */

import type { StepEntry } from "../../protocol";
import * as actions from "../../store/actions";
import * as state from "../../store/state";
import type { SurfaceKey } from "../../store/surface";
import { seconds } from "../../words/numbers";
import { keyWords } from "../../words/surface_keys";
import type { MenuRow } from "../../controls";

export const stepTitle = (step: StepEntry | undefined | null): string =>
  step ? step.label || state.methods.value.get(step.method)?.title || step.method : "";

/** Times in a line of the server stand between these, in seconds. */
const TIMES = /\u001f([\d.]+)\u001f/g;

/** What the step did, from the result: joints by their roles, times in the chosen unit. */
export function lineOf(id: string): string {
  const step = state.stepNamed(id);
  const keys = step?.method === "surface" ? (step.parameters?.["keys"] as SurfaceKey[] | undefined) : undefined;
  if (keys?.length === 1) return keyWords(state.source.value?.header, keys[0]!);
  return (state.stepResult(id)?.line ?? "").replace(TIMES, (_, time: string) => seconds(Number(time)));
}

export function stepMenu(id: string): MenuRow[] {
  const index = state.steps.value.findIndex((s) => s.id === id);
  const step = state.steps.value[index];
  if (!step) return [];
  const last = state.steps.value.length - 1;
  return [
    { label: step.mute ? "Unmute" : "Mute", icon: step.mute ? "eye" : "eye-off", keys: "M", run: () => toggleMute(id) },
    { label: "Duplicate", icon: "plus", run: () => duplicate(step, index) },
    { label: "Move up", keys: "Alt+↑", disabled: index === 0, run: () => move(id, index - 1) },
    { label: "Move down", keys: "Alt+↓", disabled: index === last, run: () => move(id, index + 1) },
    { label: "Reset all parameters", icon: "reset", disabled: !resettable(step).length, run: () => reset(step) },
    { label: "Remove", icon: "close", run: () => void actions.run({ type: "remove_step", id }) },
  ];
}

export function toggleMute(id: string): void {
  const step = state.stepNamed(id);
  if (step) actions.change(id, { mute: !step.mute });
}

export const move = (id: string, index: number): void => void actions.run({ type: "move_step", id, index });

/** Move a step by places; false where it is at the end already. */
export function moveBy(id: string, by: number): boolean {
  const from = state.steps.value.findIndex((s) => s.id === id);
  const to = from + by;
  if (from < 0 || to < 0 || to >= state.steps.value.length) return false;
  move(id, to);
  state.announcement.value = `${stepTitle(state.stepNamed(id))} moved to place ${to + 1}`;
  return true;
}

function duplicate(step: StepEntry, index: number): void {
  const { method, parameters, weight, mute, label } = step;
  actions.addStep({ method, parameters, weight: weight ?? 1, mute: mute ?? false, label: label ?? "" }, index + 1);
}

/** What can go back to its default: what must be given stays. */
function resettable(step: StepEntry): string[] {
  const fields = state.methods.value.get(step.method)?.fields ?? [];
  const required = new Set(fields.filter((f) => f.required).map((f) => f.name));
  return Object.keys(step.parameters ?? {}).filter((name) => !required.has(name));
}

function reset(step: StepEntry): void {
  actions.change(step.id, { parameters: Object.fromEntries(resettable(step).map((name) => [name, null])) });
}
