/** Which gesture begins with a press on a target, or with a key. */

import { selectPose } from "../../store/poses";
import * as state from "../../store/state";
import type { Gesture } from "../plot/gesture_host";
import { RangeDrag, Scrub } from "../plot/time_drags";
import { BoxSelect } from "./box_select";
import { KnotDrag, ScaleDrag } from "./knot_drag";
import { PoseDrag } from "./pose_drag";
import type { PoseHost } from "./pose_plot";
import { cursorRow, knotOf, knotsOfRow, selection } from "./pose_scene";
import type { PoseTarget } from "./pose_targets";

export function gestureAt(
  host: PoseHost, target: PoseTarget | null, place: { x: number; y: number }, shift: boolean,
): Gesture | null {
  switch (target?.kind) {
    case "pose": return new PoseDrag(host, target.pose, () => clickPose(target.pose));
    case "knot": return takeKnot(host, target, shift);
    case "range": return new RangeDrag(host, target.edge);
    case "empty": return new BoxSelect(host, place, shift);
    case "ruler":
    case "likely": return new Scrub(host);
    default: return null;
  }
}

function clickPose(pose: number): void {
  selection.value = new Set();
  cursorRow.value = null;
  selectPose(pose);
}

/** A mark that is not selected becomes the selection when it is taken hold of; Shift adds it, or takes it out. */
function takeKnot(host: PoseHost, target: PoseTarget & { kind: "knot" }, shift: boolean): Gesture {
  const view = host.posePlot().poses.view!;
  const own = knotsOfRow(view, target.row, target.pose);
  const had = own.every((id) => selection.value.has(id));
  if (shift && had) selection.value = new Set([...selection.value].filter((id) => !own.includes(id)));
  else if (!had) selection.value = new Set(shift ? [...selection.value, ...own] : own);
  state.selectedPose.value = target.pose;
  cursorRow.value = target.row.key;
  if (target.row.kind === "joint") state.selectedJoint.value = view.jointOf(target.row.channels[0]!);
  return new KnotDrag(host, target, () => {
    if (!shift) selection.value = new Set(own);
    selectPose(target.pose);
  });
}

/** What follows the pointer without a pressed button: `G` moves what is selected, `S` scales it. */
export function presslessGesture(host: PoseHost, kind: "move" | "scale"): Gesture | null {
  const { poses, scene } = host.posePlot();
  const { view, selected, rows } = poses;
  if (!view || !scene.editable) return null;
  const whole = (k: number): number[] => view.channels.map((_, c) => k * view.channels.length + c);
  const ids = selection.value.size || selected === null ? [...selection.value] : whole(selected);
  const movable = ([k, c]: [number, number]): boolean => k < view.count && view.has(k, c) && view.isFree(k);
  const knots = ids.map((id) => knotOf(view, id)).filter(movable);
  if (kind === "scale") return knots.length ? new ScaleDrag(host, knots) : null;
  if (!selection.value.size) return selected === null ? null : new PoseDrag(host, selected, () => undefined);
  const row = rows.find((r) => !r.open && r.channels.some((c) => c === knots[0]?.[1]));
  return row ? new KnotDrag(host, { pose: knots[0]![0], row }, () => undefined) : null;
}
