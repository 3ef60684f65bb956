/** What the hand finds in the pose editor, and what it does there. */

import * as state from "../../store/state";
import { GestureHand, showAll, type Grips } from "../gesture_hand";
import { BoxSelect } from "./box_select";
import { gestureAt, presslessGesture } from "./pose_gestures";
import { nameMark } from "./pose_names";
import type { PoseStage } from "./pose_plot";
import { poseTargetAt, samePoseTarget, type PoseTarget } from "./pose_targets";
import { typePose } from "./pose_typing";

const CURSORS: Partial<Record<PoseTarget["kind"], string>> = { pose: "grab", knot: "grab", range: "ew-resize" };

export type PosePointer = GestureHand<PoseTarget>;

export function poseHand(stage: PoseStage, signal: AbortSignal, pressed: () => void): PosePointer {
  const grips: Grips<PoseTarget> = {
    at: ({ x, y }) => poseTargetAt(stage.posePlot(), x, y),
    same: samePoseTarget,
    cursor: ({ kind }) => CURSORS[kind],
    take: (target, place, event) => gestureAt(stage, target, place, event.shiftKey),
    name: (target) => nameMark(stage, target),
    hover: (target) => hoverJoint(stage, target),
    double: (target) => double(stage, target),
    wheel(event, pixels) {
      if (event.altKey) stage.scrollRows(pixels);
      return event.altKey;
    },
    pressed,
  };
  return new GestureHand(stage, grips, signal);
}

/** Draw a box with the next press. */
export function startBox(stage: PoseStage, hand: PosePointer): boolean {
  if (!stage.posePlot().poses.view) return false;
  if (!hand.withNextPress("crosshair", (place, event) => new BoxSelect(stage, place, event.shiftKey))) return false;
  state.announcement.value = "Drag a box over the parts to select.";
  return true;
}

/** Follow the pointer until a click: `G` moves what is selected, `S` scales it. */
export const carryPoses = (stage: PoseStage, hand: PosePointer, kind: "move" | "scale"): boolean =>
  hand.carry(() => presslessGesture(stage, kind));

function hoverJoint(stage: PoseStage, target: PoseTarget | null): void {
  const joint = target?.kind === "knot" && target.row.kind === "joint" ? target.row.channels[0]! : null;
  const view = stage.posePlot().poses.view;
  state.hoveredJoint.value = joint === null || !view ? null : view.jointOf(joint);
}

function double(stage: PoseStage, target: PoseTarget | null): void {
  if (target?.kind === "ruler") showAll(stage);
  else if (target?.kind === "pose" || target?.kind === "knot")
    typePose(stage, target.pose, target.kind === "knot" ? target.row : null);
}
