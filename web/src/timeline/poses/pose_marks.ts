/** Poses as thin lines, with a mark in every row where its parts arrive and a line that joins them. */

import { crisp, diamond, line } from "../plot/plot";
import { knotId } from "./pose_scene";
import { markX, shownRows, stepX, visiblePoses, type PosePlot, type PoseWish, type ShownRow } from "./pose_plot";
import { samePoseTarget, type PoseTarget } from "./pose_targets";

const SIZE = 5.5;
/** Poses nearer than this to the one before are not drawn: pixels cannot tell them apart. */
const LEAST_APART = 3;
/** Poses nearer than this on average are drawn as ticks: diamonds would cover one another, and cost five times more. */
const DENSE = 9;

export interface PoseMarkState {
  hovered: PoseTarget | null;
  focused: boolean;
  wish: PoseWish | null;
  box: [number, number, number, number] | null;
}

interface Mark {
  x: number;
  y: number;
  row: ShownRow;
  k: number;
}

/** Draw the rows' part: the clip is set, rows are those on screen. */
export function drawPoses(plot: PosePlot, { hovered, focused, wish, box }: PoseMarkState): void {
  const { context, theme, bands, width } = plot;
  const view = plot.poses.view;
  if (!view) return;
  const rows = shownRows(plot);
  const drawn = posesToDraw(plot);
  context.save();
  context.beginPath();
  context.rect(theme.gutter + 1, bands.rows.top, width, bands.rows.height);
  context.clip();
  tintLimb(plot, rows);
  const dense = drawn.length * DENSE > width - theme.gutter;
  drawPoseLines(plot, drawn, dense);
  const byPose = drawn.map((k) => marksOf(plot, rows, k));
  joinMarks(plot, byPose.filter(([first]) => first?.k !== plot.poses.selected), 1, 0.5);
  joinMarks(plot, byPose.filter(([first]) => first?.k === plot.poses.selected), 1.75, 1);
  const marks = byPose.flat();
  fillMarks(plot, marks, dense);
  if (!dense) markDelivered(plot, marks);
  ringMarks(plot, marks, hovered, focused);
  context.restore();
  if (wish) drawWish(plot, wish);
  if (box) drawBox(plot, box);
}

/** Every pose on screen that has pixels of its own; the selected one always. */
function posesToDraw(plot: PosePlot): number[] {
  const [first, last] = visiblePoses(plot);
  const { view, selected } = plot.poses;
  const kept: number[] = [];
  let before = -Infinity;
  for (let k = first; k < last; k++) {
    const x = stepX(plot, view!.times[k]!);
    if (x - before < LEAST_APART && k !== selected) continue;
    kept.push(k);
    before = x;
  }
  return kept;
}

/** The limb of the selected joint lies on a soft ground. */
function tintLimb({ context, theme, width, poses, bands }: PosePlot, rows: ShownRow[]): void {
  const { joint, view, cursor } = poses;
  const ofJoint = ({ row }: ShownRow): boolean =>
    joint !== null && row.channels.some((c) => view!.jointOf(c) === joint);
  const chosen = cursor ?? rows.find(ofJoint)?.row.key;
  const limb = rows.find(({ row }) => row.key === chosen)?.row.limb;
  context.fillStyle = theme.soft;
  context.globalAlpha = 0.35;
  for (const { row, y } of rows)
    if (row.key === chosen || (limb && row.limb === limb)) context.fillRect(theme.gutter + 1, y - 10, width, 20);
  context.globalAlpha = 1;
  context.strokeStyle = theme.line;
  context.lineWidth = 1;
  for (const { row, y } of rows)
    if (row.kind !== "joint" && y - 10 > bands.rows.top + 1)
      line(context, theme.gutter + 1, crisp(y - 10.5), width, crisp(y - 10.5));
}

function drawPoseLines(plot: PosePlot, drawn: number[], dense: boolean): void {
  const { context, theme, bands, poses } = plot;
  const bottom = bands.rows.top + bands.rows.height;
  const trace = (k: number): void => {
    const x = crisp(stepX(plot, poses.view!.times[k]!) - 0.5);
    context.moveTo(x, bands.rows.top);
    context.lineTo(x, bottom);
  };
  context.lineWidth = 1;
  context.setLineDash(dense ? [] : [2, 3]);
  context.globalAlpha = dense ? 0.4 : 1;
  context.strokeStyle = theme.lineStrong;
  context.beginPath();
  for (const k of drawn) if (k !== poses.selected) trace(k);
  context.stroke();
  context.globalAlpha = 1;
  context.setLineDash([2, 3]);
  context.strokeStyle = theme.retimed;
  context.beginPath();
  if (poses.selected !== null) trace(poses.selected);
  context.stroke();
  context.setLineDash([]);
}

