/** Lists of beats: doubled, halved, moved, tapped and snapped. Times are seconds of the song, rising. */

/** Beats closer than this are refused by the method. */
export const CLOSEST = 0.1;
/** A beat goes to an onset that is this near when it is snapped, seconds. */
const SNAP = 0.07;
/** Taps further apart than this belong to different tries, seconds. */
const PAUSE = 2.5;

const middles = (beats: readonly number[]): number[] => beats.slice(1).map((b, k) => (b + beats[k]!) / 2);

export const doubled = (beats: readonly number[]): number[] => [...beats, ...middles(beats)].sort((a, b) => a - b);
export const halved = (beats: readonly number[]): number[] => beats.filter((_, k) => k % 2 === 0);
export const shiftedHalf = (beats: readonly number[]): number[] => middles(beats);

/** One beat elsewhere, kept between its neighbours. */
export function moved(beats: readonly number[], index: number, to: number): number[] {
  const low = (beats[index - 1] ?? -Infinity) + CLOSEST;
  const high = (beats[index + 1] ?? Infinity) - CLOSEST;
  return beats.map((beat, k) => (k === index ? Math.min(Math.max(to, low), high) : beat));
}

/** One beat more, unless there is one already. */
export function added(beats: readonly number[], time: number): number[] {
  const near = nearest(beats, time);
  if (near !== null && Math.abs(beats[near]! - time) < CLOSEST) return [...beats];
  return [...beats, time].sort((a, b) => a - b);
}

export const without = (beats: readonly number[], index: number): number[] => beats.filter((_, k) => k !== index);

/** Index of the beat that is nearest to a time. */
export function nearest(beats: readonly number[], time: number): number | null {
  let best: number | null = null;
  beats.forEach((beat, k) => {
    if (best === null || Math.abs(beat - time) < Math.abs(beats[best]! - time)) best = k;
  });
  return best;
}

/** Beats at the nearest onsets of the song, where these are near. */
export function snapped(beats: readonly number[], onsets: readonly number[]): number[] {
  const out = beats.map((beat) => {
    const near = nearest(onsets, beat);
    return near !== null && Math.abs(onsets[near]! - beat) <= SNAP ? onsets[near]! : beat;
  });
  return out.every((beat, k) => k === 0 || beat - out[k - 1]! >= CLOSEST) ? out : [...beats];
}

/** The tempo of taps: the line that fits them best. Taps before a pause are left out; null where there are too few. */
export function tempoOf(taps: readonly number[]): { step: number; offset: number } | null {
  let first = taps.length - 1;
  while (first > 0 && taps[first]! - taps[first - 1]! > 0 && taps[first]! - taps[first - 1]! < PAUSE) first--;
  const own = taps.slice(Math.max(first, 0));
  if (own.length < 4) return null;
  const middle = (own.length - 1) / 2;
  const mean = own.reduce((sum, t) => sum + t, 0) / own.length;
  let [up, across] = [0, 0];
  own.forEach((t, k) => {
    up += (k - middle) * (t - mean);
    across += (k - middle) ** 2;
  });
  const step = up / across;
  return step >= CLOSEST ? { step, offset: mean - middle * step } : null;
}

/** Even beats from the start of a song to its end. */
export function even({ step, offset }: { step: number; offset: number }, seconds: number): number[] {
  const first = offset - Math.floor(offset / step) * step;
  return Array.from({ length: Math.max(Math.floor((seconds - first) / step) + 1, 0) }, (_, k) => first + k * step);
}

/** Beats a minute, by the median distance. */
export function bpmOf(beats: readonly number[]): number | null {
  const gaps = beats.slice(1).map((b, k) => b - beats[k]!).sort((a, b) => a - b);
  return gaps.length ? 60 / gaps[gaps.length >> 1]! : null;
}
