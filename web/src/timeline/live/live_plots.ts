/** How following went, over live time: the recording's speed, the follower's confidence, and how far off it was. */

import type { LiveRun } from "../../store/clip";
import { Axis } from "../plot/axis";
import { crisp, hatch, labelRow, labelValue, line, within, type Plot } from "../plot/plot";
import type { Row } from "../warp/rows";

/** What the plots show: of a run that was replayed, or of a live server. */
export type Followed = Pick<LiveRun, "times" | "rate" | "confidence" | "late">;

/** Seconds that an onlooker does not notice. */
export const NOTICED = 0.15;
const RULER = 23;
/** Labels closer than this, pixels, would lie over one another. */
const LABEL = 14;

/** Rows below the ruler; the deviation has the most room, it is what is judged. */
export function liveRows(height: number): { late: Row; rate: Row; confidence: Row } {
  const rest = Math.max(height - RULER, 90);
  const small = Math.max(Math.floor(0.27 * rest), 30);
  const tall = rest - 2 * small;
  return {
    late: { top: RULER, height: tall },
    rate: { top: RULER + tall, height: small },
    confidence: { top: RULER + tall + small, height: small },
  };
}

/** The least and the most deviation that is shown, milliseconds in round steps; no less than what is noticed. */
export function lateBounds(late: ArrayLike<number>): [number, number] {
  let [low, high] = [0, 0];
  for (let k = 0; k < late.length; k++) {
    if (!Number.isFinite(late[k]!)) continue; // not judged
    low = Math.min(low, 1000 * late[k]!);
    high = Math.max(high, 1000 * late[k]!);
  }
  return [Math.min(-200, Math.floor(low / 100) * 100), Math.max(200, Math.ceil(high / 100) * 100)];
}

export function drawLive(plot: Plot, run: Followed): void {
  const rows = liveRows(plot.height);
  drawLate(plot, rows.late, run);
  drawRate(plot, rows.rate, run);
  drawConfidence(plot, rows.confidence, run);
  const { context, theme, width } = plot;
  context.lineWidth = 1;
  context.strokeStyle = theme.line;
  for (const { top, height } of [{ top: 0, height: RULER }, ...Object.values(rows)])
    line(context, 0, crisp(top + height - 1), width, crisp(top + height - 1));
  line(context, theme.gutter + 0.5, 0, theme.gutter + 0.5, plot.height);
}

function drawLate(plot: Plot, row: Row, { times, late }: Followed): void {
  const { context, theme, time, width } = plot;
  const [least, most] = lateBounds(late);
  // Late is up: the performer lags behind the recording's own pace.
  const up = new Axis(least, most, row.top + row.height - 10, row.top + 10);
  within(plot, row, () => {
    const [high, low] = [up.at(1000 * NOTICED), up.at(-1000 * NOTICED)];
    context.fillStyle = theme.feasible;
    context.globalAlpha = 0.14;
    context.fillRect(theme.gutter + 1, high, width, low - high);
    context.globalAlpha = 1;
    context.lineWidth = 1;
    context.strokeStyle = theme.lineStrong;
    for (const y of [high, low]) line(context, theme.gutter + 34, crisp(y), width, crisp(y));
    context.setLineDash([3, 3]);
    line(context, theme.gutter + 34, crisp(up.at(0)), width, crisp(up.at(0)));
    context.setLineDash([]);

    for (const [from, to] of beyond(times, late)) {
      const [a, b] = [time.at(from), time.at(to)];
      context.save();
      context.beginPath();
      context.rect(a, row.top, Math.max(b - a, 2), row.height - 1);
      context.clip();
      context.strokeStyle = theme.infeasibleSoft;
      hatch(context, a, row.top, Math.max(b - a, 2), row.height, 6);
      context.restore();
    }
    context.lineWidth = 1.75;
    context.lineJoin = "round";
    for (const trouble of [false, true]) {
      context.strokeStyle = trouble ? theme.infeasible : theme.retimed;
      context.beginPath();
      for (let k = 1; k < times.length; k++) {
        const [a, b] = [late[k - 1]!, late[k]!];
        if (!Number.isFinite(a) || !Number.isFinite(b)) continue;
        if (Math.max(Math.abs(a), Math.abs(b)) > NOTICED !== trouble) continue;
        context.moveTo(time.at(times[k - 1]!), up.at(1000 * a));
        context.lineTo(time.at(times[k]!), up.at(1000 * b));
      }
      context.stroke();
    }
  });
  const apart = (a: number, b: number): boolean => Math.abs(up.at(a) - up.at(b)) >= LABEL;
  if (apart(most, 150)) labelValue(plot, `+${most}`, up.at(most));
  labelValue(plot, "+150", up.at(150));
  if (apart(150, -150)) labelValue(plot, "−150", up.at(-150));
  if (apart(least, -150) && apart(least, 150)) labelValue(plot, `−${-least}`, up.at(least));
  labelRow(plot, row, "Deviation", "ms, + is late");
}