function marksOf(plot: PosePlot, rows: ShownRow[], k: number): Mark[] {
  const marks: Mark[] = [];
  for (const row of rows) {
    const x = markX(plot, row.row, k);
    if (x !== null) marks.push({ x, y: row.y, row, k });
  }
  return marks;
}

function joinMarks({ context, theme }: PosePlot, poses: Mark[][], width: number, alpha: number): void {
  context.strokeStyle = theme.retimed;
  context.lineWidth = width;
  context.globalAlpha = alpha;
  context.beginPath();
  for (const marks of poses)
    for (let n = 0; n < marks.length; n++) {
      const { x, y } = marks[n]!;
      if (n) context.lineTo(x, y);
      else context.moveTo(x, y);
    }
  context.stroke();
  context.globalAlpha = 1;
}

/** One path for each colour: ten thousand diamonds are five fills. */
function fillMarks({ context, limbs, poses }: PosePlot, marks: Mark[], dense: boolean): void {
  const colours = new Map<string, Mark[]>();
  for (const mark of marks) {
    const colour = limbs[mark.row.row.limb ?? "root"]!;
    const list = colours.get(colour);
    if (list) list.push(mark);
    else colours.set(colour, [mark]);
  }
  for (const [colour, list] of colours) {
    context.fillStyle = colour;
    context.beginPath();
    for (const { x, y, row, k } of list) {
      if (dense && k !== poses.selected) context.rect(x - 1.5, y - 4, 3, 8);
      else if (row.row.open) {
        context.moveTo(x + 2.5, y);
        context.arc(x, y, 2.5, 0, 2 * Math.PI); // only looked at: its joints are below
      } else traceDiamond(context, x, y, SIZE);
    }
    context.fill();
  }
}

/** A thin line from where a part is asked to arrive to a dot where it does: limits of the body may be between. */
function markDelivered(plot: PosePlot, marks: Mark[]): void {
  const { context, theme, poses } = plot;
  const view = poses.view!;
  context.strokeStyle = context.fillStyle = theme.retimed;
  context.lineWidth = 1;
  for (const { x, y, row, k } of marks) {
    const late = row.row.open ? 0 : view.late(k, row.row.channels);
    const to = x + stepX(plot, view.times[k]! + late) - stepX(plot, view.times[k]!);
    if (Math.abs(to - x) < LEAST_APART) continue;
    line(context, x, y, to, y);
    context.beginPath();
    context.arc(to, y, 2, 0, 2 * Math.PI);
    context.fill();
  }
}

function traceDiamond(context: CanvasRenderingContext2D, x: number, y: number, radius: number): void {
  context.moveTo(x, y - radius);
  context.lineTo(x + radius, y);
  context.lineTo(x, y + radius);
  context.lineTo(x - radius, y);
  context.closePath();
}

function ringMarks(plot: PosePlot, marks: Mark[], hovered: PoseTarget | null, focused: boolean): void {
  const { context, theme, poses, limbs } = plot;
  const { view, selection, selected, cursor } = poses;
  const ring = selection.size > 0;
  const point = hovered?.kind === "knot" ? hovered : null;
  if (!ring && !point && !focused) return;
  for (const { x, y, row: { row }, k } of marks) {
    if (row.open) continue;
    const chosen = ring && row.channels.some((c) => selection.has(knotId(view!, k, c)));
    const pointed = point !== null && samePoseTarget(point, { kind: "knot", pose: k, row });
    if (pointed) {
      context.fillStyle = limbs[row.limb ?? "root"]!;
      diamond(context, x, y, SIZE + 1);
      context.fill();
    }
    if (chosen) {
      context.strokeStyle = theme.selection;
      context.lineWidth = 1.5;
      diamond(context, x, y, SIZE + 2.5);
      context.stroke();
    }
    if (focused && k === selected && row.key === cursor) {
      context.strokeStyle = theme.focus;
      context.lineWidth = 2;
      diamond(context, x, y, SIZE + 6);
      context.stroke();
    }
  }
}

/** What is dragged stops with a ring; a dashed line leads to the hand that went on. */
function drawWish({ context, theme }: PosePlot, { from, x }: PoseWish): void {
  context.strokeStyle = theme.infeasible;
  context.lineWidth = 1.5;
  context.beginPath();
  context.arc(from.x, from.y, 9, 0, 2 * Math.PI);
  context.stroke();
  context.setLineDash([3, 3]);
  line(context, from.x + Math.sign(x - from.x) * 9, from.y, x, from.y);
  context.setLineDash([]);
}

function drawBox({ context, theme }: PosePlot, [x0, y0, x1, y1]: [number, number, number, number]): void {
  context.fillStyle = theme.soft;
  context.strokeStyle = theme.retimed;
  context.lineWidth = 1;
  context.beginPath();
  context.rect(Math.min(x0, x1) + 0.5, Math.min(y0, y1) + 0.5, Math.abs(x1 - x0), Math.abs(y1 - y0));
  context.fill();
  context.stroke();
}
