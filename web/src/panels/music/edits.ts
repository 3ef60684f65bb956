/** Changes of a sync step's beats, which a new step takes from the song. */

import { computed, effect, untracked } from "@preact/signals";
import * as actions from "../../store/actions";
import { soundBegin } from "../../store/sound";
import * as state from "../../store/state";
import type { Change } from "../../store/transaction";
import { nearest } from "./beats";
import { listen, song } from "./song";

export function beatsOf(step: string): number[] {
  const listed = state.stepNamed(step)?.parameters?.["beats"];
  return Array.isArray(listed) ? (listed as number[]) : [];
}

export const withBeats = (beats: readonly number[]): Change => ({
  parameters: { beats: beats.length ? beats.map(actions.round) : null, bpm: null },
});

export const setBeats = (step: string, beats: readonly number[]): void => actions.change(step, withBeats(beats));

/** The song's time at which the motion starts, by where the sound lies. */
export function musicStart(): number {
  const offset = state.committed.value?.audio?.offset ?? 0;
  return actions.round((state.source.value?.start ?? 0) - offset);
}

/** The song's time that is heard at a time of the result. */
export const heardAt = (output: number): number => output - soundBegin();

/** Take the beats that the server found; one undo step. */
export async function findBeats(step: string): Promise<void> {
  const found = await listen();
  if (!found) return;
  if (!found.beats.length) {
    actions.fail("No beats were found", found.problem ?? "Tap them in, or set a tempo.");
    return;
  }
  const first = found.downbeats.length ? (nearest(found.beats, found.downbeats[0]!) ?? 0) : 0;
  const start = { music_start: musicStart() || null, first_beat: first || null };
  actions.change(step, { parameters: { ...withBeats(found.beats).parameters, ...start } });
  state.announcement.value = `${found.beats.length} beats`;
}

/** Whether a step has nothing to go by, and a song could tell. */
export function needsBeats(step: string): boolean {
  const values = state.stepNamed(step)?.parameters ?? {};
  return !values["beats"] && !values["bpm"] && state.committed.value?.audio != null && song.value?.problem == null;
}

/** The selected sync step and the song beside it; empty where either is missing. */
const stepAndSong = computed(() => {
  const [step, audio] = [state.step.value, state.committed.value?.audio];
  return step?.method === "sync" && audio ? `${step.id} ${audio.sha256}` : "";
});

/** A new step takes the beats of the song, whether its panel is open or not; one with beats only shows the song. */
export function followSong(): void {
  effect(() => {
    const step = stepAndSong.value.split(" ")[0]!;
    if (step) untracked(() => void (needsBeats(step) ? findBeats(step) : listen()));
  });
}
