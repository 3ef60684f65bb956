/** Whose moment a surface key moves, and by how much. */

import type { MotionHeader } from "../protocol";
import * as state from "../store/state";
import {
  changeSurface, DEFAULTS, dragsOf, jointIndex, shiftOf, surfaceKeys, withJoint, withShift, type SurfaceChanges,
  type SurfaceKey,
} from "../store/surface";
import { select, type Option } from "./controls";
import { element, live } from "./dom";
import { seconds } from "./format";
import { keyField, keyNumber } from "./surface_field";
import { jointTitle, shifted } from "./surface_words";

/** Pairs that are dragged together, by the roles of their joints. */
const PAIRS: Record<string, string> = { hand: "Both hands", foot: "Both feet" };
const MOST_SHIFT = 0.5;

export const jointField = (index: number): HTMLElement =>
  keyField(
    "joint", "Joints", "Whose moment is moved. What is near it in the body follows.",
    select("Joints", jointOptions, () => chosen(surfaceKeys.value[index]), (value) => choose(index, value)),
  );

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

function choose(index: number, value: string): void {
  const key = surfaceKeys.value[index];
  const header = state.source.value?.header;
  if (!key || !header) return;
  const pair = /^pair (\w+)$/.exec(value)?.[1];
  state.selectedJoint.value = jointIndex(pair ? `right_${pair}` : value);
  changeSurface(index, pair ? withPair(header, key, pair) : withJoint(key, value));
}

function withPair({ joints, roles }: MotionHeader, key: SurfaceKey, part: string): SurfaceChanges {
  const jointOf = (role: string): string => joints[roles.indexOf(role)]!;
  const [left, right] = [jointOf(`left_${part}`), jointOf(`right_${part}`)];
  return {
    joint: right, point: null, control_points: [{ joint: left, shift: shiftOf(key) }],
    degree: key.shape === "polynomial" ? 1 : (key.degree ?? null),
  };
}

export function shiftField(index: number): HTMLElement {
  const middle = (): string => {
    const key = surfaceKeys.value[index];
    const { toSource, toResult } = state.stepTimes.value;
    if (!key) return "";
    return `pose of ${seconds(toSource(key.time))} arrives at ${seconds(toResult(key.time + shiftOf(key)))}`;
  };
  const captions = element(
    "div", { className: "slider-captions" },
    element("span", { textContent: "Earlier" }), live(middle), element("span", { textContent: "Later" }),
  );
  return keyNumber(
    index,
    {
      name: "shift", label: "Shift", unit: "s", bounds: [-MOST_SHIFT, MOST_SHIFT],
      help: "How much later the moment comes; less than 0 is earlier.",
      value: shiftOf, change: withShift, spoken: shifted,
    },
    captions,
  );
}

/** What the server made of the shift where it did not fit. */
export function cutNote(key: SurfaceKey, made: number): string | null {
  const asked = dragsOf(key).reduce((most, d) => Math.max(most, Math.abs(d.shift)), 0);
  if (Math.abs(made) > asked - 1e-3) return null;
  return (
    `Only ${seconds(Math.abs(made))} of ${seconds(asked)} fit: the clip's end or another key leaves no more room. ` +
    "Move the key, or shorten the other's Fade in time."
  );
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

export const degreeFor = (key: SurfaceKey, drags: number): number =>
  Math.max(1, Math.min(key.degree ?? DEFAULTS.degree, drags - 1));

