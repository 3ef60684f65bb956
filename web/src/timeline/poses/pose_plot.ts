/** What the pose editor is drawn with, and where its marks are. */

import { bisect } from "../../store/clip";
import type { Plot } from "../plot/plot";
import type { GestureHost } from "../plot/gesture_host";
import { markTime, rowMiddle, visibleRows, type PoseBands, type PoseRow } from "./pose_rows";
import type { PoseScene } from "./pose_scene";

export interface PosePlot extends Plot {
  bands: PoseBands;
  poses: PoseScene;
  scroll: number;
  limbs: Record<string, string>;
}

/** Where the hand is that a pose or a knot could not follow. */
export interface PoseWish {
  from: { x: number; y: number };
  x: number;
}

export interface PoseHost extends GestureHost {
  posePlot(): PosePlot;
  showPoseWish(wish: PoseWish | null): void;
  /** The box that is drawn, in the canvas's pixels. */
  showBox(box: [number, number, number, number] | null): void;
  scrollRows(pixels: number): void;
  /** Scroll until a row can be seen. */
  revealRow(index: number): void;
  /** Say why something is not done. */
  say(text: string, x: number): void;
}

/** The x of a time of the step. */
export const stepX = ({ time, scene }: PosePlot, t: number): number => time.at(scene.times.toResult(t));

/** The time of the step at an x. */
export const stepTime = ({ time, scene }: PosePlot, x: number): number => scene.times.fromResult(time.value(x));

/** First and last pose that may have a mark on screen, one past the end. */
export function visiblePoses(plot: PosePlot): [number, number] {
  const { view } = plot.poses;
  if (!view?.count) return [0, 0];
  const reach = 0.6; // seconds: no refinement that is found is larger than half of it
  const from = stepTime(plot, plot.theme.gutter) - reach;
  const to = stepTime(plot, plot.width) + reach;
  return [bisect(view.times, from), Math.min(bisect(view.times, to) + 1, view.count)];
}

export interface ShownRow {
  row: PoseRow;
  y: number;
}

export function shownRows({ poses, bands, scroll }: PosePlot): ShownRow[] {
  const [first, last] = visibleRows(poses.rows.length, bands.rows, scroll);
  return poses.rows.slice(first, last).map((row, n) => ({ row, y: rowMiddle(first + n, bands.rows, scroll) }));
}

/** The x of a row's mark of a pose; null where the pose leaves all of the row out. */
export function markX(plot: PosePlot, row: PoseRow, k: number): number | null {
  const t = plot.poses.view ? markTime(plot.poses.view, row, k) : null;
  return t === null ? null : stepX(plot, t);
}

/** Where the probability of a pose is drawn. */
export function likelyY({ bands }: PosePlot, probability: number, most: number): number {
  const { top, height } = bands.likely;
  return top + height - 8 - (height - 16) * (most > 0 ? probability / most : 0);
}
