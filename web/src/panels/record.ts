/** A video of the view: plays the range once and records it, says so meanwhile, and can be stopped. */

import { signal } from "@preact/signals-core";
import * as actions from "../store/actions";
import * as state from "../store/state";
import type { ViewApi } from "../viewport/view";
import { button } from "./controls";
import { element, live, shown } from "./dom";
import { number } from "./format";

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

/** Over the view while it is recorded: how far it is, and the way to stop. */
export function recordingChip(): HTMLElement {
  const far = (): string => {
    const [from, to] = state.playSpan.value;
    const now = Math.min(Math.max(state.time.value, from), to);
    return `${number(now - from, 1)} of ${number(to - from, 1)} s`;
  };
  const stop = button("Stop", () => recording.value?.(), "button small");
  stop.title = "What was recorded is kept";
  return shown(
    () => recording.value !== null,
    element(
      "div",
      { className: "chip recording", role: "status" },
      element("span", { className: "recording-dot" }),
      element("strong", { textContent: "Recording" }),
      element("span", { ariaHidden: "true" }, live(far)),
      stop,
    ),
  );
}
