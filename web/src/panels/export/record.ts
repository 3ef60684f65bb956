/** A video of the view: plays the range once and records it. */

import { signal } from "@preact/signals";
import * as actions from "../../store/actions";
import * as state from "../../store/state";
import type { ViewApi } from "../../viewport/view";

/** Stops the recording that is under way; null while there is none. */
export const recording = signal<(() => void) | null>(null);

/** A file's name for a motion: what no system takes in a name becomes a dash. */
export function videoName(motion: string): string {
  const plain = motion.replaceAll(/[^\p{L}\p{N}._ ()-]+/gu, "-").replaceAll(/^[-. ]+|[-. ]+$/g, "");
  return `${plain || "motion"}-retimed.webm`;
}

/** Let the view play the range once, and save what it showed. */
export async function recordOnce(view: ViewApi, save: (film: Blob, name: string) => void): Promise<void> {
  const project = state.project.peek();
  const name = videoName((project?.source && project.motions[project.source]?.name) || "");
  try {
    const { done, stop } = view.record();
    recording.value = stop;
    state.announcement.value = "Recording the view.";
    save(await done, name);
    state.announcement.value = `The video is saved as ${name}.`;
  } catch {
    actions.fail("The video was not made", "This browser could not record the view. Try another one.");
  } finally {
    recording.value = null;
  }
}
