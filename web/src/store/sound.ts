/** Loaded sound: its waveform for the timeline, and playing it in step with the motion. */

import * as state from "./state";
import { effect } from "@preact/signals";

const PEAKS_PER_SECOND = 100;
/** Further apart than this, sound is put where it should be; closer, nobody hears it and a jump would be heard. */
const DRIFT = 0.06;
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
  follow(time: number, rate: number): void;
  pause(): void;
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
      if (!player) return;
      const offset = state.committed.value?.audio?.offset ?? 0;
      const at = time - (state.result.value?.outputOf(offset) ?? offset);
      if (rate !== 1 || at < 0 || at > (player.duration || Infinity)) {
        player.pause();
        return;
      }
      if (Math.abs(player.currentTime - at) > DRIFT) player.currentTime = at;
      if (player.paused) void player.play().catch(() => undefined); // refused before the first click: silent then
    },
    pause: () => player?.pause(),
  };
}
