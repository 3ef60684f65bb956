/** What each step adds to the source time, in numbers: curves, their scale, and where strips lie. */

import type { RetimedClip } from "../../store/clip";
import { lengthText } from "../../words/units";

/** Seconds over output time: the body's, with the least and the most joint's where joints differ. */
export interface Layer {
  times: ArrayLike<number>;
  body: Float32Array;
  low: Float32Array;
  high: Float32Array;
  /** Whether it changes any timing. */
  flat: boolean;
}

/** Below this, seconds, nobody sees a change of timing. */
const NOTHING = 5e-5;
/** The least that a strip shows from bottom to top, seconds. */
const LEAST_SPAN = 0.02;

/** A step's layer; null where the result has none, as of a muted step. */
export function layerOf(result: RetimedClip | null, step: string): Layer | null {
  const times = result?.block("layer_times");
  const rows = result?.block(`layer:${step}`);
  if (!times || !rows || rows.length !== 3 * times.length) return null;
  const column = (c: number): Float32Array => times.map((_, k) => rows[3 * k + c]!);
  return made(times, column(0), column(1), column(2));
}

/** All steps together: the whole warp less identity. */
export function togetherOf(result: RetimedClip): Layer {
  const body = result.output.map((t, k) => result.source[k]! - t);
  return made(result.output, body, body, body);
}

function made(times: ArrayLike<number>, body: Float32Array, low: Float32Array, high: Float32Array): Layer {
  let most = 0;
  for (let k = 0; k < body.length; k++)
    most = Math.max(most, Math.abs(body[k]!), Math.abs(low[k]!), Math.abs(high[k]!));
  return { times, body, low, high, flat: most < NOTHING };
}

/** Round bounds that hold a layer and zero: as far as its own values reach, on either side. */
export function layerScale(layer: Pick<Layer, "low" | "high"> | null): [number, number] {
  let [low, high] = [0, 0];
  for (let k = 0; k < (layer?.low.length ?? 0); k++) {
    low = Math.min(low, layer!.low[k]!);
    high = Math.max(high, layer!.high[k]!);
  }
  const step = roundStep(Math.max(high - low, LEAST_SPAN) / 2);
  const bounds: [number, number] = [-Math.ceil(-low / step - 1e-6) * step, Math.ceil(high / step - 1e-6) * step];
  if (bounds[1] - bounds[0] < LEAST_SPAN) return [-LEAST_SPAN / 2, LEAST_SPAN / 2];
  return [bounds[0] || 0, bounds[1] || 0];
}

/** The next of 1, 2, 5 times a power of ten that is not below. */
function roundStep(least: number): number {
  const decade = 10 ** Math.floor(Math.log10(least) + 1e-9);
  return decade * ([1, 2, 5].find((m) => m * decade >= least * (1 - 1e-9)) ?? 10);
}

/** A bound as it is written beside a strip: earlier and later are signs here, with a true minus. */
export function scaleLabel(value: number): string {
  const digits = Math.abs(value) >= 1 ? 1 : Math.abs(value) >= 0.1 ? 2 : 3;
  const text = lengthText(Math.abs(value), digits).replace(/\.?0+(?= s$)/, "");
  return `${value < 0 ? "−" : value > 0 ? "+" : ""}${text}`;
}

export interface Strip {
  top: number;
  height: number;
}

const LOWEST = 46;
const TALLEST = 92;

/** Heights of the strips: all alike, as tall as there is room; the last one stays, the others scroll under it. */
export function stripHeight(room: number, count: number): number {
  return Math.floor(Math.min(Math.max(room / Math.max(count, 1), LOWEST), TALLEST));
}
