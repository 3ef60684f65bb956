/** Trouble that still stands: a result that came after it has settled it, though its card waits to be dismissed. */

import { effect, signal } from "@preact/signals";
import type { Problem } from "../protocol";
import * as state from "./state";

const settled = signal<readonly Problem[]>([]);

effect(() => {
  void state.result.value;
  settled.value = state.problems.peek();
});

/** The latest problem of a step, or of any. */
export function openProblem(step?: string): Problem | null {
  const open = state.problems.value.filter((p) => p.step && !settled.value.includes(p));
  return open.findLast((p) => step === undefined || p.step === step) ?? null;
}
