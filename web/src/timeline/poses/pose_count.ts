/** How many poses are kept of those that were found: live, with a word about edits that name poses. */

import { element, live, watch } from "../../panels/dom";
import { numberField } from "../../panels/number";
import { slider } from "../../panels/slider";
import * as actions from "../../store/actions";
import { editsOf, namesPoses, poses, type PoseEdit, type PosesView } from "../../store/poses";
import * as state from "../../store/state";

/** The two ends are always there: a count is of those between them. */
const ENDS = 2;
/** Of those between, a number below two would mean a share. */
const FEWEST = 2 + ENDS;

/** Poses that a value of `keep` makes, before edits insert and delete any. */
export function keptCount(
  keep: unknown, view: Pick<PosesView, "count" | "editor">, edits: readonly PoseEdit[],
): number {
  if (typeof keep === "number" && keep >= 2) return Math.min(keep + ENDS, view.editor.found);
  if (keep === undefined || keep === null || keep === 1) return view.editor.found;
  const on = edits.filter((e) => !e.mute);
  return view.count - on.filter((e) => e.do === "insert").length + on.filter((e) => e.do === "delete").length;
}

/** The value of `keep` for a number of poses; all of them is the default. */
export const keepFor = (count: number, found: number): number | null =>
  count >= found ? null : Math.max(Math.round(count), FEWEST) - ENDS;

/** The fewest poses with which every pose that edits name by its number is there. */
export function fewestFor(edits: readonly PoseEdit[]): number {
  const named = edits.filter((e) => !e.mute).flatMap((e) => [e["pose"], e["poses"], e["after"]].flat());
  const most = Math.max(-1, ...named.filter((p): p is number => typeof p === "number"));
  return Math.max(FEWEST, most + 2);
}

export function poseCount(say: (text: string | null) => void): HTMLElement {
  const found = (): number => poses.value?.editor.found ?? FEWEST;
  const edits = (): PoseEdit[] => editsOf(state.step.value);
  const value = (): number | null =>
    poses.value && keptCount(state.step.value?.parameters?.["keep"], poses.value, edits());
  const send = (set: typeof actions.previewParameter, count: number): void => {
    const view = poses.value;
    if (!view) return;
    set(view.step, "keep", keepFor(count, view.editor.found));
    const named = edits().filter((e) => namesPoses(e) && !e.mute).length;
    const who = named === 1 ? "1 edit names its pose" : `${named} edits name their poses`;
    say(named ? `${who} by number: with other poses that may be another one. Esc restores.` : null);
  };
  const editing = {
    value,
    preview: (count: number) => send(actions.previewParameter, count),
    commit: (count: number) => {
      send(actions.setParameter, count);
      state.announcement.value = `${count} of ${found()} poses are kept.`;
    },
    discard: () => {
      say(null);
      actions.discard();
    },
  };
  const made = element(
    "div",
    { className: "pose-count" },
    element(
      "div",
      { className: "pose-count-head" },
      element("span", { className: "pose-count-name", textContent: "Poses" }),
      numberField({ ...editing, label: "Number of poses", whole: true, step: 0.1, minimum: FEWEST }),
      live(() => `of ${found()}`, "caption"),
    ),
    slider({
      ...editing,
      label: "Number of poses",
      step: 1,
      bounds: () => [Math.min(fewestFor(edits()), found()), found()],
      spoken: (count) => `${count} of ${found()} poses`,
    }),
  );
  watch(() => {
    made.hidden = poses.value === null;
  });
  return made;
}
