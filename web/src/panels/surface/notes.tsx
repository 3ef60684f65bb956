/** What the server widened or cut of a surface key, in a sentence each. */

import { Icon } from "../../controls";
import type { SurfaceKeyView } from "../../protocol";
import * as state from "../../store/state";
import { dragsOf, gammaOf, rangeOf, surfaceEditor, surfaceKeys, surfaceView, type SurfaceKey } from "../../store/surface";
import { seconds } from "../../words/numbers";
import { sentence } from "../../words/sentence";

export function KeyNotes({ index }: { index: number }) {
  const key = surfaceKeys.value[index];
  const view = surfaceView(index)?.view;
  const said = state.stepResult(state.step.value?.id ?? "")?.notes ?? [];
  const others = (surfaceEditor.value?.notes ?? []).filter((note) => !said.includes(note));
  const own = key && view && !state.pending.value ? [widenedNote(key, view), cutNote(key, view.made)] : [];
  const all = [...own.filter((note) => note !== null), ...others];
  return (
    <div class="surface-notes" hidden={!all.length}>
      {all.map((note) => <p key={note} class="surface-note"><Icon name="alert" />{sentence(note)}</p>)}
    </div>
  );
}

/** What the server made of the shift where it did not fit. */
export function cutNote(key: SurfaceKey, made: number): string | null {
  const asked = dragsOf(key).reduce((most, d) => Math.max(most, Math.abs(d.shift)), 0);
  if (Math.abs(made) > asked - 1e-3) return null;
  return (
    `Only ${seconds(Math.abs(made))} of ${seconds(asked)} fit: the clip's end or another key leaves no more room. ` +
    "Move the key, or shorten the other's Fade in time."
  );
}

export function widenedNote(key: SurfaceKey, view: Pick<SurfaceKeyView, "start" | "end">): string | null {
  const [from, to] = rangeOf(key);
  const more = Math.max(from - view.start, view.end - to);
  if (more < 5e-3) return null;
  const [asked, made] = [gammaOf(key), gammaOf(key) + more].map((s) => seconds(s));
  return `Fade widened from ${asked} to ${made}, so that time never runs backwards.`;
}
