/** A straight mapping between values and pixels, and the ticks along it. */

import { timeText } from "../../words/units";

export class Axis {
  readonly high: number;
  constructor(
    readonly low: number,
    high: number,
    readonly start: number,
    readonly end: number,
  ) {
    this.high = high > low ? high : low + 1e-3; // a clip of one frame still has a place on screen
  }

  /** Pixels per unit; negative where values rise up the screen. */
  get scale(): number {
    return (this.end - this.start) / (this.high - this.low);
  }
  at(value: number): number {
    return this.start + (value - this.low) * this.scale;
  }
  value(pixel: number): number {
    return this.low + (pixel - this.start) / this.scale;
  }
}

const DECIMAL = [1, 2, 5];
/** Beyond ten seconds people count in minutes and hours. */
const LONG = [10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 21600, 43200, 86400];

/** The smallest step in seconds that keeps ticks `gap` pixels apart. */
export function tickStep(pixelsPerSecond: number, gap: number): number {
  const least = gap / Math.abs(pixelsPerSecond);
  if (!(least > 0) || !Number.isFinite(least)) return 1;
  if (least > 5) return LONG.find((step) => step >= least) ?? 86400 * Math.ceil(least / 86400);
  const decade = 10 ** Math.floor(Math.log10(least));
  const mantissa = DECIMAL.find((m) => m * decade >= least * (1 - 1e-9)) ?? 10;
  return mantissa * decade;
}

/** Multiples of a step between two values, ends included. */
export function ticks(from: number, to: number, step: number): number[] {
  const found: number[] = [];
  const last = Math.floor(to / step + 1e-6);
  for (let k = Math.ceil(from / step - 1e-6); k <= last; k++) found.push(k * step);
  return found;
}

/** Parts that a step is divided into by short ticks. */
export function tickParts(step: number): number {
  return Math.round(step / 10 ** Math.floor(Math.log10(step) + 1e-9)) === 2 ? 4 : 5;
}

export function tickLabel(t: number, step: number): string {
  if (step >= 60) return clock(t);
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return `${signed(t, decimals)} s`;
}

function clock(t: number): string {
  const all = Math.round(Math.abs(t));
  const two = (n: number): string => String(n).padStart(2, "0");
  const [hours, minutes, rest] = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60];
  const text = hours ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
  return t < 0 ? `−${text}` : text;
}

function signed(value: number, decimals: number): string {
  const text = Math.abs(value).toFixed(decimals);
  return value < 0 && Number(text) !== 0 ? `−${text}` : text;
}

/** A time as it is written everywhere: in the unit that was chosen. */
export const seconds = (t: number): string => timeText(t);

/** A speed as it is written everywhere. */
export function times(rate: number, decimals = rate < 0.1 ? 2 : 1): string {
  return `${rate >= 10 ? rate.toFixed(rate % 1 ? 1 : 0) : rate.toFixed(decimals)}×`;
}

/** A keytime in words. */
export const sayKey = ([output, source]: readonly [number, number]): string =>
  `${seconds(output)} shows ${seconds(source)}`;
