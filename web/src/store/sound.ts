/** Loaded sound: its waveform for the timeline, and playing it in step with the motion. */

import * as state from "./state";
import { effect } from "@preact/signals";

const PEAKS_PER_SECOND = 100;
/** Further apart than this, sound is put where it should be: a seek is heard, so it is rare. */
const DRIFT = 0.15;
/** Closer than that, the picture follows the sound: within so many seconds, by at most this share of its own speed. */
const [CATCH_UP, MOST_PULL] = [0.2, 0.2];
const ADDRESS = "/audio";

/** Least and most of each hundredth of a second, one after the other. */
export function peaksOf(samples: Float32Array, rate: number): Float32Array {
  const size = rate / PEAKS_PER_SECOND;
  const count = Math.ceil(samples.length / size);
  const peaks = new Float32Array(2 * count);
  for (let k = 0; k < count; k++) {
    let [least, most] = [Infinity, -Infinity];
    const end = Math.min(Math.floor((k + 1) * size), samples.length);
    for (let i = Math.floor(k * size); i < end; i++) {
      least = Math.min(least, samples[i]!);
      most = Math.max(most, samples[i]!);
    }
    peaks[2 * k] = least === Infinity ? 0 : least;
    peaks[2 * k + 1] = most === -Infinity ? 0 : most;
  }
  return peaks;
}

const address = (sha256: string): string => `${ADDRESS}?${new URLSearchParams({ sha256 }).toString()}`;
const soundHash = (): string | null => state.committed.value?.audio?.sha256 ?? null;

interface Synced {
  beats: number[];
  /** The song's time at which the step's output starts, and that time of the step's output. */
  music: number;
  first: number;
  toResult(t: number): number;
}

/** The step that puts the shown version on the beat, and what its result says; null where there is none. */
function syncResult(): Synced | null {
  const step = state.steps.value.find((s) => s.method === "sync" && !s.mute);
  const [made, result] = [step && state.stepResult(step.id), state.result.value];
  const music = made?.costs?.["music_start"];
  if (!step || !made || !result || music === undefined) return null;
  const listed = step.parameters?.["beats"];
  const beats = Array.isArray(listed) ? (listed as number[]) : [];
  return { beats, music, first: made.made[0], toResult: result.timesOf(step.id).toResult };
}

/** Output time at which the sound starts: where the beats put it, else where the warp takes its start. */
export function soundBegin(): number {
  const synced = syncResult();
  if (synced) return synced.toResult(synced.first) - synced.music;
  const offset = state.committed.value?.audio?.offset ?? 0;
  const [first, result] = [state.source.value?.start ?? 0, state.result.value];
  if (!result) return offset;
  // Before the motion starts, time runs as it does in the song.
  return offset < first ? result.start + offset - first : result.outputOf(offset);
}

/** Output times of the beats that the shown version is synced to. */
export function shownBeats(): number[] {
  const synced = syncResult();
  return synced ? synced.beats.map((beat) => synced.toResult(beat - synced.music + synced.first)) : [];
}

interface Waveform {
  waveform(peaks: Float32Array | null, seconds: number): void;
}

/** Draw the sound's waveform whenever the project's sound is another one. */
export function followSound(timeline: Waveform): void {
  let shown: string | null = null;
  effect(() => {
    const hash = soundHash();
    if (hash === shown) return;
    shown = hash;
    if (hash === null) timeline.waveform(null, 0);
    else void decode(hash).then(([peaks, length]) => hash === shown && timeline.waveform(peaks, length));
  });
}

async function decode(hash: string): Promise<[Float32Array | null, number]> {
  try {
    const reply = await fetch(address(hash));
    if (!reply.ok) return [null, 0];
    // Offline: no sound device is opened, and no gesture is needed for it.
    const context = new OfflineAudioContext(1, 1, 44_100);
    const sound = await context.decodeAudioData(await reply.arrayBuffer());
    return [peaksOf(sound.getChannelData(0), sound.sampleRate), sound.duration];
  } catch {
    return [null, 0]; // a kind of sound that this browser cannot read: it is not drawn
  }
}

export interface SoundPlayer {
  /** Let sound run with the picture, whose time now is given; returned is how far the sound is ahead, seconds. */
  follow(time: number, rate: number): number;
  pause(): void;
}

/**
 * By how much the picture moves, in a frame of some seconds, towards sound that is ahead. Sound has a clock of its own;
 * ears hear a seek or a change of pitch, while eyes do not see a frame that is a little longer.
 */
export function pullOf(ahead: number, passed: number): number {
  if (Math.abs(ahead) > DRIFT) return 0;
  const most = MOST_PULL * passed;
  return Math.min(Math.max(ahead * Math.min(passed / CATCH_UP, 1), -most), most);
}

/** Sound at its own speed from where its start went: only at normal rate, as nothing else sounds right. */
export function soundPlayer(): SoundPlayer {
  let player: HTMLAudioElement | null = null;
  effect(() => {
    const hash = soundHash();
    player?.pause();
    player = hash === null ? null : new Audio(address(hash));
  });
  return {
    follow(time, rate) {
      if (!player) return 0;
      const at = time - soundBegin();
      if (rate !== 1 || at < 0 || at > (player.duration || Infinity)) {
        player.pause();
        return 0;
      }
      if (player.paused) {
        player.currentTime = at;
        void player.play().catch(() => undefined); // refused before the first click: silent then
        return 0;
      }
      const ahead = player.currentTime - at;
      if (Math.abs(ahead) > DRIFT && !player.seeking) player.currentTime = at;
      return ahead;
    },
    pause: () => player?.pause(),
  };
}
