/** Time that runs while it plays, by the wall clock; loaded sound runs with it. */

import * as state from "./state";
import { effect } from "@preact/signals";
import { pullOf, soundPlayer } from "./sound";

export interface Tick {
  time: number;
  playing: boolean;
}

/** Where time is after a while: round again or stopped at the end. */
export function advance(time: number, by: number, [a, b]: [number, number], looping: boolean): Tick {
  const next = Math.max(time, a) + by;
  if (next < b) return { time: next, playing: true };
  const length = b - a;
  if (!looping || length <= 0) return { time: b, playing: false };
  return { time: a + ((next - a) % length), playing: true };
}

/** Start at the beginning again where the end was reached. */
export function togglePlay(): void {
  if (!state.source.value) return;
  const [a, b] = state.playSpan.value;
  const t = state.time.value;
  if (!state.playing.value && (t >= b - 1e-6 || t < a)) state.time.value = a;
  state.playing.value = !state.playing.value;
}

/** A frame later than this was a pause of the machine, not of the motion: time does not leap over it. */
const LONGEST_FRAME = 0.25;

export function runPlayback(): void {
  const sound = soundPlayer();
  effect(() => {
    if (!state.playing.value) {
      sound.pause();
      return undefined;
    }
    let last = performance.now();
    let ahead = 0;
    const step = (now: number): void => {
      const passed = Math.min((now - last) / 1000, LONGEST_FRAME);
      last = now;
      const span = state.playSpan.peek();
      const by = passed * state.playbackRate.peek() + pullOf(ahead, passed);
      const tick = advance(state.time.peek(), by, span, state.looping.peek());
      state.time.value = tick.time;
      if (!tick.playing) {
        state.playing.value = false;
        return;
      }
      // A busy page calls late: sound has gone on since the frame's own time.
      const late = (performance.now() - now) / 1000;
      ahead = sound.follow(tick.time + late, state.playbackRate.peek());
      request = requestAnimationFrame(step);
    };
    let request = requestAnimationFrame(step);
    return () => cancelAnimationFrame(request);
  });
}
