/** Ask the server for physics while it is shown: by a physics step, or by feasibility in the view. */

import { effect } from "@preact/signals";
import * as actions from "../../store/actions";
import * as state from "../../store/state";
import { debounce } from "../../store/waiting";

export function askForPhysics(): void {
  let asked: { result: unknown; step: string | null } | null = null;
  const later = debounce(() => actions.ask("physics", physicsStep()));
  effect(() => {
    const shown = state.showFeasibility.value || state.step.value?.method === "physics";
    const result = state.result.value;
    if (!shown || !result || result.header.interim) return;
    const step = physicsStep();
    if (result === asked?.result && step === asked.step) return;
    asked = { result, step };
    later.ask();
  });
}

/** The selected physics step, else the first that is not muted; none means the body's own limits. */
function physicsStep(): string | null {
  if (state.step.value?.method === "physics") return state.step.value.id;
  return state.steps.value.find((s) => s.method === "physics" && !s.mute)?.id ?? null;
}
