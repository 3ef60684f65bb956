/** How likely each moment is an extreme pose, with a dot at each pose that was kept. */

import { interpolate } from "../../store/clip";
import { crisp, line } from "../plot/plot";
import { thin } from "../plot/thinning";
import { likelyY, stepTime, stepX, visiblePoses, type PosePlot } from "./pose_plot";

/** The curve by columns, made once for what came with a result. */
interface Curve {
  times: Float32Array;
  values: Float32Array;
  most: number;
}

const known = new WeakMap<Float32Array, Curve>();

export function curveOf(pairs: Float32Array | null): Curve | null {
  if (!pairs?.length) return null;
  const before = known.get(pairs);
  if (before) return before;
  const count = pairs.length / 2;
  const curve: Curve = { times: new Float32Array(count), values: new Float32Array(count), most: 0 };
  for (let n = 0; n < count; n++) {
    curve.times[n] = pairs[2 * n]!;
    curve.values[n] = pairs[2 * n + 1]!;
    curve.most = Math.max(curve.most, curve.values[n]!);
  }
  known.set(pairs, curve);
  return curve;
}

export function drawLikelihood(plot: PosePlot, hoveredPose: number | null): void {
  const { context, theme, bands, width } = plot;
  const { view, selected } = plot.poses;
  if (!view) return;
  const { top, height } = bands.likely;
  const curve = curveOf(view.probability);
  context.save();
  context.beginPath();
  context.rect(theme.gutter + 1, top, width, height);
  context.clip();
  if (curve) drawCurve(plot, curve);
  const [first, last] = visiblePoses(plot);
  for (let k = first; k < last; k++) {
    const x = stepX(plot, view.times[k]!);
    const y = dotY(plot, k);
    context.strokeStyle = k === selected ? theme.retimed : theme.lineStrong;
    context.lineWidth = 1;
    line(context, crisp(x - 0.5), y, crisp(x - 0.5), top + height);
    context.beginPath();
    context.arc(x, y, (k === selected ? 5 : 4) + (k === hoveredPose ? 1 : 0), 0, 2 * Math.PI);
    context.fillStyle = view.isFree(k) ? theme.retimed : theme.text3;
    context.fill();
    if (k !== selected) continue;
    context.strokeStyle = theme.selection;
    context.lineWidth = 1.5;
    context.stroke();
  }
  context.restore();
}

/** Where a pose's dot is. */
export function dotY(plot: PosePlot, k: number): number {
  const view = plot.poses.view!;
  const curve = curveOf(view.probability);
  const likely = curve ? interpolate(curve.times, curve.values, view.times[k]!) : 0;
  return likelyY(plot, likely, curve?.most ?? 0);
}

function drawCurve(plot: PosePlot, { times, values, most }: Curve): void {
  const { context, theme, bands, width } = plot;
  const [from, to] = [stepTime(plot, theme.gutter), stepTime(plot, width)];
  const kept = thin(times, values, from, to, width);
  if (!kept.length) return;
  const bottom = bands.likely.top + bands.likely.height - 8;
  context.beginPath();
  kept.forEach((n, i) => {
    const [x, y] = [stepX(plot, times[n]!), likelyY(plot, values[n]!, most)];
    if (i) context.lineTo(x, y);
    else context.moveTo(x, y);
  });
  context.strokeStyle = theme.text2;
  context.lineWidth = 1.25;
  context.stroke();
  context.lineTo(stepX(plot, times[kept.at(-1)!]!), bottom);
  context.lineTo(stepX(plot, times[kept[0]!]!), bottom);
  context.closePath();
  context.globalAlpha = 0.12;
  context.fillStyle = theme.text2;
  context.fill();
  context.globalAlpha = 1;
}
