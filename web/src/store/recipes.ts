/** Recipes of motions: each has its own; they are copied from one to another, or applied to all. */

import { signal } from "@preact/signals";
import type { NewStep, StepEntry } from "../protocol";
import * as actions from "./actions";
import { keep, remembered } from "./memory";
import * as state from "./state";

/** Steps of a motion's recipe, in the version that is shown. */
export function recipeFor(motion: string): StepEntry[] {
  const project = state.project.value;
  if (!project) return [];
  const versions = motion === project.source ? project.versions : project.recipes?.[motion];
  return versions?.[state.version.value] ?? [];
}

const bare = ({ method, parameters, weight, mute, label }: StepEntry): NewStep => ({
  method, parameters: parameters ?? {}, weight: weight ?? 1, mute: mute ?? false, label: label ?? "",
});

const CLIPBOARD = "recipe";

/** The recipe that was copied last, in any window of this browser. */
const copied = signal<NewStep[] | null>(null);

export function copiedRecipe(): NewStep[] | null {
  if (copied.value) return copied.value;
  try {
    const kept: unknown = JSON.parse(remembered(CLIPBOARD) ?? "null");
    return Array.isArray(kept) ? (kept as NewStep[]) : null;
  } catch {
    return null;
  }
}

export function copyRecipe(motion: string): void {
  copied.value = recipeFor(motion).map(bare);
  keep(CLIPBOARD, JSON.stringify(copied.value));
  state.announcement.value = "The recipe is copied.";
}

/** Give motions a recipe in place of what they have: one undo step. */
export function giveRecipe(motions: string[], steps: NewStep[]): void {
  actions.run({ type: "set_recipe", motions, version: state.version.value, steps });
}

export function pasteRecipe(motion: string): void {
  const steps = copiedRecipe();
  if (steps) giveRecipe([motion], steps);
}

/** Give a motion's recipe to all others. */
export function applyToAll(motion: string): void {
  const others = Object.keys(state.committed.value?.motions ?? {}).filter((id) => id !== motion);
  giveRecipe(others, recipeFor(motion).map(bare));
}
