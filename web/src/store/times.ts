/** Times as people type them: 2.4, 2.4s, 1:02.5, 48f and 80%. Python reads them alike (tests/data/times.json). */

import { parseNumber } from "../words/numbers";
import { frames, timecode, timeUnit, type TimeUnit } from "../words/units";
import * as state from "./state";

/** What a time is a time of: a length, a moment of the output, or one of the source. */
export type TimeKind = "length" | "output" | "source";

/** What frames and percentages are counted by. */
export interface Clock {
  /** When the step's input starts, seconds. */
  start: number;
  /** Length of the step's input. */
  whole: number;
  /** Length that a percentage of a length is of: the range's where there is one. */
  length: number;
  outputLength: number;
  rate: number;
  outputRate: number;
}

const WITH_UNIT = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*(s|sec|f|fr|frames?|%)?$/i;
const TIMECODE = /^([+-]?)(\d+):(\d+):(\d+):(\d+)$/;
const CLOCK = /^([+-]?)(?:(\d+):)?(\d+):(\d+(?:\.\d*)?)$/;

/** Seconds of a typed time; null where it is none. In frames a number without a unit is one of them. */
export function parseTime(
  typed: string, kind: TimeKind, clock: Clock, shown: TimeUnit = "seconds",
): number | null {
  const plain = typed.trim().replaceAll("\u202f", "").replace("\u2212", "-").replace(",", ".");
  const code = shown === "timecode" ? TIMECODE.exec(plain) : null;
  if (code) {
    const [, sign, hours, minutes, rest, count] = code;
    const rate = rateOf(kind, clock);
    const whole = 3600 * Number(hours) + 60 * Number(minutes) + Number(rest);
    const total = (whole * Math.max(Math.round(rate), 1) + Number(count)) / rate;
    return sign === "-" ? -total : total;
  }
  const parts = CLOCK.exec(plain);
  if (parts) {
    const [, sign, hours, minutes, rest] = parts;
    const total = 3600 * Number(hours ?? 0) + 60 * Number(minutes) + Number(rest);
    return sign === "-" ? -total : total;
  }
  const found = WITH_UNIT.exec(plain);
  const amount = found ? Number(found[1]) : NaN;
  if (!found || !Number.isFinite(amount)) return null;
  const unit = (found[2] ?? (shown === "frames" ? "f" : "s")).toLowerCase();
  if (unit.startsWith("s")) return amount;
  const start = kind === "length" ? 0 : clock.start;
  if (unit !== "%") return start + amount / rateOf(kind, clock);
  const of = kind === "length" ? clock.length : kind === "source" ? clock.whole : clock.outputLength;
  return start + (amount / 100) * of;
}

/** What times that are typed for a step are counted by. */
export function clockOf(step: string | null): Clock {
  const [a, b] = givenTo(step);
  const made = state.result.value?.header.steps.find((s) => s.id === step)?.made;
  return {
    start: a,
    whole: b - a,
    length: sourceLength(step),
    outputLength: made ? made[1] - made[0] : b - a,
    rate: state.source.value?.fps ?? state.fps.value,
    outputRate: state.fps.value,
  };
}

const rateOf = (kind: TimeKind, clock: Clock): number => (kind === "source" ? clock.rate : clock.outputRate);

/** Reads times of one kind, and writes them in the unit that was chosen. */
export interface TimeReader {
  (typed: string): number | null;
  /** A time without its unit; null where it is shown in seconds, as any number. */
  write(t: number): string | null;
  /** Seconds of a frame. */
  frame(): number;
}

export const isTimeReader = (read: (typed: string) => number | null): read is TimeReader => "write" in read;

/** A reader of times of one kind that are typed for a step. */
export const timeReader = (kind: TimeKind, step: () => string | null): TimeReader =>
  readerOf(kind, () => clockOf(step()));

export const readerOf = (kind: TimeKind, clock: () => Clock): TimeReader =>
  Object.assign(
    (typed: string): number | null =>
      parseTime(typed, kind, clock(), timeUnit.value),
    {
      write(t: number): string | null {
        const now = clock();
        if (timeUnit.value === "timecode") return timecode(t, rateOf(kind, now));
        return timeUnit.value === "frames" ? frames(t - (kind === "length" ? 0 : now.start), rateOf(kind, now)) : null;
      },
      frame: () => 1 / rateOf(kind, clock()),
    },
  );

/** The reader of lengths in time that are typed for the selected step. */
export const lengthReader = timeReader("length", () => state.selectedStep.value);

/** Read a number of a unit: a length in time where it is seconds; a percentage is a share where it is another unit. */
export function readNumber(typed: string, unit: string | undefined): number | null {
  if (unit === "s") return lengthReader(typed);
  const value = parseNumber(typed);
  const isShare = value !== null && unit !== "%" && /%\s*$/.test(typed);
  return isShare ? value / 100 : value;
}

/** From when to when a step was given its motion: by the source, or by the steps before it. */
export function givenTo(step: string | null): [number, number] {
  const found = state.result.value?.header.steps.find((s) => s.id === step);
  return found?.given ?? [state.source.value?.start ?? 0, state.source.value?.end ?? 1];
}

/** Length that a step makes where none is set: what it was given, unless its method changes that. */
export function restLength(step: string | null): number {
  const made = state.result.value?.header.steps.find((s) => s.id === step)?.made;
  const hasRange = Array.isArray(state.steps.value.find((s) => s.id === step)?.parameters?.["range"]);
  return made && !hasRange ? made[1] - made[0] : sourceLength(step);
}

/** Length of what a step retimes: its range, or all that it is given. */
export function sourceLength(step: string | null): number {
  const range = state.steps.value.find((s) => s.id === step)?.parameters?.["range"];
  const [a, b] = Array.isArray(range) ? (range as [number, number]) : givenTo(step);
  return b - a;
}
