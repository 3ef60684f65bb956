/** Times that a pointer is drawn to. */

import type { Plot } from "./plot";

export const SNAP_PIXELS = 12;

/** The nearest whole frame, where it is near enough on screen; else the time as it is. */
export function snapToFrame(t: number, fps: number, start: number, pixelsPerSecond: number): number {
  const frame = start + Math.round((t - start) * fps) / fps;
  return Math.abs(frame - t) * Math.abs(pixelsPerSecond) <= SNAP_PIXELS ? frame : t;
}

/** The nearest of some moments, where it is near enough on screen; else the time as it is. */
export function snapToMoments(t: number, moments: readonly number[], pixelsPerSecond: number): number {
  let best = t;
  let least = SNAP_PIXELS / Math.abs(pixelsPerSecond);
  for (const moment of moments) {
    const distance = Math.abs(moment - t);
    if (distance <= least) [best, least] = [moment, distance];
  }
  return best;
}

/** Where a pointer at an output time lands: on a beat or on a frame, unless Alt frees it. */
export function snapPull({ scene, time }: Plot, t: number, alt: boolean): number {
  if (alt) return t;
  const beat = snapToMoments(t, scene.beats, time.scale);
  return beat !== t ? beat : snapToFrame(t, scene.fps, scene.output[0], time.scale);
}
