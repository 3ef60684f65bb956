/** The read-out of a pose or a mark that the pointer rests on. */

import { sayLater } from "../../store/poses";
import { seconds } from "../plot/axis";
import { dotY } from "./likelihood";
import { markX, shownRows, stepX, type PosePlot, type PoseHost } from "./pose_plot";
import { markTime, type PoseRow } from "./pose_rows";
import type { PoseTarget } from "./pose_targets";

/** Where a pose's dot, or its mark in a row, is on the canvas; null where its row is not shown. */
export function placeOfMark(plot: PosePlot, k: number, row: PoseRow | null): { x: number; y: number } | null {
  const { view } = plot.poses;
  if (!view || k >= view.count) return null;
  if (!row) return { x: stepX(plot, view.times[k]!), y: dotY(plot, k) };
  const y = shownRows(plot).find((shown) => shown.row.key === row.key)?.y;
  const x = markX(plot, row, k);
  return y === undefined || x === null ? null : { x, y };
}

export function nameMark(host: PoseHost, target: PoseTarget): void {
  const plot = host.posePlot();
  const { view } = plot.poses;
  if (!view || !("pose" in target) || target.pose >= view.count) return;
  const row = target.kind === "knot" ? target.row : null;
  const at = placeOfMark(plot, target.pose, row);
  if (!at) return;
  const t = view.times[target.pose]!;
  const late = row ? (markTime(view, row, target.pose) ?? t) - t : 0;
  const words = row ? [row.label, `${row.channels.length > 1 ? "on average " : ""}${sayLater(late)}`] : [seconds(t)];
  host.chip.show([`Pose ${target.pose + 1}`, words[0]!, ...words.slice(1)], at, []);
}
