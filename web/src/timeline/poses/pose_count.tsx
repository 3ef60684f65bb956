/** How many poses are kept of those that were found, with a note about edits that name poses. */

import { NumberField, Online, Slider } from "../../controls";
import { ofStep, type Editable } from "../../store/editable";
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

/** `say` tells about edits that name poses while the number is dragged; null takes that back. */
export function PoseCount({ say }: { say(text: string | null): void }) {
  const view = poses.value;
  if (!view) return null;
  const { found } = view.editor;
  const edits = editsOf(state.step.value);
  const label = "Number of poses";
  const kept = ofStep(view.step, keptCount(state.step.value?.parameters?.["keep"], view, edits), (count: number) => {
    const named = edits.filter((e) => namesPoses(e) && !e.mute).length;
    const who = named === 1 ? "1 edit names its pose" : `${named} edits name their poses`;
    say(named ? `${who} by number: with other poses that may be another one. Esc restores.` : null);
    return { parameters: { keep: keepFor(count, found) } };
  }, (count) => (state.announcement.value = `${count} of ${found} poses are kept.`));
  const edit: Editable<number> = {
    ...kept,
    drag() {
      const drag = kept.drag();
      return { ...drag, discard: () => (say(null), drag.discard()) };
    },
  };
  return (
    <Online><div class="pose-count">
      <div class="pose-count-head">
        <span class="pose-count-name">Poses</span>
        <NumberField {...{ label, edit }} whole step={0.1} minimum={FEWEST} />
        <span class="caption">of {found}</span>
      </div>
      <Slider
        {...{ label, edit }} step={1} bounds={[Math.min(fewestFor(edits), found), found]}
        spoken={(count) => `${count} of ${found} poses`}
      />
    </div></Online>
  );
}
