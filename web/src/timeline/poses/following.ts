/** What was selected or held of one document is nothing to another. */

import { effect } from "@preact/signals";
import { inserted, poses } from "../../store/poses";
import * as state from "../../store/state";
import { cursorRow, inHand, selection, unfoldFor } from "./pose_scene";

export function followDocument(): () => void {
  const answered = effect(() => {
    // The server has answered: what it says counts, no longer the hand.
    if (!state.pending.value && !state.computing.value) inHand.value = null;
  });
  let before = "";
  const counted = effect(() => {
    const view = poses.value;
    const now = view ? `${view.step} ${view.count} ${view.channels.length}` : "";
    if (now === before || !view) return;
    const known = before !== "";
    before = now;
    selection.value = new Set();
    cursorRow.value = null;
    const made = inserted.peek();
    inserted.value = null;
    // Numbers mean other poses now: the one at the playhead stays selected, where there is one.
    const at = made ?? state.stepTimes.peek().fromResult(state.time.peek());
    if (made !== null || (known && state.selectedPose.peek() !== null))
      state.selectedPose.value = view.at(at, 0.75 * view.frame);
  });
  const chosen = effect(() => {
    const joint = state.selectedJoint.value;
    if (joint !== null && state.tab.peek() === "poses") unfoldFor(joint);
  });
  return () => [answered, counted, chosen].forEach((end) => end());
}
