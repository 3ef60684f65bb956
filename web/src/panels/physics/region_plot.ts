/** The region of one frame on a canvas: acceleration across, squared speed up, and where the timing is in it. */

import { disc, line, type Pen, tickFont, token } from "../../controls";
import type { PhysicsView } from "../../store/clip";
import { number } from "../../words/numbers";

export type Point = [number, number];
/** Frames of the path that are drawn to either side. */
const AROUND = 6;
const MARGIN = { left: 30, right: 10, top: 22, bottom: 38 };

export const timingAt = (physics: PhysicsView, frame: number): Point => [
  physics.timing[2 * frame] ?? 0,
  physics.timing[2 * frame + 1] ?? 1,
];

/** The edge of a polygon that a line from inside to a point outside crosses, with the crossing. */
export function crossing(corners: Point[], from: Point, to: Point): { edge: [Point, Point]; at: Point } | null {
  for (let k = 0; k < corners.length; k++) {
    const [a, b] = [corners[k]!, corners[(k + 1) % corners.length]!];
    const [dx, dy, ex, ey] = [to[0] - from[0], to[1] - from[1], b[0] - a[0], b[1] - a[1]];
    const cross = dx * ey - dy * ex;
    if (Math.abs(cross) < 1e-12) continue;
    const along = ((a[0] - from[0]) * ey - (a[1] - from[1]) * ex) / cross;
    const across = ((a[0] - from[0]) * dy - (a[1] - from[1]) * dx) / cross;
    if (along >= 0 && along <= 1 && across >= 0 && across <= 1)
      return { edge: [a, b], at: [from[0] + along * dx, from[1] + along * dy] };
  }
  return null;
}

export function drawRegion(pen: Pen, width: number, height: number, physics: PhysicsView, frame: number): void {
  const corners = physics.region(frame);
  const now = timingAt(physics, frame);
  const last = physics.times.length - 1;
  const path = Array.from({ length: 2 * AROUND + 1 }, (_, k) => frame - AROUND + k)
    .filter((k) => k >= 0 && k <= last)
    .map((k) => timingAt(physics, k));
  const reach = Math.max(1, ...[...corners, ...path, now].map(([x]) => Math.abs(x))) * 1.15;
  const top = Math.max(2, ...[...corners, ...path, now].map(([, y]) => y)) * 1.1;
  const x = (a: number): number => MARGIN.left + ((a + reach) / (2 * reach)) * (width - MARGIN.left - MARGIN.right);
  const y = (s: number): number => height - MARGIN.bottom - (s / top) * (height - MARGIN.top - MARGIN.bottom);
  const trace = (points: Point[], close: boolean): void => {
    pen.beginPath();
    points.forEach(([a, s], k) => (k ? pen.lineTo(x(a), y(s)) : pen.moveTo(x(a), y(s))));
    if (close) pen.closePath();
  };

  axes(pen, width, height, reach, top, x, y);
  trace(corners, true);
  pen.fillStyle = token("--feasible-soft");
  pen.strokeStyle = token("--feasible");
  pen.lineWidth = 1.5;
  pen.fill();
  pen.stroke();

  const outside = (physics.distance[frame] ?? 0) > 0;
  const found = outside ? crossing(corners, middle(corners), now) : null;
  if (found) {
    trace(found.edge, false);
    pen.strokeStyle = token("--infeasible");
    pen.lineWidth = 3;
    pen.stroke();
  }
  pen.strokeStyle = pen.fillStyle = token("--retimed");
  pen.lineWidth = 1;
  trace(path, false);
  pen.stroke();
  for (const [a, s] of path) disc(pen, x(a), y(s), 2);

  pen.strokeStyle = token("--original");
  pen.lineWidth = 2;
  pen.beginPath();
  pen.arc(x(0), y(1), 4, 0, 2 * Math.PI);
  pen.stroke();
  write(pen, "recorded", x(0) - 8, y(1), token("--original"), "right");

  pen.fillStyle = token(outside ? "--infeasible" : "--retimed");
  disc(pen, x(now[0]), y(now[1]), 5);
  pen.strokeStyle = token("--selection");
  pen.lineWidth = 1.5;
  pen.stroke();
  const flip = x(now[0]) > width - 50;
  write(pen, "now", x(now[0]) + (flip ? -10 : 10), y(now[1]), token("--text"), flip ? "right" : "left");
}

function middle(corners: Point[]): Point {
  const sum = corners.reduce<Point>(([a, b], [c, d]) => [a + c, b + d], [0, 0]);
  return [sum[0] / corners.length, sum[1] / corners.length];
}

function axes(
  pen: Pen, width: number, height: number, reach: number, top: number,
  x: (a: number) => number, y: (s: number) => number,
): void {
  pen.strokeStyle = token("--line");
  pen.lineWidth = 1;
  const grey = token("--text-3");
  for (const a of ticks(reach)) {
    line(pen, x(a), y(0), x(a), MARGIN.top - 6);
    write(pen, `${a > 0 ? "+" : ""}${number(a, 0)}`, x(a), y(0) + 12, grey, "center");
  }
  for (let s = 0; s <= top; s += top > 8 ? Math.ceil(top / 5) : 1) {
    line(pen, MARGIN.left, y(s), width - MARGIN.right, y(s));
    write(pen, String(s), MARGIN.left - 8, y(s), grey, "right");
  }
  write(pen, "speed²", MARGIN.left + 4, 10, grey, "left");
  write(pen, "acceleration, 1/s", (MARGIN.left + width - MARGIN.right) / 2, height - 9, grey, "center");
}

/** About five round numbers to either side of zero and zero itself. */
function ticks(reach: number): number[] {
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500].find((s) => reach / s < 3) ?? 1000;
  const each = Math.floor(reach / step);
  return Array.from({ length: 2 * each + 1 }, (_, k) => (k - each) * step);
}

function write(pen: Pen, text: string, x: number, y: number, colour: string, align: CanvasTextAlign): void {
  pen.font = tickFont();
  pen.textBaseline = "middle";
  pen.textAlign = align;
  pen.fillStyle = colour;
  pen.fillText(text, x, y);
}
