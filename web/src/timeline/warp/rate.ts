/** The speed of the source along the output, on a log scale. */

import type { RetimedClip } from "../../store/clip";
import { Axis } from "../plot/axis";
import { crisp, labelRow, labelValue, line, within, type Plot } from "../plot/plot";

const SMOOTHING = 1 / 30; // seconds: a warp's knots are not its speeds
const SLOWEST_SHOWN = 1 / 64;
const FRACTIONS = ["1×", "½×", "¼×", "⅛×"];

export function drawRate(plot: Plot): void {
  const { context, theme, rows, time, scene, width } = plot;
  const row = rows.rate;
  if (!row) return;
  const octaves = scene.result ? octavesOf(scene.result) : 1;
  const up = new Axis(-octaves, octaves, row.top + row.height - 10, row.top + 9);
  const one = up.at(0);
  within(plot, row, () => {
    context.strokeStyle = theme.lineStrong;
    context.lineWidth = 1;
    context.setLineDash([3, 3]);
    line(context, theme.gutter + 34, crisp(one), width, crisp(one));
    context.setLineDash([]);
    const result = scene.result;
    if (!result) return;
    const from = Math.max(time.at(scene.output[0]), theme.gutter);
    const to = Math.min(time.at(scene.output[1]), width);
    context.beginPath();
    for (let x = from; x < to + 1; x++) {
      const pixel = Math.min(x, to);
      const y = up.at(Math.log2(Math.max(speed(result, time, pixel), SLOWEST_SHOWN)));
      if (x === from) context.moveTo(pixel, y);
      else context.lineTo(pixel, y);
    }
    context.lineWidth = 1.75;
    context.lineJoin = "round";
    context.strokeStyle = theme.retimed;
    context.stroke();
    context.lineTo(to, one);
    context.lineTo(from, one);
    context.fillStyle = theme.soft;
    context.fill();
  });
  labelValue(plot, `${2 ** octaves}×`, row.top + 9);
  labelValue(plot, "1×", one);
  labelValue(plot, FRACTIONS[octaves] ?? `1⁄${2 ** octaves}×`, row.top + row.height - 10);
  labelRow(plot, row, "Speed", "log scale");
}

/** The mean over a pixel where that is longer than the smoothing: no peak falls between two pixels. */
function speed(result: RetimedClip, time: Axis, pixel: number): number {
  const half = Math.max(SMOOTHING, 1 / time.scale) / 2;
  const t = time.value(pixel);
  const [a, b] = [Math.max(t - half, result.start), Math.min(t + half, result.end)];
  return b > a ? Math.abs(result.sourceAt(b) - result.sourceAt(a)) / (b - a) : 1;
}

const found = new WeakMap<RetimedClip, number>();

/** Octaves to either side of 1× that hold all speeds but short spikes: at least one, at most six. */
function octavesOf(result: RetimedClip): number {
  const known = found.get(result);
  if (known) return known;
  const samples = 512;
  const axis = new Axis(result.start, result.end, 0, samples);
  let most = 0;
  for (let k = 0; k <= samples; k++)
    most = Math.max(most, Math.abs(Math.log2(Math.max(speed(result, axis, k), SLOWEST_SHOWN))));
  const octaves = Math.min(Math.max(Math.ceil(most - 0.05), 1), 6);
  found.set(result, octaves);
  return octaves;
}
