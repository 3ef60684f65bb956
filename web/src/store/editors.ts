/** Which tab goes with the selected step: surfaces have joint times, staggered poses have rows. */

import { effect } from "@preact/signals-core";
import * as state from "./state";

const TAB_OF: Readonly<Record<string, state.Tab>> = { surface: "joints", stagger: "poses" };

/** Open the tab of the step that is selected; leave a tab alone that any step can be seen in. */
export function openEditors(): void {
  effect(() => {
    const method = state.step.value?.method;
    const wanted = (method && TAB_OF[method]) ?? null;
    const open = state.tab.peek();
    if (wanted) state.tab.value = wanted;
    else if (method && Object.values(TAB_OF).includes(open)) state.tab.value = "warp";
    state.selectedSurface.value = method === "surface" ? (state.selectedSurface.peek() ?? 0) : null;
    if (method !== "stagger") state.selectedPose.value = null;
  });
}
