/** Staggered poses as the tab, the panel and the view's tool read and edit them. */

import { computed, effect, signal, untracked } from "@preact/signals";
import type { PosesEditor, StepEntry } from "../protocol";
import * as actions from "./actions";
import type { RetimedClip } from "./clip";
import { withDocument, type PoseEdit } from "./pose_edits";
import { PosesView } from "./poses_view";
import { jointToUse } from "./selection";
import * as state from "./state";
import { begin, type Change, type Transaction } from "./transaction";
import { timeText } from "../words/units";

export * from "./pose_edits";
export { placePose, PosesView, type PlacedPose } from "./poses_view";

/** Whether an edit of value is of the pose at its time, or of the extremes that its parts reach around it. */
export const poseWhen = signal<"pose" | "extreme">("pose");
/** What is dragged in the view: a joint that turns, or a hand or a foot that reaches. */
export const poseHandle = signal<"fk" | "ik">("ik");
/** What helps a joint to reach: its limb alone, the torso too, or the whole body over planted feet. */
export const reachHelp = signal<"limb" | "torso" | "body">("body");
/** The layer of the stack that takes edits of value; 0 is the motion itself. */
export const poseLayer = signal(0);

/** The argument that names the layer; the lowest is not written. A layer that is gone is none. */
export function onLayer(): { layer?: number } {
  const layers = poses.value?.editor.layers ?? 1;
  return poseLayer.value > 0 && poseLayer.value < layers ? { layer: poseLayer.value } : {};
}

const known = new WeakMap<RetimedClip, PosesView>();

/** The poses that came with a result; null where it was made for no step of staggered poses. */
export function posesOf(result: RetimedClip | null): PosesView | null {
  if (result?.header.editor?.type !== "poses") return null;
  const before = known.get(result);
  if (before) return before;
  const [times, refinements] = [result.block("pose_times"), result.block("refinements")];
  if (!times || !refinements) return null;
  const editor: PosesEditor = result.header.editor;
  const made = new PosesView(
    editor, times, refinements, result.block("included"), result.block("probability"), 1 / result.fps,
    result.block("candidates"), result.block("tangents"), result.block("delivered"),
  );
  known.set(result, made);
  return made;
}

/** The poses of the selected step; null while its result is not there yet. */
export const poses = computed<PosesView | null>(() => {
  const found = posesOf(state.result.value);
  return found && found.step === state.step.value?.id ? found : null;
});

/** The edits of a step as its document lists them. */
export function editsOf(step: StepEntry | null): PoseEdit[] {
  const listed = step?.parameters?.["edits"];
  return Array.isArray(listed) ? (listed as PoseEdit[]) : [];
}

/** The change that makes a list of edits the step's; an empty list is the default and is not written. */
export const editsChange = (edits: PoseEdit[]): Change => ({ parameters: { edits: edits.length ? edits : null } });

/** A tool that previews while it is open; it is given up when another edit begins. */
let giveUpTool: (() => void) | null = null;

export function openTool(giveUp: () => void): void {
  endTool();
  giveUpTool = giveUp;
}
/** A tool that was closed by itself has nothing to give up. */
export const toolClosed = (): void => void (giveUpTool = null);

export function endTool(): void {
  const giveUp = giveUpTool;
  giveUpTool = null;
  giveUp?.();
}

/** Change the whole list at once: one step of undo. */
export const setEdits = (step: string, edits: PoseEdit[], joins: number | null = null): void =>
  actions.change(step, editsChange(edits), joins);

export function addEdits(step: string, ...added: PoseEdit[]): void {
  endTool();
  setEdits(step, [...editsOf(state.stepNamed(step)), ...added]);
}

/**
 * A drag of edits: what it shows goes on top of the list as it was when the drag began, so that it leaves only what it
 * ends with.
 */
export class EditsDrag {
  private readonly before: PoseEdit[];
  private readonly transaction: Transaction;

