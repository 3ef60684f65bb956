/** What every row is drawn with: canvas, colours, axes, scene; and the strokes that several rows share. */

import type { Axis } from "./axis";
import type { Row, Rows } from "../warp/rows";
import type { Scene } from "./scene";
import type { Theme } from "./theme";

export interface Plot {
  context: CanvasRenderingContext2D;
  theme: Theme;
  rows: Rows;
  time: Axis;
  source: Axis;
  scene: Scene;
  width: number;
  height: number;
}

/** Draw with the row's part right of the gutter as the only paper. */
export function within({ context, theme, width }: Plot, row: Row, draw: () => void): void {
  context.save();
  context.beginPath();
  context.rect(theme.gutter + 1, row.top, width - theme.gutter - 1, row.height - 1);
  context.clip();
  draw();
  context.restore();
}

/** Name a row in the gutter, with a second line for its unit. */
export function labelRow({ context, theme }: Plot, row: Row, title: string, unit = ""): void {
  const room = theme.gutter - 16;
  const middle = row.top + row.height / 2;
  context.textAlign = "left";
  context.textBaseline = "middle";
  context.font = theme.label;
  context.fillStyle = theme.text;
  context.fillText(title, 12, unit ? middle - 8 : middle, room);
  if (!unit) return;
  context.font = theme.tick;
  context.fillStyle = theme.text3;
  context.fillText(unit, 12, middle + 9, room);
}

/** Label a value left of a plot. */
export function labelValue({ context, theme }: Plot, text: string, y: number): void {
  context.font = theme.tick;
  context.textAlign = "right";
  context.textBaseline = "middle";
  const width = context.measureText(text).width;
  const x = theme.gutter + Math.max(21, width + 4);
  context.fillStyle = theme.panel; // a curve that was zoomed into may pass behind
  context.globalAlpha = 0.8;
  context.fillRect(x - width - 2, y - 7, width + 4, 14);
  context.globalAlpha = 1;
  context.fillStyle = theme.text3;
  context.fillText(text, x, y + 0.5);
}

export function line(context: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number): void {
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  context.stroke();
}

/** Fill what is clipped to with slanted lines; they stay put when the clip moves. */
export function hatch(
  context: CanvasRenderingContext2D, left: number, top: number, width: number, height: number, spacing: number,
): void {
  context.beginPath();
  const first = Math.floor((left + top) / spacing) * spacing;
  for (let sum = first; sum < left + width + top + height; sum += spacing) {
    context.moveTo(sum - top, top);
    context.lineTo(sum - top - height, top + height);
  }
  context.stroke();
}

export function diamond(context: CanvasRenderingContext2D, x: number, y: number, radius: number): void {
  context.beginPath();
  context.moveTo(x, y - radius);
  context.lineTo(x + radius, y);
  context.lineTo(x, y + radius);
  context.lineTo(x - radius, y);
  context.closePath();
}

/** A pixel row or column in whose middle a 1 px line is sharp. */
export const crisp = (position: number): number => Math.round(position) + 0.5;
