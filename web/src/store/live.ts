/** A motion that was followed as if it came live, as it is played back: its own time, and both bodies at it. */

import { computed, signal } from "@preact/signals";
import { interpolate, type LiveRun, type SourceClip } from "./clip";
import * as state from "./state";

/** The performer's time, seconds. */
export const liveTime = signal(0);
export const livePlaying = signal(false);
/** The motion that is shown in the recording's place, at the followed time; the recording itself where none is. */
export const partner = signal<string | null>(null);

export interface LiveBodies {
  performer: SourceClip;
  /** The performer's time. */
  at: number;
  /** The recording, or the partner that plays along with it. */
  reference: SourceClip;
  /** The time of the recording that was followed to. */
  shows: number;
}

/** The run, where it is of the motion that is open. */
export const liveRun = computed<LiveRun | null>(() => {
  const run = state.liveRun.value;
  const fits = run && run.times.length > 0 && run.header.reference === state.project.value?.source;
  return fits ? run : null;
});

/** First and last time of the run. */
export const liveDomain = computed<[number, number]>(() => {
  const times = liveRun.value?.times;
  return times ? [times[0]!, times[times.length - 1]!] : [0, 1];
});

/** What the view shows instead of original and result; null while the tab is not open. */
export const liveBodies = computed<LiveBodies | null>(() => {
  const run = state.tab.value === "live" ? liveRun.value : null;
  const source = state.source.value;
  const performer = run && state.clips.value.get(run.header.performer);
  if (!run || !source || !performer) return null;
  const at = liveTime.value;
  return { performer, at, reference: partnerClip.value ?? source, shows: interpolate(run.times, run.source, at) };
});

/** Whether the view has a body for a clip: it has those of the source's skeleton only, and a mesh needs rotations. */
export function fitsBody(clip: SourceClip): boolean {
  const source = state.source.value;
  return source !== null && clip.points === source.points && (!source.rotations || clip.rotations !== null);
}

/** The partner's motion, where the recording's body can show it. */
const partnerClip = computed<SourceClip | null>(() => {
  const clip = (partner.value && state.clips.value.get(partner.value)) || null;
  return clip && fitsBody(clip) ? clip : null;
});

/** What the view does not show, and why; empty where it shows all. */
export const liveNote = computed<string>(() => {
  const bodies = liveBodies.value;
  if (!bodies) return "";
  const notes: string[] = [];
  if (!fitsBody(bodies.performer))
    notes.push("The performer is not shown: its skeleton is not that of the recording.");
  if (partner.value && !partnerClip.value)
    notes.push("The recording is shown instead of the partner, whose skeleton is different.");
  return notes.join(" ");
});

export function seekLive(t: number): void {
  const [a, b] = liveDomain.value;
  liveTime.value = Math.min(Math.max(t, a), b);
}

/** Start at the beginning again where the end was reached. */
export function toggleLive(): void {
  if (!liveRun.value) return;
  const [a, b] = liveDomain.value;
  if (!livePlaying.value && liveTime.value >= b - 1e-6) liveTime.value = a;
  livePlaying.value = !livePlaying.value;
}
