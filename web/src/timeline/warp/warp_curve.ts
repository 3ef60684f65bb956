/** The warp: output time across, source time up. */

import type { RetimedClip } from "../../store/clip";
import { otherResult } from "../../store/compare";
import { tickLabel, ticks, tickStep } from "../plot/axis";
import { placeOf } from "./key_marks";
import { crisp, hatch, labelRow, labelValue, line, within, type Plot } from "../plot/plot";
import { corners } from "./room";
import { roomOf } from "../plot/scene";
import { thin } from "../plot/thinning";
import { frames, frameStep, timeUnit } from "../../words/units";

const SOURCE_TICK_GAP = 22;
/** Height of the band of evidence, as a share of the row. */
const EVIDENCE = 0.14;

export function drawWarp(plot: Plot, refused: "fastest" | "slowest" | "neighbour" | null): void {
  const row = plot.rows.warp;
  within(plot, row, () => {
    drawGrid(plot);
    drawForbidden(plot);
    drawSelectedLevel(plot);
    drawEnd(plot);
    drawIdentity(plot);
    drawEvidence(plot);
    const { theme } = plot;
    const other = otherResult.peek();
    if (other) drawCurve(plot, other, theme.original, 1.5);
    if (plot.scene.result) drawCurve(plot, plot.scene.result, theme.retimed, 2.25);
  });
  if (refused === "fastest") drawLimitLabel(plot);
  labelSource(plot);
  labelRow(plot, row, "Warp", timeUnit.value === "seconds" ? "source, s" : "source frame");
}

const sourceTicks = (plot: Plot): number[] => ticks(plot.source.low, plot.source.high, sourceStep(plot));

function drawGrid(plot: Plot): void {
  const { context, theme, source, width } = plot;
  context.lineWidth = 1;
  context.strokeStyle = theme.line;
  for (const s of sourceTicks(plot)) line(context, theme.gutter, crisp(source.at(s)), width, crisp(source.at(s)));
}

const sourceRate = ({ scene }: Plot): number => scene.source?.fps ?? scene.fps;

/** The source's axis is in seconds, or in whole frames of the source. */
const sourceStep = (plot: Plot): number =>
  timeUnit.value === "seconds"
    ? tickStep(plot.source.scale, SOURCE_TICK_GAP)
    : frameStep(plot.source.scale, SOURCE_TICK_GAP, sourceRate(plot));

function labelSource(plot: Plot): void {
  const { rows, source } = plot;
  const step = sourceStep(plot);
  for (const s of sourceTicks(plot)) {
    const y = source.at(s);
    const start = s === 0 && y > rows.warp.top + rows.warp.height - 14; // the corner needs no zero
    const text = timeUnit.value === "seconds" ? tickLabel(s, step) : frames(s, sourceRate(plot));
    if (!start && y > rows.warp.top + 6) labelValue(plot, text, y);
  }
}

/** Hatch what the selected key cannot reach: slopes beyond the step's limits, and times beyond its neighbours. */
function drawForbidden(plot: Plot): void {
  const { context, theme, rows, time, source, scene } = plot;
  const room = scene.selected === null ? null : roomOf(scene, scene.selected);
  if (!room) return;
  const points = corners(room).map((key) => {
    const { x, y } = placeOf({ time, source, scene }, key);
    return [x, y] as const;
  });
  const left = points[0]![0];
  const right = points[2]![0];
  const { top, height } = rows.warp;
  context.save();
  context.beginPath();
  context.rect(left, top, right - left, height);
  points.forEach(([x, y], k) => (k ? context.lineTo(x, y) : context.moveTo(x, y)));
  context.closePath();
  context.clip("evenodd");
  context.globalAlpha = 0.6;
  context.fillStyle = theme.card;
  context.fillRect(left, top, right - left, height);
  context.lineWidth = 1;
  context.strokeStyle = theme.lineStrong;
  hatch(context, left, top, right - left, height, 8);
  context.restore();

  context.beginPath();
  points.forEach(([x, y], k) => (k ? context.lineTo(x, y) : context.moveTo(x, y)));
  context.closePath();
  context.lineWidth = 1;
  context.strokeStyle = Number.isFinite(room.limits.fastest) ? theme.infeasible : theme.lineStrong;
  context.globalAlpha = 0.75;
  context.stroke();
  context.globalAlpha = 1;
}

