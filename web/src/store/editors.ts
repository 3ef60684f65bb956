/** Which tab goes with the selected step: surfaces have joint times, staggered poses have rows. */

import { computed, effect } from "@preact/signals";
import * as state from "./state";

const TAB_OF: Readonly<Record<string, state.Tab>> = { surface: "joints", stagger: "poses" };

/** Which step is selected, and what it does: a change of its parameters is no reason to leave a tab. */
const selected = computed(() => (state.step.value ? `${state.step.value.id} ${state.step.value.method}` : ""));

/** Open the tab of the step that is selected; leave a tab alone that any step can be seen in. */
export function openEditors(): void {
  effect(() => {
    const method = selected.value.split(" ")[1];
    const wanted = (method && TAB_OF[method]) ?? null;
    const open = state.tab.peek();
    if (wanted) state.tab.value = wanted;
    else if (method && Object.values(TAB_OF).includes(open)) state.tab.value = "warp";
    state.selectedSurface.value = method === "surface" ? (state.selectedSurface.peek() ?? 0) : null;
    if (method !== "stagger") state.selectedPose.value = null;
  });
}