/** Stretches of time in which the deviation is noticed. */
export function beyond(times: ArrayLike<number>, late: ArrayLike<number>): [number, number][] {
  const found: [number, number][] = [];
  let from: number | null = null;
  for (let k = 0; k < times.length; k++) {
    const over = Math.abs(late[k]!) > NOTICED; // not a number: not judged
    if (over) from ??= times[k]!;
    else if (from !== null) {
      found.push([from, times[k]!]);
      from = null;
    }
  }
  if (from !== null) found.push([from, times[times.length - 1]!]);
  return found;
}

function drawRate(plot: Plot, row: Row, { times, rate }: Followed): void {
  const most = Math.max(2, Math.ceil(quantile(rate, 0.99)));
  const up = new Axis(0, most, row.top + row.height - 8, row.top + 8);
  const { context, theme, width } = plot;
  within(plot, row, () => {
    context.lineWidth = 1;
    context.strokeStyle = theme.lineStrong;
    context.setLineDash([3, 3]);
    line(context, theme.gutter + 34, crisp(up.at(1)), width, crisp(up.at(1)));
    context.setLineDash([]);
    curve(plot, times, rate, up, theme.retimed, 1);
  });
  labelValue(plot, `${most}×`, up.at(most));
  labelValue(plot, "1×", up.at(1));
  labelRow(plot, row, "Rate", "of the recording");
}

function drawConfidence(plot: Plot, row: Row, { times, confidence }: Followed): void {
  const up = new Axis(0, 1, row.top + row.height - 8, row.top + 8);
  within(plot, row, () => curve(plot, times, confidence, up, plot.theme.feasible, 0));
  labelValue(plot, "1", up.at(1));
  labelValue(plot, "0", up.at(0));
  labelRow(plot, row, "Confidence");
}

/** A line with the room between it and a base filled faintly. */
function curve(
  { context, time }: Plot, times: ArrayLike<number>, values: ArrayLike<number>, up: Axis, color: string, base: number,
): void {
  context.beginPath();
  for (let k = 0; k < times.length; k++) {
    const [x, y] = [time.at(times[k]!), up.at(values[k]!)];
    if (k) context.lineTo(x, y);
    else context.moveTo(x, y);
  }
  context.lineWidth = 1.5;
  context.lineJoin = "round";
  context.strokeStyle = color;
  context.stroke();
  context.lineTo(time.at(times[times.length - 1]!), up.at(base));
  context.lineTo(time.at(times[0]!), up.at(base));
  context.globalAlpha = 0.14;
  context.fillStyle = color;
  context.fill();
  context.globalAlpha = 1;
}

function quantile(values: ArrayLike<number>, share: number): number {
  const sorted = Array.from(values).filter(Number.isFinite).sort((a, b) => a - b);
  return sorted.length ? sorted[Math.min(Math.floor(share * sorted.length), sorted.length - 1)]! : 1;
}
