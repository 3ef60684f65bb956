/** Ask the server for suggested keytimes while a step that takes them is selected. */

import { effect } from "@preact/signals";
import * as actions from "../../store/actions";
import * as state from "../../store/state";
import { debounce } from "../../store/waiting";

export function askForSuggestions(): void {
  let asked: unknown = null;
  const later = debounce(() => state.step.value && actions.ask("suggestions", state.step.value.id));
  effect(() => {
    const step = state.step.value;
    const result = state.result.value;
    if (!step || !(step.method === "guided" || step.method === "spline")) return;
    const subject = `${step.id} ${result?.header.revision} ${result?.header.source}`;
    // A drag changes no moments of the source: only a kept change needs new suggestions.
    if (!result || result.header.interim || state.pending.value || subject === asked) return;
    asked = subject;
    later.ask();
  });
}
