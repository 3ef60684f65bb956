/** The row of surface keys: a diamond where the moment arrives, on a bar as long as the key is felt. */

import { crisp, diamond, labelRow, line, within } from "../plot/plot";
import type { JointPlot } from "./joint_plot";
import type { KeyMark } from "./joint_scene";

/** A drag that is under way: the free room in the result's time, and where the pointer is if the key stopped. */
export interface KeyDragView {
  index: number;
  room: [number, number];
  wish: number | null;
}

const BAR = 19;
export const REACH = 12;

export const middleOf = (plot: JointPlot): number => (plot.keys ? plot.keys.top + (plot.keys.height - 1) / 2 : 0);

export function drawKeys(plot: JointPlot, hovered: number | null, focused: boolean, drag: KeyDragView | null): void {
  const { keys, joints } = plot;
  if (!keys) return;
  const { marks, selected } = joints;
  within(plot, keys, () => {
    for (const mark of marks) {
      drawReach(plot, mark, mark.index === selected);
      if (mark.index !== drag?.index) drawWords(plot, mark, mark.index === selected);
    }
    if (drag) drawRoom(plot, drag);
    for (const mark of marks) if (mark.index !== selected) drawMark(plot, mark, mark.index === hovered);
    const chosen = marks.find((mark) => mark.index === selected);
    if (chosen) drawSelected(plot, chosen, chosen.index === hovered, focused, drag?.wish ?? null);
  });
  labelRow(plot, keys, "Surface keys", keys.height > 36 ? "with their reach" : "");
}

function drawReach(plot: JointPlot, { span }: KeyMark, selected: boolean): void {
  const { context, theme, time } = plot;
  const middle = middleOf(plot);
  const left = Math.max(time.at(span[0]), theme.gutter - 8);
  const right = Math.min(time.at(span[1]), plot.width + 8);
  if (right <= left) return;
  context.beginPath();
  context.roundRect(left, middle - BAR / 2, right - left, BAR, 4);
  context.globalAlpha = selected ? 1 : 0.6;
  context.fillStyle = theme.soft;
  context.fill();
  context.lineWidth = 1;
  context.strokeStyle = theme.retimed;
  context.globalAlpha = selected ? 0.9 : 0.4;
  context.stroke();
  context.globalAlpha = 1;
}

/** The words go on beyond the bar, but only as far as the next key's reach. */
function drawWords(plot: JointPlot, { words, arrival, index }: KeyMark, selected: boolean): void {
  const { context, theme, time, joints } = plot;
  const from = time.at(arrival) + 16;
  const later = joints.marks.filter((m) => m.index !== index && m.arrival > arrival);
  const next = Math.min(...later.map((m) => time.at(m.span[0])));
  const room = Math.min(next - 6, plot.width - 4) - from;
  context.font = theme.tick;
  context.textAlign = "left";
  context.textBaseline = "middle";
  context.fillStyle = selected ? theme.text : theme.text2;
  const fitted = [words, words.replace(/^.*?(?=\d)/, "")].find((text) => context.measureText(text).width <= room);
  if (fitted) context.fillText(fitted, from, middleOf(plot) + 0.5);
}

function drawMark(plot: JointPlot, { arrival }: KeyMark, hovered: boolean): void {
  const { context, theme, time } = plot;
  diamond(context, time.at(arrival), middleOf(plot), hovered ? 8 : 6.5);
  context.fillStyle = theme.keytime;
  context.fill();
}

function drawSelected(
  plot: JointPlot, { arrival }: KeyMark, hovered: boolean, focused: boolean, wish: number | null,
): void {
  const { context, theme, time } = plot;
  const [x, y] = [time.at(arrival), middleOf(plot)];
  const grown = hovered || wish !== null ? 1 : 0;
  if (wish !== null) {
    context.lineWidth = 1.25;
    context.strokeStyle = theme.text;
    context.setLineDash([3, 3]);
    line(context, x, y, time.at(wish), y);
    diamond(context, time.at(wish), y, 7);
    context.stroke();
    context.setLineDash([]);
  }
  diamond(context, x, y, 10 + grown);
  context.fillStyle = theme.panel;
  context.fill();
  context.lineWidth = 2;
  context.strokeStyle = wish === null ? theme.selection : theme.infeasible;
  context.stroke();
  diamond(context, x, y, 6 + grown);
  context.fillStyle = theme.keytime;
  context.fill();
  if (!focused) return;
  diamond(context, x, y, 15);
  context.strokeStyle = theme.focus;
  context.stroke();
}

/** The free room between other keys' reaches, as a bracket. */
function drawRoom(plot: JointPlot, { room }: KeyDragView): void {
  const { context, theme, time } = plot;
  const middle = middleOf(plot);
  const [top, bottom] = [crisp(middle - BAR / 2 - 5), crisp(middle + BAR / 2 + 4)];
  context.lineWidth = 1.5;
  context.strokeStyle = theme.text2;
  room.forEach((t, side) => {
    const x = crisp(time.at(t));
    const inwards = side ? -5 : 5;
    context.beginPath();
    context.moveTo(x + inwards, top);
    context.lineTo(x, top);
    context.lineTo(x, bottom);
    context.lineTo(x + inwards, bottom);
    context.stroke();
  });
}

/** The key under the pointer: by its diamond, which can be dragged, or by its bar, which can be clicked. */
export function keyAt(plot: JointPlot, x: number, y: number): { index: number; diamond: boolean } | null {
  const { keys, time, joints } = plot;
  if (!keys || y < keys.top || y > keys.top + keys.height) return null;
  const away = (mark: KeyMark): number => Math.abs(time.at(mark.arrival) - x);
  const nearest = joints.marks.reduce<KeyMark | null>((best, m) => (best && away(best) <= away(m) ? best : m), null);
  if (nearest && away(nearest) <= REACH) return { index: nearest.index, diamond: true };
  const under = joints.marks.find(({ span }) => x >= time.at(span[0]) && x <= time.at(span[1]));
  return under ? { index: under.index, diamond: false } : null;
}
