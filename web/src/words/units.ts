/** The unit that times are shown and typed in: seconds, frames or timecode. This browser remembers it. */

import { signal } from "@preact/signals";
import { number } from "./numbers";

export const TIME_UNITS = ["seconds", "frames", "timecode"] as const;
export type TimeUnit = (typeof TIME_UNITS)[number];

export const timeUnit = signal<TimeUnit>("seconds");
/** Frames a second of what is shown; the store keeps it. */
export const frameRate = signal(60);

export const asTimeUnit = (word: string | null): TimeUnit =>
  TIME_UNITS.find((unit) => unit === word) ?? "seconds";

/** A time in frames, with a tenth where it lies between two. */
export function frames(t: number, rate = frameRate.value): string {
  const count = t * rate;
  return number(count, Math.abs(count - Math.round(count)) < 0.05 ? 0 : 1);
}

/** A time as editing programs write it: hours, minutes, seconds and frames. */
export function timecode(t: number, rate = frameRate.value): string {
  const whole = Math.max(Math.round(rate), 1); // as in SMPTE timecode: 30 frames where it is 29.97
  const count = Math.round(Math.abs(t) * rate);
  const all = Math.floor(count / whole);
  const parts = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60, count % whole];
  return (t < 0 && count ? "−" : "") + parts.map((part) => String(part).padStart(2, "0")).join(":");
}

/** A time in the chosen unit, with the unit behind it. */
export function timeText(t: number, digits = 2): string {
  if (timeUnit.value === "frames") return `${frames(t)} f`;
  return timeUnit.value === "timecode" ? timecode(t) : `${number(t, digits)} s`;
}

/** A length of time in the chosen unit; where times are timecodes, in frames. */
export const lengthText = (t: number, digits = 2): string =>
  timeUnit.value === "seconds" ? `${number(t, digits)} s` : `${frames(t)} f`;

/** Whole numbers of frames that a ruler may be divided by; above a second, whole seconds. */
export function frameStep(pixelsPerSecond: number, gap: number, rate = frameRate.value): number {
  const least = (gap * rate) / Math.abs(pixelsPerSecond);
  const second = Math.max(Math.round(rate), 1);
  const below = timeUnit.value === "frames" ? [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000] : [1, 2, 5, 10];
  const above = timeUnit.value === "frames" ? [] : [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600].map((s) => s * second);
  const fits = [...below.filter((step) => timeUnit.value === "frames" || step < second), ...above];
  return (fits.find((step) => step >= least) ?? 10 ** Math.ceil(Math.log10(least))) / rate;
}
