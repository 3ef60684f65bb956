/** Of sync steps: the song with its beats, taps, and how well the result is on the beat. */

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Bars, Button, Section } from "../../controls";
import * as state from "../../store/state";
import { number } from "../../words/numbers";
import type { MethodPanel } from "../form/form";
import { added, bpmOf, doubled, even, halved, nearest, shiftedHalf, snapped, tempoOf, without } from "./beats";
import { beatsOf, findBeats, heardAt, setBeats } from "./edits";
import { Moments } from "./moments";
import { listening, song } from "./song";
import { Track } from "./track";

export const musicPanel: MethodPanel = {
  replaces: ["beats", "first_beat", "moments"],
  Above: ({ step }) => <><Music step={step} /><Moments step={step} /></>,
  Below: ({ step }) => <Alignment step={step} />,
};

/** Times of the song at which a person tapped. */
const taps = signal<number[]>([]);

function Music({ step }: { step: string }) {
  const audio = state.committed.value?.audio ?? null;
  const hash = audio?.sha256 ?? null;
  useEffect(() => {
    taps.value = [];
  }, [hash, step]);
  const beats = beatsOf(step);
  const bpm = bpmOf(beats);
  const caption = beats.length ? `${beats.length} beats${bpm ? `, ${number(bpm, 1)} a minute` : ""}` : "no beats";
  return (
    <Section id="music" title="Music" caption={audio ? caption : "no song"} class="music-section">
      {audio ? <Track step={step} /> : <p class="note">Drop a song on the page, or set a tempo below.</p>}
      {listening.value !== null && <p class="note">Listening to {audio?.name}…</p>}
      {audio && <BeatButtons step={step} beats={beats} />}
    </Section>
  );
}

function BeatButtons({ step, beats }: { step: string; beats: number[] }) {
  const off = state.link.value !== "open";
  const none = off || beats.length < 3;
  const here = (): number => heardAt(state.time.value);
  const removeHere = (): void => {
    const near = nearest(beats, here());
    if (near !== null) setBeats(step, without(beats, near));
  };
  const button = (label: string, title: string, disabled: boolean, run: () => void) => (
    <Button class="button small" title={title} disabled={disabled} onClick={run}>{label}</Button>
  );
  return (
    <div class="music-buttons" role="group" aria-label="Beats">
      {button("Find", "Find the song's beats", off || listening.value !== null, () => void findBeats(step))}
      {button("Tap", "Tap along while the song plays: four taps set the tempo", off, () => tap(step))}
      {button("×2", "Count twice as many beats", none, () => setBeats(step, doubled(beats)))}
      {button("½", "Count every second beat", none, () => setBeats(step, halved(beats)))}
      {button("Off-beat", "Move the beats by half a beat", none, () => setBeats(step, shiftedHalf(beats)))}
      {button("Snap", "Move beats to the nearest onsets of the song", none || !song.value, () =>
        setBeats(step, snapped(beats, song.value?.onsets ?? [])))}
      {button("Add", "Add a beat at the playhead", off, () => setBeats(step, added(beats, here())))}
      {button("Remove", "Remove the beat next to the playhead", none, removeHere)}
    </div>
  );
}

/** Note a tap; from the fourth on, the taps' tempo makes the beats. */
function tap(step: string): void {
  const last = taps.value.at(-1) ?? -Infinity;
  const now = heardAt(state.time.value);
  taps.value = now > last ? [...taps.value, now] : [now];
  const tempo = tempoOf(taps.value);
  if (tempo) setBeats(step, even(tempo, song.value?.duration ?? heardAt(state.domain.value[1])));
}

function Alignment({ step }: { step: string }) {
  const costs = state.stepResult(step)?.costs ?? {};
  const [score, uniform, chance] = ["", "_uniform", "_chance"].map((end) => costs[`beat_alignment${end}`]);
  if (score === undefined || uniform === undefined || chance === undefined) return null;
  const bar = (name: string, value: number, own = false) => ({ name, share: value, value: number(value, 2), own });
  return (
    <Section id="alignment" title="On the beat" caption="Beat Alignment Score, higher is better">
      <Bars bars={[bar("Synced", score, true), bar("Uniform speed", uniform), bar("By chance", chance)]} />
    </Section>
  );
}
