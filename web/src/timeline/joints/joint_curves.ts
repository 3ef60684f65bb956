/** The plot: how far ahead of the output each joint is, one curve a joint, coloured by limb, left ones dashed. */

import { LIMB_TITLES, LIMBS, type Limb } from "../../store/limbs";
import { aheadAt } from "../../store/surface";
import { ticks, tickStep } from "../plot/axis";
import { crisp, labelValue, line, within } from "../plot/plot";
import { thin } from "../plot/thinning";
import type { JointPlot } from "./joint_plot";
import type { Curves } from "./joint_scene";
import { isLeft } from "./limb_colours";

const TICK_GAP = 22;
const DASH = [5, 3];
const REACH = 8;
const LEGEND = { top: 54, pitch: 17, sample: 15 };

export function drawCurves(plot: JointPlot): void {
  const { rows, joints, source } = plot;
  const { curves } = joints;
  within(plot, rows.warp, () => {
    drawGrid(plot);
    if (curves) for (const j of drawingOrder(plot, curves)) drawCurve(plot, curves, j);
  });
  const step = tickStep(source.scale, TICK_GAP);
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  for (const value of ticks(source.low, source.high, step))
    labelValue(plot, Math.abs(value) < 1e-9 ? "0" : value.toFixed(decimals).replace("-", "−"), source.at(value));
}

function drawGrid({ context, theme, source, width }: JointPlot): void {
  context.lineWidth = 1;
  for (const value of ticks(source.low, source.high, tickStep(source.scale, TICK_GAP))) {
    context.strokeStyle = Math.abs(value) < 1e-9 ? theme.lineStrong : theme.line;
    line(context, theme.gutter, crisp(source.at(value)), width, crisp(source.at(value)));
  }
}

/** What stands out comes last; of a limb's still joints one is enough. */
function drawingOrder({ joints }: JointPlot, { columns, still }: Curves): number[] {
  const { limbs, solo, focused } = joints;
  const flat = new Set<Limb>();
  const kept = columns.map((_, j) => j).filter((j) => {
    const limb = limbs[j] ?? "trunk";
    if (!still[j] || j === focused) return true;
    if (flat.has(limb)) return false;
    flat.add(limb);
    return true;
  });
  const rank = (j: number): number => (j === focused ? 4 : limbs[j] === solo ? 2 : 0) + (still[j] ? 0 : 1);
  return kept.sort((a, b) => rank(a) - rank(b));
}

function drawCurve(plot: JointPlot, curves: Curves, joint: number): void {
  const { context, time, source, joints, colours } = plot;
  const limb = joints.limbs[joint] ?? "trunk";
  const column = curves.columns[joint]!;
  const focused = joint === joints.focused;
  const hidden = joints.solo !== null && limb !== joints.solo;
  context.beginPath();
  thinned(plot, curves, joint).forEach((k, n) => {
    const [x, y] = [time.at(curves.clip.times[k]!), source.at(column[k]!)];
    if (n) context.lineTo(x, y);
    else context.moveTo(x, y);
  });
  context.lineWidth = focused ? 2.75 : 1.4;
  context.lineJoin = "round";
  context.setLineDash(isLeft(limb) ? DASH : []);
  context.globalAlpha = hidden && !focused ? 0.14 : focused ? 1 : 0.8;
  context.strokeStyle = colours[limb];
  context.stroke();
  context.setLineDash([]);
  context.globalAlpha = 1;
}

/** Points of a part of time are chosen once: hovering draws the same ones again. */
let cache: { curves: Curves; part: string; kept: (number[] | undefined)[] } | null = null;

function thinned({ time, theme, width }: JointPlot, curves: Curves, joint: number): number[] {
  const [from, to] = [time.value(theme.gutter), time.value(width)];
  const part = `${from} ${to} ${width}`;
  if (cache?.curves !== curves || cache.part !== part) cache = { curves, part, kept: [] };
  const columns = Math.ceil(width - theme.gutter);
  return (cache.kept[joint] ??= thin(curves.clip.times, curves.columns[joint]!, from, to, columns));
}

/** The curve under the pointer: of those that are not hidden the nearest, one that moves before one that rests. */
export function curveAt({ joints, time, source, rows }: JointPlot, x: number, y: number): number | null {
  const { curves, limbs, solo } = joints;
  const { top, height } = rows.warp;
  if (!curves || y < top || y > top + height) return null;
  const t = time.value(x);
  if (t < curves.clip.start || t > curves.clip.end) return null;
  let best: number | null = null;
  let least = REACH;
  curves.columns.forEach((column, j) => {
    if (solo !== null && limbs[j] !== solo) return;
    const far = Math.abs(source.at(aheadAt(curves.clip, column, t)) - y) + (curves.still[j] ? 0.5 : 0);
    if (far < least) [best, least] = [j, far];
  });
  return best;
}

/** Name the plot in the gutter, with its legend where there is room. */
export function drawLegend(plot: JointPlot): void {
  const { context, theme, rows, joints, colours } = plot;
  const { top } = rows.warp;
  context.textAlign = "left";
  context.textBaseline = "middle";
  context.font = theme.label;
  context.fillStyle = theme.text;
  context.fillText("Joint times", 12, top + 15, theme.gutter - 16);
  context.font = theme.tick;
  context.fillStyle = theme.text3;
  context.fillText(theme.gutter > 100 ? "ahead of output, s" : "ahead, s", 12, top + 32, theme.gutter - 16);
  for (const { limb, y } of legendPlaces(plot)) {
    const hidden = joints.solo !== null && joints.solo !== limb;
    context.globalAlpha = hidden ? 0.45 : 1;
    context.strokeStyle = colours[limb];
    context.lineWidth = 2;
    context.setLineDash(isLeft(limb) ? [4, 3] : []);
    line(context, 12, y, 12 + LEGEND.sample, y);
    context.setLineDash([]);
    context.fillStyle = joints.solo === limb ? theme.text : theme.text2;
    const name = limb === "trunk" ? "Trunk" : LIMB_TITLES[limb];
    context.fillText(name, 12 + LEGEND.sample + 8, y + 0.5, theme.gutter - 40);
    context.globalAlpha = 1;
  }
}

export function legendPlaces({ rows, joints }: JointPlot): { limb: Limb; y: number }[] {
  const present = LIMBS.filter((limb) => joints.limbs.includes(limb));
  const { top, height } = rows.warp;
  const first = Math.min(LEGEND.top, Math.max(height - 8 - (present.length - 0.5) * LEGEND.pitch, 46));
  return present
    .map((limb, k) => ({ limb, y: Math.round(top + first + k * LEGEND.pitch) }))
    .filter(({ y }) => y < top + height - 5);
}