/** Name the limit at the end of the steep edge that a drag ran into. */
function drawLimitLabel({ context, theme, rows, time, source, scene }: Plot): void {
  const room = scene.selected === null ? null : roomOf(scene, scene.selected);
  if (!room) return;
  const [, fast] = corners(room);
  context.font = theme.tick;
  context.textAlign = "right";
  context.textBaseline = "middle";
  context.fillStyle = theme.infeasible;
  const place = placeOf({ time, source, scene }, fast);
  context.fillText(`${room.limits.fastest.toFixed(1)}×`, place.x - 6, Math.max(place.y, rows.warp.top + 9));
}

function drawSelectedLevel({ context, theme, time, source, scene }: Plot): void {
  const key = scene.selected === null ? null : scene.keys[scene.selected];
  if (!key) return;
  context.lineWidth = 1;
  context.strokeStyle = theme.keytime;
  context.globalAlpha = 0.6;
  context.setLineDash([2, 3]);
  const { x, y } = placeOf({ time, source, scene }, key);
  line(context, theme.gutter + 26, crisp(y), x - 9, crisp(y));
  context.setLineDash([]);
  context.globalAlpha = 1;
}

function drawEnd({ context, theme, rows, time, scene }: Plot): void {
  if (!scene.ends) return;
  context.strokeStyle = theme.lineStrong;
  const x = crisp(time.at(scene.times.toResult(scene.ends[1][0])));
  line(context, x, rows.warp.top, x, rows.warp.top + rows.warp.height);
}

/** Where nothing is retimed output shows the same time of the source. */
function drawIdentity({ context, theme, time, source, scene, width }: Plot): void {
  if (!scene.result && !scene.source) return;
  const from = Math.max(scene.span[0], time.value(theme.gutter));
  const to = Math.min(scene.span[1], time.value(width - 18));
  context.lineWidth = 1.25;
  context.strokeStyle = theme.original;
  context.globalAlpha = 0.75;
  context.setLineDash([4, 4]);
  line(context, time.at(from), source.at(from), time.at(to), source.at(to));
  context.setLineDash([]);
  context.globalAlpha = 1;
}

/** A band along the bottom, as high as a foreign reference resembles the clip there. */
function drawEvidence({ context, theme, rows, time, scene }: Plot): void {
  const pairs = scene.result?.block("evidence");
  if (!pairs || pairs.length < 4) return;
  const { top, height } = rows.warp;
  const bottom = top + height;
  context.beginPath();
  context.moveTo(time.at(pairs[0]!), bottom);
  for (let k = 0; k + 1 < pairs.length; k += 2)
    context.lineTo(time.at(pairs[k]!), bottom - EVIDENCE * height * pairs[k + 1]!);
  context.lineTo(time.at(pairs[pairs.length - 2]!), bottom);
  context.closePath();
  context.globalAlpha = 0.3;
  context.fillStyle = theme.original;
  context.fill();
  context.globalAlpha = 1;
}

function drawCurve(plot: Plot, result: RetimedClip, colour: string, thick: number): void {
  const { context, theme, time, source, width } = plot;
  const columns = Math.ceil(width - theme.gutter);
  const kept = thin(result.output, result.source, time.value(theme.gutter), time.value(width), columns);
  context.beginPath();
  kept.forEach((k, n) => {
    const [x, y] = [time.at(result.output[k]!), source.at(result.source[k]!)];
    if (n) context.lineTo(x, y);
    else context.moveTo(x, y);
  });
  context.lineWidth = thick;
  context.lineJoin = "round";
  context.strokeStyle = colour;
  context.stroke();
}