  constructor(readonly step: string) {
    endTool();
    this.before = editsOf(state.stepNamed(step));
    this.transaction = begin(step);
  }

  update(...made: PoseEdit[]): void {
    this.transaction.update(editsChange([...this.before, ...made]));
  }
  commit(): void {
    this.transaction.commit();
  }
  discard(): void {
    this.transaction.discard();
  }
}

/** The change that a slider makes: its edit replaces the last one where that has the same kind, poses and joints. */
export function editChange(step: string, edit: PoseEdit): Change {
  endTool();
  return editsChange(withDocument(committedEdits(step), edit));
}

/** The list without what is being dragged. */
export function committedEdits(step: string): PoseEdit[] {
  const versions = Object.values(state.committed.value?.versions ?? {}).flat();
  return editsOf(versions.find((s) => s.id === step) ?? null);
}

/** Whether edits may be sent. */
export const editable = computed(() => state.link.value !== "gone" && poses.value !== null);

/** Select a pose and go to its time. */
export function selectPose(k: number | null): void {
  state.selectedPose.value = k;
  const view = poses.value;
  if (k === null || !view || k >= view.count) return;
  state.playing.value = false;
  actions.seek(state.stepTimes.value.toResult(view.times[k]!));
}

/** When a pose was inserted that the server has not answered yet: it will be selected. */
export const inserted = signal<number | null>(null);

/** Insert a pose at a time of the result; what stands there already is selected. `joins`: see `actions.change`. */
export function insertPose(output: number, only: { joints?: string[] } = {}, joins: number | null = null): void {
  const view = poses.value;
  if (!view || !editable.value) return;
  const t = actions.round(state.stepTimes.value.fromResult(output));
  const taken = view.at(t, view.frame);
  if (taken !== null) {
    state.announcement.value = `Pose ${taken + 1} is already at ${timeText(t)}.`;
    return selectPose(taken);
  }
  if (t <= view.times[0]! || t >= view.times[view.count - 1]!) {
    state.announcement.value = "A pose can be inserted between the first and the last one only.";
    return;
  }
  state.selectedPose.value = null; // numbers mean other poses until the answer is there
  inserted.value = t;
  endTool();
  setEdits(view.step, [...editsOf(state.stepNamed(view.step)), { do: "insert", time: t, ...only }], joins);
  const part = only.joints ? `, of ${only.joints.length} joints` : "";
  state.announcement.value = `Pose inserted at ${timeText(t)}${part}.`;
}

export function deletePose(k: number): boolean {
  const view = poses.value;
  if (!view || !editable.value) return false;
  if (!view.isFree(k)) {
    state.announcement.value = view.whyNot(k);
    return false;
  }
  addEdits(view.step, { do: "delete", pose: k });
  state.selectedPose.value = null;
  state.announcement.value = `Pose ${k + 1} at ${timeText(view.times[k]!)} deleted; the motion stays as it is.`;
  return true;
}

/** A pose that is inserted as soon as those of its step are there: its result time, the revision that adds the step. */
const wanted = signal<{ time: number; added: number | null } | null>(null);
effect(() => {
  const pose = wanted.value;
  if (!pose || !poses.value || !editable.value) return;
  untracked(() => {
    wanted.value = null;
    // A playhead that went on meant something else.
    if (state.time.value === pose.time) insertPose(pose.time, {}, pose.added);
  });
});

/** A pose at the playhead, by key: in the selected step of poses, in the first there is, or in a new one. */
export function poseAtPlayhead(): void {
  if (!state.source.value) return;
  jointToUse(state.time.value);
  if (state.step.value?.method === "stagger") return insertPose(state.time.value);
  const other = state.steps.value.find((s) => s.method === "stagger" && !s.mute);
  // Its poses come with its editor. A step that is made for the pose is undone with it.
  wanted.value = { time: state.time.value, added: other ? null : state.revision.value + 1 };
  if (other) state.selectedStep.value = other.id;
  else actions.addStep({ method: "stagger" });
}
