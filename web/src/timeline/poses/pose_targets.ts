/** What is under the pointer in the pose editor. Targets are 20 px; of several the nearest wins. */

import type { PoseRow } from "./pose_rows";
import { markX, shownRows, stepX, visiblePoses, type PosePlot } from "./pose_plot";

export type PoseTarget =
  | { kind: "pose"; pose: number }
  | { kind: "knot"; pose: number; row: PoseRow }
  | { kind: "range"; edge: 0 | 1 }
  | { kind: "ruler" }
  | { kind: "likely" }
  | { kind: "empty" };

const REACH = 10;
/** A mark is wanted more than the line behind it. */
const LINE_LATER = 4;

export function poseTargetAt(plot: PosePlot, x: number, y: number): PoseTarget | null {
  const { bands, theme, width } = plot;
  if (x < theme.gutter - REACH || x > width) return null;
  if (y < bands.likely.top) return rangeEdgeAt(plot, x) ?? { kind: "ruler" };
  if (y < bands.rows.top) return poseAt(plot, x) ?? { kind: "likely" };
  if (y > bands.rows.top + bands.rows.height) return { kind: "likely" };
  return markAt(plot, x, y) ?? { kind: "empty" };
}

function poseAt(plot: PosePlot, x: number): PoseTarget | null {
  const [pose, distance] = nearestLine(plot, x);
  return distance <= REACH ? { kind: "pose", pose } : null;
}

function nearestLine(plot: PosePlot, x: number): [number, number] {
  const view = plot.poses.view;
  let [best, least] = [-1, Infinity];
  if (!view) return [best, least];
  const [first, last] = visiblePoses(plot);
  for (let k = first; k < last; k++) {
    const distance = Math.abs(stepX(plot, view.times[k]!) - x);
    if (distance < least) [best, least] = [k, distance];
  }
  return [best, least];
}

function markAt(plot: PosePlot, x: number, y: number): PoseTarget | null {
  let best: PoseTarget | null = null;
  let least = REACH;
  const [first, last] = visiblePoses(plot);
  for (const { row, y: middle } of shownRows(plot)) {
    if (row.open || Math.abs(middle - y) > REACH) continue;
    for (let k = first; k < last; k++) {
      const at = markX(plot, row, k);
      const distance = at === null ? Infinity : Math.hypot(at - x, middle - y);
      if (distance > least || Math.abs(at! - x) > REACH) continue;
      [best, least] = [{ kind: "knot", pose: k, row }, distance];
    }
  }
  const [pose, distance] = nearestLine(plot, x);
  const line: PoseTarget | null = distance <= REACH ? { kind: "pose", pose } : null;
  return best && (!line || least <= distance + LINE_LATER) ? best : line;
}

function rangeEdgeAt({ scene, time }: PosePlot, x: number): PoseTarget | null {
  if (!scene.range) return null;
  const [near, far] = scene.range.map((t) => Math.abs(time.at(t) - x)) as [number, number];
  return Math.min(near, far) > REACH ? null : { kind: "range", edge: near <= far ? 0 : 1 };
}

export function samePoseTarget(a: PoseTarget | null, b: PoseTarget | null): boolean {
  if (a?.kind !== b?.kind) return false;
  if (a?.kind === "pose" && b?.kind === "pose") return a.pose === b.pose;
  if (a?.kind === "knot" && b?.kind === "knot") return a.pose === b.pose && a.row.key === b.row.key;
  return !(a?.kind === "range" && b?.kind === "range") || a.edge === b.edge;
}
