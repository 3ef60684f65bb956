/** Edits of poses as documents: how they follow one another, and how they are said. */

import { lengthText, timeText } from "../words/units";
import { choicesOf, labelOf } from "./choices";

/** One edit, as a recipe holds it: what is done, and its arguments by name. */
export interface PoseEdit {
  do: string;
  mute?: boolean;
  [argument: string]: unknown;
}

/** Arguments that say what an edit is of; the others say how much. */
const TARGETS = [
  "pose", "poses", "joints", "joint", "relative_to", "toward", "preset", "shape", "after", "when", "layer",
];

/** Whether two edits are of one kind and of the same poses and joints. */
export function sameKind(a: PoseEdit | undefined, b: PoseEdit): boolean {
  if (!a || a.do !== b.do || a.mute) return false;
  return TARGETS.every((name) => JSON.stringify(a[name]) === JSON.stringify(b[name]));
}

/** The list with an edit at its end, in the place of the last where that is the same one going on. */
export function withDocument(edits: readonly PoseEdit[], edit: PoseEdit): PoseEdit[] {
  return [...(sameKind(edits.at(-1), edit) ? edits.slice(0, -1) : edits), edit];
}

/** What a slider shows: the argument of the last edit where that is the one that it would go on with. */
export function goingOn(edits: readonly PoseEdit[], edit: PoseEdit, argument: string): number | null {
  const last = edits.at(-1);
  const value = sameKind(last, edit) ? last![argument] : null;
  return typeof value === "number" ? value : null;
}

/** Edits that name poses by their number: others than those would be meant once poses are found anew. */
export const namesPoses = (edit: PoseEdit): boolean => "pose" in edit || "poses" in edit || "after" in edit;

/** Detail of some joints. Shares multiply, so there is one edit for each set of joints, wherever it stands. */
export function detailOf(edits: readonly PoseEdit[], joints: readonly string[]): number {
  const found = edits.find((e) => isDetail(e, joints) && !e.mute);
  return typeof found?.["share"] === "number" ? found["share"] : 1;
}

export function withDetail(edits: readonly PoseEdit[], joints: readonly string[], share: number): PoseEdit[] {
  const edit: PoseEdit = { do: "detail", share, joints: [...joints] };
  const index = edits.findIndex((e) => isDetail(e, joints));
  if (share === 1) return edits.filter((_, k) => k !== index);
  return index >= 0 ? edits.map((e, k) => (k === index ? edit : e)) : [...edits, edit];
}

const isDetail = (edit: PoseEdit, joints: readonly string[]): boolean =>
  edit.do === "detail" && !("after" in edit) && JSON.stringify(edit["joints"]) === JSON.stringify(joints);

// ---- words

const WORDS: Record<string, string> = {
  retime: "Move", refine: "Refine", refine_poses: "Stagger", succession: "Succession", jitter: "Random", scale_refinements: "Scale refinements",
  clear_refinements: "Clear refinements", insert: "Insert a pose", delete: "Delete", exaggerate: "Exaggerate", travel: "Travel",
  turn: "Turn", edit: "Reshape", reach: "Reach", detail: "Detail", set_tangents: "Tangents", add_layer: "Add a layer",
  weigh_layer: "Weigh a layer", remove_layer: "Remove a layer",
  shape_tangents: "Tangents", tween: "Tween", mirror: "Mirror", ease: "Ease", blank: "Start over",
};

/** An edit as its row in the list says it: what, and of what by how much. */
export function sayEdit(edit: PoseEdit): { title: string; detail: string } {
  const title = WORDS[edit.do] ?? edit.do;
  const parts = [wherePoses(edit), whichJoints(edit), howMuch(edit)];
  return { title, detail: parts.filter(Boolean).join(", ") };
}

const NO_POSES = ["insert", "detail", "add_layer", "weigh_layer", "remove_layer"];

function wherePoses(edit: PoseEdit): string {
  const named = "pose" in edit ? edit["pose"] : edit["poses"];
  const one = (pose: unknown): string => (typeof pose === "number" ? String(pose + 1) : String(pose));
  if (named === undefined || named === null)
    return NO_POSES.includes(edit.do) ? "" : "all poses";
  if (!Array.isArray(named)) return `pose ${one(named)}`;
  if (named.length === 1) return `pose ${one(named[0])}`;
  return named.length > 3 ? `${named.length} poses` : `poses ${named.map(one).join(", ")}`;
}

function whichJoints(edit: PoseEdit): string {
  const value = edit["joint"] ?? edit["joints"] ?? edit["refinements"] ?? edit["targets"] ?? edit["rotations"];
  if (typeof value === "string") return value;
  const keys = value && typeof value === "object" ? Object.keys(value) : [];
  const names = Array.isArray(value) ? (value as string[]) : keys;
  if (!names.length) return "";
  return names.length === 1 ? names[0]! : `${names[0]} and ${names.length - 1} more`;
}

function howMuch(edit: PoseEdit): string {
  const value = (name: string): number | null => (typeof edit[name] === "number" ? edit[name] : null);
  const time = value("time");
  if (time !== null) return edit.do === "insert" ? `at ${timeText(time)}` : `to ${timeText(time)}`;
  const share = value("share");
  const toward = edit["toward"];
  if (share !== null) {
    const word = typeof toward === "string" ? labelOf(choicesOf("tween", "tweens"), toward).toLowerCase() : "";
    const other = typeof toward === "number" ? `pose ${toward + 1}` : word;
    return `${Math.round(100 * share)} %${other ? ` toward ${other}` : ""}`;
  }
  if (edit.do === "ease") return `${String(edit["preset"])} ${(value("amount") ?? 1).toFixed(2)}`;
  if (edit.do === "shape_tangents") return String(edit["shape"]);
  const step = value("step");
  if (step !== null) return sayLater(step) + (edit["past_end"] === true ? ", past the end" : "");
  const most = value("seconds");
  if (most !== null) return `up to ${lengthText(most)}`;
  const weight = value("weight");
  const layer = edit["layer"];
  if (edit.do === "weigh_layer") return `layer ${String(layer)}, ${Math.round(100 * (weight ?? 1))} %`;
  if (edit.do === "remove_layer") return `layer ${String(layer)}`;
  if (weight !== null) return `by ${weight.toFixed(2)}`;
  const refinements = edit["refinements"];
  const only = refinements && typeof refinements === "object" ? Object.values(refinements) : [];
  return only.length === 1 && typeof only[0] === "number" ? sayLater(only[0]) : "";
}

/** A refinement in words: earlier and later, not signs alone. */
export function sayLater(r: number): string {
  if (Math.abs(r) < 5e-4) return "with its pose";
  return `${lengthText(Math.abs(r), 3)} ${r > 0 ? "later" : "earlier"}`;
}
