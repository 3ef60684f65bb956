/** What the hand finds in the pose editor, and what it does there. */

import * as state from "../../store/state";
import { GestureHand, showAll, type Grips } from "../plot/gesture_hand";
import { BoxSelect } from "./box_select";
import { gestureAt, presslessGesture } from "./pose_gestures";
import { nameMark } from "./pose_names";
import type { PoseHost } from "./pose_plot";
import { poseTargetAt, samePoseTarget, type PoseTarget } from "./pose_targets";
import { typePose } from "./pose_typing";

const CURSORS: Partial<Record<PoseTarget["kind"], string>> = { pose: "grab", knot: "grab", range: "ew-resize" };

export type PosePointer = GestureHand<PoseTarget>;

export function poseHand(host: PoseHost, signal: AbortSignal, pressed: () => void): PosePointer {
  const grips: Grips<PoseTarget> = {
    at: ({ x, y }) => poseTargetAt(host.posePlot(), x, y),
    same: samePoseTarget,
    cursor: ({ kind }) => CURSORS[kind],
    take: (target, place, event) => gestureAt(host, target, place, event.shiftKey),
    name: (target) => nameMark(host, target),
    hover: (target) => hoverJoint(host, target),
    double: (target) => double(host, target),
    wheel(event, pixels) {
      if (event.altKey) host.scrollRows(pixels);
      return event.altKey;
    },
    pressed,
  };
  return new GestureHand(host, grips, signal);
}

/** Draw a box with the next press. */
export function startBox(host: PoseHost, hand: PosePointer): boolean {
  if (!host.posePlot().poses.view) return false;
  if (!hand.withNextPress("crosshair", (place, event) => new BoxSelect(host, place, event.shiftKey))) return false;
  state.announcement.value = "Drag a box over the parts to select.";
  return true;
}

/** Follow the pointer until a click: `G` moves what is selected, `S` scales it. */
export const carryPoses = (host: PoseHost, hand: PosePointer, kind: "move" | "scale"): boolean =>
  hand.carry(() => presslessGesture(host, kind));

function hoverJoint(host: PoseHost, target: PoseTarget | null): void {
  const joint = target?.kind === "knot" && target.row.kind === "joint" ? target.row.channels[0]! : null;
  const view = host.posePlot().poses.view;
  state.hoveredJoint.value = joint === null || !view ? null : view.jointOf(joint);
}

function double(host: PoseHost, target: PoseTarget | null): void {
  if (target?.kind === "ruler") showAll(host);
  else if (target?.kind === "pose" || target?.kind === "knot")
    typePose(host, target.pose, target.kind === "knot" ? target.row : null);
}
