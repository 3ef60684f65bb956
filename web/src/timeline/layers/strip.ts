/** One strip of the layers: the body's line, the joints' band, and the scale at its left. */

import type { RetimedClip } from "../../store/clip";
import { Axis } from "../plot/axis";
import { crisp, labelValue, line, type Plot } from "../plot/plot";
import { layerScale, scaleLabel, type Layer, type Strip } from "./layer_values";
import { lengthText } from "../../words/units";

const PAD = 9;

export interface StripLook {
  layer: Layer | null;
  color: string;
  selected: boolean;
}

export function drawStrip(plot: Plot, strip: Strip, { layer, color, selected }: StripLook): void {
  const { context, theme, time, scene, width } = plot;
  const [low, high] = layerScale(layer);
  const up = new Axis(low, high, strip.top + strip.height - PAD, strip.top + PAD);
  if (selected) {
    context.fillStyle = theme.soft;
    context.globalAlpha = 0.5;
    context.fillRect(theme.gutter + 1, strip.top, width, strip.height - 1);
    context.globalAlpha = 1;
  }
  const zero = crisp(up.at(0));
  context.save();
  context.beginPath();
  context.rect(theme.gutter + 1, strip.top, width - theme.gutter - 1, strip.height - 1);
  context.clip();
  context.lineWidth = 1;
  context.strokeStyle = theme.lineStrong;
  context.setLineDash([3, 3]);
  line(context, theme.gutter + 34, zero, width, zero);
  context.setLineDash([]);
  if (layer) {
    const [from, to] = [time.at(scene.output[0]), time.at(scene.output[1])];
    context.beginPath();
    trace(plot, layer, layer.high, up, false);
    trace(plot, layer, layer.low, up, true);
    context.globalAlpha = 0.22;
    context.fillStyle = color;
    context.fill();
    context.globalAlpha = 1;
    context.beginPath();
    trace(plot, layer, layer.body, up, false);
    context.lineWidth = 1.75;
    context.lineJoin = "round";
    context.strokeStyle = layer.flat ? theme.edge : color;
    context.stroke();
    if (!layer.flat) {
      context.lineTo(to, zero);
      context.lineTo(from, zero);
      context.globalAlpha = 0.1;
      context.fillStyle = color;
      context.fill();
      context.globalAlpha = 1;
    }
  }
  context.restore();
  if (layer && !layer.flat) {
    if (high > 0) labelValue(plot, scaleLabel(high), up.at(high));
    if (low < 0) labelValue(plot, scaleLabel(low), up.at(low));
  }
  labelValue(plot, "0 s", up.at(0));
}

function trace({ context, time }: Plot, layer: Layer, values: Float32Array, up: Axis, back: boolean): void {
  for (let n = 0; n < values.length; n++) {
    const k = back ? values.length - 1 - n : n;
    const [x, y] = [time.at(layer.times[k]!), up.at(values[k]!)];
    if (n || back) context.lineTo(x, y);
    else context.moveTo(x, y);
  }
}

/** What a layer adds at a time, in words; of joints the span where they differ. */
export function sayLayer(result: RetimedClip | null, layer: Layer | null, t: number): string {
  if (!result || !layer) return "";
  const at = nearest(layer.times, t);
  const [body, low, high] = [layer.body[at]!, layer.low[at]!, layer.high[at]!];
  return high - low > 1e-3 ? `${word(body)}; joints ${word(low)} to ${word(high)}` : word(body);
}

const word = (s: number): string =>
  Math.abs(s) < 5e-4 ? "as before" : `${lengthText(Math.abs(s))} ${s > 0 ? "ahead" : "behind"}`;

function nearest(times: ArrayLike<number>, t: number): number {
  let best = 0;
  for (let k = 1; k < times.length; k++) if (Math.abs(times[k]! - t) < Math.abs(times[best]! - t)) best = k;
  return best;
}
