/** The pose and the joint that handles edit, and the edits that they write. */

import { computed, signal } from "@preact/signals";
import type { MotionHeader } from "../../protocol";
import { onLayer, poseHandle, poseWhen, reachHelp } from "../../store/poses";
import * as state from "../../store/state";
import type { Change } from "../../store/transaction";
import { pointAt } from "../ground/pointpath";
import { turnedOn, type Point } from "./pose_math";

/** An edit of poses as a recipe holds it. */
export type PoseDocument = { do: string } & Record<string, unknown>;

export interface EditedPose {
  step: string;
  pose: number;
  /** When the pose is in the result. */
  at: number;
  /** Whether it may change: poses outside the step's range may not. */
  free: boolean;
  joints: number[];
}

/** The pose whose joints are handles now, while its tab is open. */
export const editedPose = computed<EditedPose | null>(() => {
  const step = state.step.value;
  const result = state.result.value;
  const editor = result?.header.editor;
  const pose = state.selectedPose.value;
  if (state.tab.value !== "poses" || !step || !result || pose === null) return null;
  if (editor?.type !== "poses" || editor.step !== step.id) return null;
  const times = result.block("pose_times");
  if (!times || pose >= times.length) return null;
  return {
    step: step.id,
    pose,
    at: state.stepTimes.value.toResult(times[pose]!),
    // `free` leaves the ends out, which only edits of all poses leave alone; a range forbids what is outside it.
    free: step.parameters?.["range"] == null || editor.free.includes(pose),
    joints: [...new Set(editor.joints)],
  };
});

/** Whether the playhead is on the pose: what is seen is what is edited. */
export const onPose = computed<boolean>(() => {
  const edited = editedPose.value;
  return edited !== null && Math.abs(state.time.value - edited.at) < 0.75 / state.fps.value;
});

export interface EditedJoint extends EditedPose {
  joint: number;
  name: string;
  /** A hand or a foot, or what hangs on one; with help of the body also the head, an elbow or a knee. */
  reaches: boolean;
  handle: "fk" | "ik";
}

/** The joint that has handles; one that cannot reach is turned, whatever is chosen. */
export const editedJoint = computed<EditedJoint | null>(() => {
  const edited = editedPose.value;
  const joint = state.selectedJoint.value;
  const header = state.source.value?.header;
  const name = joint === null ? undefined : header?.joints[joint];
  if (!edited || joint === null || !header || name === undefined || !edited.joints.includes(joint)) return null;
  const helped = reachHelp.value !== "limb" && /^head$|lower_(arm|leg)$/.test(header.roles[joint] ?? "");
  const reaches = header.limbs[joint] != null || helped;
  return { ...edited, joint, name, reaches, handle: reaches ? poseHandle.value : "fk" };
});

/** What the pointer is over: a handle, or nothing. */
export const hoveredHandle = signal<string | null>(null);
/** Changes whenever handles must be drawn again for a reason that the view itself does not know of. */
export const handlesChange = computed<object>(() => ({ of: [editedJoint.value, hoveredHandle.value, target.value] }));

// ---- documents

export const editsOf = (step: string): PoseDocument[] => {
  const listed = state.steps.value.find((s) => s.id === step)?.parameters?.["edits"];
  return Array.isArray(listed) ? (listed as PoseDocument[]) : [];
};

/** Whether a document is this edit of this one joint at this pose: then it is changed, and not another added. */
function continues(edit: PoseDocument | undefined, made: PoseDocument, joint: string): boolean {
  const part = made.do === "reach" ? "targets" : "joints";
  const named = Object.keys((edit?.[part] as object | undefined) ?? {});
  return (
    edit !== undefined && edit.do === made.do && !edit["mute"] && (edit["when"] ?? null) === made["when"] &&
    (edit["layer"] ?? 0) === (made["layer"] ?? 0) && (edit["help"] ?? "body") === (made["help"] ?? "body") &&
    JSON.stringify(edit["pose"] ?? edit["poses"]) === JSON.stringify(made["pose"] ?? made["poses"]) &&
    named.length === 1 && named[0] === joint
  );
}

/** The edits with one more at their end, or with their last one replaced where it is of the same joint and pose. */
export function withEdit(edits: readonly PoseDocument[], made: PoseDocument, joint: string): PoseDocument[] {
  const kept = continues(edits.at(-1), made, joint) ? edits.slice(0, -1) : edits;
  return [...kept, made];
}

const rounded = (point: Point, digits: number): number[] => point.map((v) => Number(v.toFixed(digits)));

/** The whole body's help is the default and is not written. */
const helping = (): { help?: string } => (reachHelp.value === "body" ? {} : { help: reachHelp.value });

/** A joint is brought to a place, metres. */
export const reachOf = (pose: number, joint: string, to: Point, when: string): PoseDocument =>
  ({ do: "reach", pose, targets: { [joint]: rounded(to, 4) }, when, ...helping(), ...onLayer() });

/** A joint turns by a rotation vector about its parent's axes, degrees. */
export const turnOf = (pose: number, joint: string, by: Point, when: string): PoseDocument =>
  ({ do: "turn", joints: { [joint]: rounded(by, 3) }, poses: [pose], when, ...onLayer() });

/** The last edit's value, where it goes on with this joint and pose. */
function lastValue({ step, pose, name }: EditedJoint, kind: "reach" | "turn"): Point | null {
  const last = editsOf(step).at(-1);
  const like = kind === "reach"
    ? reachOf(pose, name, [0, 0, 0], poseWhen.value)
    : turnOf(pose, name, [0, 0, 0], poseWhen.value);
  if (!continues(last, like, name)) return null;
  const values = last![kind === "reach" ? "targets" : "joints"] as Record<string, number[]>;
  return values[name] as unknown as Point;
}

const editChange = (edited: EditedJoint, made: PoseDocument): Change =>
  ({ parameters: { edits: withEdit(editsOf(edited.step), made, edited.name) } });

export const reachChange = (edited: EditedJoint, to: Point): Change =>
  editChange(edited, reachOf(edited.pose, edited.name, to, poseWhen.value));

/** Turn further than the joint was turned when the drag began. */
export const turnChange = (edited: EditedJoint, before: Point, by: Point): Change =>
  editChange(edited, turnOf(edited.pose, edited.name, turnedOn(before, by), poseWhen.value));

export const turnBefore = (edited: EditedJoint): Point => lastValue(edited, "turn") ?? [0, 0, 0];

// ---- the target and the joint

/** Where a joint is at the edited pose, as the result on screen has it. */
export function placeAt(joint: number, at: number): Point | null {
  const result = state.result.value;
  if (!result?.frames || joint >= result.points) return null;
  const out = new Float32Array(3);
  pointAt(result, joint, at, out);
  return [out[0]!, out[1]!, out[2]!];
}

/** Where the edited joint is to be: where the last edit wants it, else where it is. */
export const target = computed<Point | null>(() => {
  const edited = editedJoint.value;
  if (!edited) return null;
  return lastValue(edited, "reach") ?? placeAt(edited.joint, edited.at);
});

/** Whether the last edit is a reach of the edited joint: then there is something to be near to. */
export const isReaching = computed<boolean>(() => {
  const edited = editedJoint.value;
  return edited !== null && lastValue(edited, "reach") !== null;
});

/** The name of a joint as people say it. */
export function jointLabel({ roles, joints }: Pick<MotionHeader, "roles" | "joints">, joint: number): string {
  const words = (roles[joint] ?? joints[joint] ?? "").replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
