/** Numbers as a person reads them: units always, a true minus, no more digits than count. */

import { timeText } from "./units";

const MINUS = "\u2212";
const NARROW = "\u202f";

export function number(value: number, digits = 2): string {
  if (!Number.isFinite(value)) return "";
  const fixed = Math.abs(value).toFixed(digits);
  return value < 0 && Number(fixed) !== 0 ? MINUS + fixed : fixed;
}

/** A time in the unit that was chosen: seconds, frames or timecode. */
export const seconds = (value: number, digits = 2): string => timeText(value, digits);
export const percent = (share: number): string => `${number(100 * share, 0)} %`;

/** Milliseconds, in seconds once they are many. */
export const took = (ms: number): string =>
  ms < 1000 ? `${Math.max(1, Math.round(ms))} ms` : `${number(ms / 1000, 1)} s`;

/** What is left, roughly: nobody believes more. */
export function left(seconds: number): string {
  if (seconds < 1) return "about 1 s left";
  return seconds < 90 ? `about ${Math.round(seconds)} s left` : `about ${Math.round(seconds / 60)} min left`;
}

/** Read a number as people type it: decimal comma, a true minus, a unit behind it. */
export function parseNumber(typed: string): number | null {
  const plain = typed.trim().replaceAll(NARROW, "").replace(MINUS, "-").replace(",", ".");
  const found = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?/i.exec(plain);
  const value = found ? Number(found[0]) : NaN;
  return Number.isFinite(value) ? value : null;
}

/** As many digits as it takes to be right to half a percent: 0.02 m, but 0.167 s. */
export function digitsFor(value: number, usual: number): number {
  for (let digits = usual; digits < 4; digits++)
    if (Math.abs(value - Number(value.toFixed(digits))) <= 5e-3 * Math.abs(value)) return digits;
  return 4;
}

export const count = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`;

/** "left_upper_arm" as "Left upper arm". */
export function titled(name: string): string {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
