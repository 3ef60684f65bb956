/** The one selection of a body part: made by a click on the body, in the tree or on a row, and used by every tool. */

import { LIMB_TITLES, limbsOf, type Limb } from "./limbs";
import type { Clip } from "./clip";
import * as state from "./state";

/** Where each limb ends; tools drag a limb by it. */
const ENDS: Record<Limb, readonly string[]> = {
  trunk: ["head", "neck", "chest"],
  left_arm: ["left_hand"], right_arm: ["right_hand"], left_leg: ["left_foot"], right_leg: ["right_foot"],
};

/** The joint that a limb is dragged by: its hand, foot or head, else its last joint. */
export function endOf(limb: Limb): number | null {
  const header = state.source.value?.header;
  if (!header) return null;
  const named = ENDS[limb].map((role) => header.roles.indexOf(role)).find((j) => j >= 0);
  if (named !== undefined) return named;
  const last = limbsOf(header).lastIndexOf(limb);
  return last >= 0 ? last : null;
}

/** Select a joint, or nothing. */
export function clickJoint(joint: number | null): void {
  if (joint === state.selectedJoint.value) return;
  state.selectedJoint.value = joint;
  const name = joint === null ? null : state.source.value?.header.joints[joint];
  state.announcement.value = name ? `${name} is selected.` : "Nothing is selected.";
}

/** Select a limb by the joint that it is dragged by; a joint of it that is selected already stays. */
export function selectLimb(limb: Limb): void {
  const header = state.source.value?.header;
  const chosen = state.selectedJoint.value;
  if (header && chosen !== null && limbsOf(header)[chosen] === limb) return;
  clickJoint(endOf(limb));
}

/** The limb whose end moves most, as the body sees it, within two frames to either side of a time. */
export function busiestLimb(clip: Clip, t: number, ends: ReadonlyMap<Limb, number>, root: number): Limb | null {
  const around = 2 / clip.fps;
  const [before, after] = [t - around, t + around].map((time) => {
    const pose = new Float32Array(3 * clip.points);
    clip.poseAt(time, pose);
    return pose;
  }) as [Float32Array, Float32Array];
  const way = (j: number): number =>
    Math.hypot(...[0, 1, 2].map((c) => {
      const moved = after[3 * j + c]! - before[3 * j + c]!;
      return moved - (after[3 * root + c]! - before[3 * root + c]!);
    }));
  let best: Limb | null = null;
  for (const [limb, j] of ends) if (best === null || way(j) > way(ends.get(best)!)) best = limb;
  return best;
}

/** The selected joint; without one, the limb that moves most at a time of the result is selected. */
export function jointToUse(t: number): number | null {
  const source = state.source.value;
  if (!source) return null;
  const chosen = state.selectedJoint.value;
  if (chosen !== null && chosen < source.header.joints.length) return chosen;
  const limbs = new Set(limbsOf(source.header));
  const ends = new Map([...limbs].map((limb) => [limb, endOf(limb)!] as const));
  const root = Math.max(source.header.parents.indexOf(-1), 0);
  const limb = busiestLimb(state.result.value ?? source, t, ends, root);
  if (!limb) return 0;
  state.selectedJoint.value = ends.get(limb)!;
  state.announcement.value = `${LIMB_TITLES[limb]} moves most here: it is selected.`;
  return ends.get(limb)!;
}
