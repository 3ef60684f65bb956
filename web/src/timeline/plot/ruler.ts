/** The ruler of output time, the grid under it, and the playhead. */

import type { Key } from "../../store/state";
import { tickLabel, tickParts, ticks, tickStep } from "./axis";
import { crisp, line, type Plot } from "./plot";
import { frameRate, frames, frameStep, timecode, timeUnit } from "../../words/units";

const TICK_GAP = 48;
const BADGE_HEIGHT = 17;
/** A timecode needs more room than a number. */
const TIMECODE_GAP = 92;

const rulerStep = (scale: number): number =>
  timeUnit.value === "seconds"
    ? tickStep(scale, TICK_GAP)
    : frameStep(scale, timeUnit.value === "timecode" ? TIMECODE_GAP : TICK_GAP);

/** Short ticks stand on whole frames where the ruler counts frames. */
function rulerParts(step: number): number {
  if (timeUnit.value === "seconds") return tickParts(step);
  const count = Math.round(step * frameRate.value);
  return [10, 5, 4, 2].find((parts) => count % parts === 0) ?? 1;
}

function rulerText(t: number, step: number): string {
  if (timeUnit.value === "seconds") return tickLabel(t, step);
  return timeUnit.value === "frames" ? frames(t) : timecode(t);
}

/** Ticks and grid: all of the ruler that does not move with the playhead. */
export function drawRuler({ context, theme, rows, time, width, height }: Plot): void {
  const bottom = rows.ruler.top + rows.ruler.height - 1;
  const step = rulerStep(time.scale);
  const [from, to] = [time.value(theme.gutter), time.value(width)];
  const parts = rulerParts(step);
  context.save();
  context.beginPath();
  context.rect(theme.gutter + 1, 0, width, height);
  context.clip();
  context.lineWidth = 1;
  context.strokeStyle = theme.lineStrong;
  for (const t of ticks(from, to, step / parts)) {
    const x = crisp(time.at(t));
    line(context, x, bottom - 3, x, bottom);
  }
  for (const t of ticks(from, to, step)) {
    const x = crisp(time.at(t));
    context.strokeStyle = theme.lineStrong;
    line(context, x, bottom - 7, x, bottom);
    context.strokeStyle = theme.line;
    line(context, x, bottom + 1, x, height);
  }
  context.restore();
  context.font = theme.tick;
  context.textAlign = "left";
  context.textBaseline = "middle";
  context.fillStyle = theme.text3;
  context.fillText(timeUnit.value === "frames" ? "Output frame" : "Output time", 12, rows.ruler.height / 2, theme.gutter - 16);
}

/** Shade what is not played, with edges to hold in the ruler. */
export function drawRange({ context, theme, rows, time, scene, width, height }: Plot): void {
  if (!scene.range) return;
  const visible = (t: number): number => Math.min(Math.max(time.at(t), theme.gutter + 1), width);
  const [from, to] = scene.range.map(visible) as [number, number];
  const [first, last] = scene.output.map(visible) as [number, number];
  context.globalAlpha = 0.5;
  context.fillStyle = theme.app;
  context.fillRect(first, 0, Math.max(from - first, 0), height);
  context.fillRect(to, 0, Math.max(last - to, 0), height);
  context.globalAlpha = 1;
  context.fillStyle = theme.retimed;
  for (const t of scene.range) {
    const x = time.at(t);
    if (x < theme.gutter || x > width) continue;
    context.fillRect(Math.round(x), 0, 1, height);
    context.beginPath();
    context.roundRect(Math.round(x) - 2, 4, 5, rows.ruler.height - 9, 2);
    context.fill();
  }
}

/** A diamond stands before the line. */
function leaveFree({ context, time, source }: Plot, [t, s]: Key, radius: number, column: number): void {
  const half = radius - Math.abs(column + 0.5 - time.at(t));
  if (half > 0) context.clearRect(column, source.at(s) - half, 1, 2 * half);
}

/** Labels of the ticks and the playhead with its badge, which pushes labels away: drawn while playing. */
export function drawPlayhead(plot: Plot, now: number): void {
  const { context, theme, rows, time, scene, width, height } = plot;
  const x = time.at(now);
  const text = timeUnit.value === "seconds" ? now.toFixed(2) : rulerText(now, 0);
  const middle = rows.ruler.height / 2;
  const shown = (scene.result ?? scene.source) !== null && x > theme.gutter && x < width;
  context.font = theme.label;
  const badge = context.measureText(text).width + 12;

  context.font = theme.tick;
  context.textBaseline = "middle";
  context.textAlign = "left";
  context.fillStyle = theme.text2;
  const step = rulerStep(time.scale);
  for (const t of ticks(time.value(theme.gutter), time.value(width), step)) {
    const label = rulerText(t, step);
    const left = time.at(t) + 5;
    const right = left + context.measureText(label).width;
    const covered = shown && left < x + badge / 2 + 3 && right > x - badge / 2 - 3;
    if (!covered && left > theme.gutter + 2 && right < width) context.fillText(label, left, middle - 1);
  }
  if (!shown) return;
  const column = Math.round(x);
  context.fillStyle = theme.playhead;
  context.fillRect(column, middle, 1, height);
  for (const key of scene.keys) leaveFree(plot, key, key === scene.keys[scene.selected ?? -1] ? 11 : 6.5, column);
  context.beginPath();
  context.roundRect(column + 0.5 - badge / 2, middle - BADGE_HEIGHT / 2, badge, BADGE_HEIGHT, 4);
  context.fill();
  context.font = theme.label;
  context.textAlign = "center";
  context.fillStyle = theme.panel;
  context.fillText(text, column + 0.5, middle + 0.5);
}
