/** What the pose editor shows beside the document: what is unfolded, what is selected, what a hand is moving. */

import { computed, signal } from "@preact/signals";
import { limbsOf, type Limb } from "../../store/limbs";
import { poses, type PosesView } from "../../store/poses";
import * as state from "../../store/state";
import { scene, type Scene } from "../plot/scene";
import { makeRows, type PoseRow } from "./pose_rows";

/** Limbs whose joints have rows of their own. */
export const unfolded = signal<ReadonlySet<string>>(new Set());
/** Selected knots, by `knotId`. */
export const selection = signal<ReadonlySet<number>>(new Set());
/** The row that arrow keys are in; null while whole poses are moved. */
export const cursorRow = signal<string | null>(null);
/** Poses as the hand moves them, before the server has said what it makes of it. */
export const inHand = signal<PosesView | null>(null);

export interface PoseScene {
  view: PosesView | null;
  rows: PoseRow[];
  selected: number | null;
  selection: ReadonlySet<number>;
  cursor: string | null;
  joint: number | null;
  hovered: number | null;
  base: Scene;
}

const limbs = computed<Limb[]>(() => (state.source.value ? limbsOf(state.source.value.header) : []));

export const poseScene = computed<PoseScene>(() => {
  const found = poses.value;
  const held = inHand.value;
  const view = held && held.step === found?.step ? held : found;
  const selected = state.selectedPose.value;
  return {
    view,
    rows: view ? makeRows(view, limbs.value, state.source.value?.header.roles ?? [], unfolded.value) : [],
    selected: view && selected !== null && selected < view.count ? selected : null,
    selection: selection.value,
    cursor: cursorRow.value,
    joint: state.selectedJoint.value,
    hovered: state.hoveredJoint.value,
    base: scene.value,
  };
});

/** A knot as one number. */
export const knotId = (view: PosesView, k: number, channel: number): number => k * view.channels.length + channel;

export const knotOf = (view: PosesView, id: number): [k: number, channel: number] => [
  Math.floor(id / view.channels.length),
  id % view.channels.length,
];

export const knotsOfRow = (view: PosesView, row: PoseRow, k: number): number[] =>
  row.channels.filter((c) => view.has(k, c)).map((c) => knotId(view, k, c));

export function toggleLimb(key: string): void {
  const next = new Set(unfolded.value);
  if (!next.delete(key)) next.add(key);
  unfolded.value = next;
}

/** Show a joint's row, where its limb is folded. */
export function unfoldFor(joint: number): void {
  const limb = limbs.value[joint];
  if (limb && !unfolded.value.has(limb)) toggleLimb(limb);
}
