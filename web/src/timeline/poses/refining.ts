/** Knots moved in time: as far as there is room, as documents, and as they will look. */

import { round } from "../../store/actions";
import type { PoseEdit } from "../../store/pose_edits";
import type { PosesView } from "../../store/poses_view";

/** A knot and the refinement that is wanted for it, seconds. */
export type Wanted = readonly [k: number, channel: number, value: number];

export interface Refining {
  documents: PoseEdit[];
  view: PosesView;
  /** Knots that stopped at a neighbour. */
  stopped: number;
}

/**
 * Refine poses one after the other, as the server will: each knot stays between those of its neighbours as they are by
 * then. Poses that move later go from the last to the first, so that none stands in another's way.
 */
export function refine(view: PosesView, wanted: readonly Wanted[], later: boolean): Refining {
  const byPose = new Map<number, Wanted[]>();
  for (const one of wanted) {
    if (!view.isFree(one[0]) || !view.has(one[0], one[1])) continue;
    const list = byPose.get(one[0]);
    if (list) list.push(one);
    else byPose.set(one[0], [one]);
  }
  const order = [...byPose.keys()].sort((a, b) => (later ? b - a : a - b));
  const documents: PoseEdit[] = [];
  let [now, stopped] = [view, 0];
  for (const k of order) {
    const made: Wanted[] = [];
    for (const [, channel, value] of byPose.get(k)!) {
      const [low, high] = now.refinementRoom(k, channel);
      const old = now.refinement(k, channel);
      const kept = low <= high ? Math.min(Math.max(value, low), high) : old;
      if (Math.abs(kept - value) > 1e-3) stopped++;
      if (Math.abs(kept - old) > 5e-5) made.push([k, channel, round(kept)]);
    }
    if (!made.length) continue;
    now = now.refined(made);
    const refinements = Object.fromEntries(made.map(([, c, value]) => [now.channels[c]!, value]));
    documents.push({ do: "refine", pose: k, refinements });
  }
  return { documents, view: now, stopped };
}

/** How far knots can go together: earlier (negative) and later. Those that move along do not stand in the way. */
export function commonRoom(
  view: PosesView, knots: readonly (readonly [k: number, channel: number])[],
): [number, number] {
  const moving = new Set(knots.map(([k, c]) => `${k}:${c}`));
  let [low, high] = [-Infinity, Infinity];
  for (const [k, c] of knots) {
    const [least, most] = view.refinementRoom(k, c);
    const r = view.refinement(k, c);
    if (!moving.has(`${k - 1}:${c}`)) low = Math.max(low, Math.min(least - r, 0));
    if (!moving.has(`${k + 1}:${c}`)) high = Math.min(high, Math.max(most - r, 0));
  }
  return [low, high];
}
