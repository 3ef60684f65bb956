/** What is possible at this frame: a region of acceleration and squared speed, and where the timing is in it. */

import * as state from "../store/state";
import type { PhysicsView } from "../store/clip";
import { section } from "./controls";
import { element, live, shown, watch } from "./dom";
import { number } from "./format";
import { plot } from "./plot";
import { token } from "./theme";

export type Point = [number, number];
/** Frames of the path that are drawn to either side. */
const AROUND = 6;
const MARGIN = { left: 30, right: 10, top: 22, bottom: 38 };

export function regionSection(): HTMLElement {
  const canvas = element("canvas", { className: "region", role: "img" });
  const frame = (): number => {
    const source = state.result.value?.sourceAt(state.time.value) ?? state.time.value;
    return state.physics.value?.frameAt(source) ?? 0;
  };
  plot(canvas, (pen, width, height) => {
    if (state.physics.value) drawRegion(pen, width, height, state.physics.value, frame());
  });
  watch(() => {
    const physics = state.physics.value;
    canvas.ariaLabel = physics ? spoken(physics, frame()) : "";
  });
  const outputFrame = (): number => Math.round((state.time.value - state.domain.value[0]) * state.fps.value);
  const caption = live(() => {
    const where = state.physics.value?.stateAt(frame());
    return `frame ${outputFrame()}${where ? `, ${where}` : ""}`;
  });
  return shown(() => state.physics.value !== null, section({ id: "region", title: "Region", caption }, canvas));
}

const timingAt = (physics: PhysicsView, frame: number): Point => [
  physics.timing[2 * frame] ?? 0,
  physics.timing[2 * frame + 1] ?? 1,
];

function spoken(physics: PhysicsView, frame: number): string {
  const [acceleration, speed2] = timingAt(physics, frame);
  const speed = number(Math.sqrt(Math.max(speed2, 0)));
  const where = physics.stateAt(frame);
  return `This frame is ${where}: speed ${speed} times, acceleration ${number(acceleration)} a second.`;
}

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

function drawRegion(
  pen: CanvasRenderingContext2D,
  width: number,
  height: number,
  physics: PhysicsView,
  frame: number,
): void {
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
  pen: CanvasRenderingContext2D, width: number, height: number, reach: number, top: number,
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

function line(pen: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number): void {
  pen.beginPath();
  pen.moveTo(x0, y0);
  pen.lineTo(x1, y1);
  pen.stroke();
}

function disc(pen: CanvasRenderingContext2D, x: number, y: number, radius: number): void {
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
  pen.fill();
}

function write(
  pen: CanvasRenderingContext2D,
  text: string,
  x: number,
  y: number,
  colour: string,
  align: CanvasTextAlign,
): void {
  pen.font = token("--type-tick").replace(/var\(--font-ui\)/, token("--font-ui"));
  pen.textBaseline = "middle";
  pen.textAlign = align;
  pen.fillStyle = colour;
  pen.fillText(text, x, y);
}
