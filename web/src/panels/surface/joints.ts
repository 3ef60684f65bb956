/** The joints of a surface key: what can be dragged, what is, and what further drags are best held at. */

import type { MotionHeader } from "../../protocol";
import type { Option } from "../../controls";
import * as state from "../../store/state";
import { dragsOf, jointIndex, shiftOf, type SurfaceChanges, type SurfaceKey } from "../../store/surface";
import { jointTitle } from "../../words/surface_keys";

/** Pairs that are dragged together, by the roles of their joints. */
const PAIRS: Record<string, string> = { hand: "Both hands", foot: "Both feet" };

export function jointOptions(): Option[] {
  const header = state.source.value?.header;
  if (!header) return [];
  return [...pairOptions(header), ...singleOptions(header)];
}

const pairOptions = ({ roles }: MotionHeader): Option[] =>
  Object.entries(PAIRS)
    .filter(([part]) => roles.includes(`left_${part}`) && roles.includes(`right_${part}`))
    .map(([part, label]) => ({ value: `pair ${part}`, label }));

/** Joints with a role first, as people call them. */
export function singleOptions(header: MotionHeader): Option[] {
  const { joints, roles } = header;
  const named = joints.filter((_, j) => roles[j]);
  const rest = joints.filter((_, j) => !roles[j]);
  return [...named, ...rest].map((value) => ({ value, label: jointTitle(header, value) }));
}

/** The option that a key is, or "" for a point of the plane. */
export function chosen(key: SurfaceKey | undefined): string {
  const header = state.source.value?.header;
  if (!key || !header) return "";
  const drags = dragsOf(key);
  const roles = drags.map((d) => header.roles[jointIndex(d.joint)] ?? "");
  const pair = /^(?:left|right)_(\w+)$/.exec(roles[0] ?? "")?.[1];
  const both = pair !== undefined && pair in PAIRS && drags.length === 2 && drags[0]!.shift === drags[1]!.shift;
  if (both && roles.includes(`left_${pair}`) && roles.includes(`right_${pair}`)) return `pair ${pair}`;
  return header.joints[jointIndex(drags[0]?.joint)] ?? "";
}

export function withPair({ joints, roles }: MotionHeader, key: SurfaceKey, part: string): SurfaceChanges {
  const jointOf = (role: string): string => joints[roles.indexOf(role)]!;
  const [left, right] = [jointOf(`left_${part}`), jointOf(`right_${part}`)];
  return { joint: right, point: null, control_points: [{ joint: left, shift: shiftOf(key) }] };
}

/** The joint that a second drag is best held at: where the body's weight is, else the first that is free. */
export function heldJoint(key: SurfaceKey): string | null {
  const header = state.source.value?.header;
  if (!header) return null;
  const taken = new Set(dragsOf(key).map((d) => jointIndex(d.joint)));
  const trunk = ["hips", "chest", "head"].map((role) => header.roles.indexOf(role));
  const wanted = trunk.find((j) => j >= 0 && !taken.has(j));
  const free = wanted ?? header.joints.findIndex((_, j) => !taken.has(j));
  return header.joints[free] ?? null;
}

/** One more drag at the same moment, that keeps its own time at first. */
export function withDrag(key: SurfaceKey, joint: string): SurfaceChanges {
  return { control_points: [...(key.control_points ?? []), { joint, shift: 0 }] };
}
