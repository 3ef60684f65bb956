/** What the hand finds in the Joint times tab, and what it does there. */

import type { Limb } from "../../store/limbs";
import { ahead } from "../../words/surface_keys";
import { selectLimb } from "../../store/selection";
import * as state from "../../store/state";
import { aheadAt } from "../../store/surface";
import { seconds } from "../plot/axis";
import type { Place } from "../plot/chip";
import { GestureHand, showAll, type Grips } from "../plot/gesture_hand";
import type { Gesture } from "../plot/gesture_host";
import { ClickOrScrub, RangeDrag, Scrub } from "../plot/time_drags";
import { jointScene, soloLimb } from "./joint_scene";
import type { JointHost } from "./joint_host";
import { jointTargetAt, sameJointTarget, type JointTarget } from "./joint_targets";
import { selectSurface } from "./surface_edits";
import { SurfaceKeyDrag } from "./surface_key_drag";

const CURSORS: Partial<Record<JointTarget["kind"], string>> = {
  key: "grab", reach: "pointer", curve: "pointer", limb: "pointer", range: "ew-resize",
};

export type JointPointer = GestureHand<JointTarget>;

export function jointHand(host: JointHost, signal: AbortSignal, pressed: () => void): JointPointer {
  const grips: Grips<JointTarget> = {
    at: ({ x, y }) => jointTargetAt(host.plot(), x, y),
    same: sameJointTarget,
    cursor: ({ kind }) => CURSORS[kind],
    take: (target) => gestureAt(host, target),
    hover(target) {
      state.hoveredJoint.value = target?.kind === "curve" ? target.joint : null;
    },
    point(target, place) {
      if (target.kind === "curve") readOut(host, target.joint, place);
    },
    double(target) {
      if (target?.kind === "ruler") showAll(host);
    },
    pressed,
  };
  return new GestureHand(host, grips, signal);
}

function gestureAt(host: JointHost, target: JointTarget | null): Gesture | null {
  switch (target?.kind) {
    case "key": return new SurfaceKeyDrag(host, target.index);
    case "range": return new RangeDrag(host, target.edge);
    case "reach": return new ClickOrScrub(host, () => selectSurface(target.index));
    case "curve": return new ClickOrScrub(host, () => solo(target.joint));
    case "limb": return new ClickOrScrub(host, () => toggleLimb(target.limb));
    case undefined: return null;
    default: return new Scrub(host);
  }
}

/** What a joint shows at the time under the pointer. */
function readOut(host: JointHost, joint: number, { x, y }: Place): void {
  const { joints, time, source, theme } = host.plot();
  const column = joints.curves?.columns[joint];
  if (!joints.curves || !column) return;
  const t = time.value(Math.max(x, theme.gutter));
  const by = aheadAt(joints.curves.clip, column, t);
  const { toSource, fromResult } = state.stepTimes.value;
  const shows = toSource(fromResult(t) + by);
  const place = { x, y: Math.min(source.at(by), y) };
  host.chip.show([joints.titles[joint] ?? "", "shows", seconds(shows), ahead(by)], place, []);
}

function toggleLimb(limb: Limb): void {
  soloLimb.value = soloLimb.value === limb ? null : limb;
  selectLimb(limb);
}

/** Show a joint's limb alone; the joint is the one that T drags next. */
function solo(joint: number): void {
  toggleLimb(jointScene.value.limbs[joint] ?? "trunk");
  state.selectedJoint.value = joint;
}
