/** What the Joint times tab shows: one picture of the signals, made anew when one of them changes. */

import { computed, signal } from "@preact/signals";
import { limbsOf, type Limb } from "../../store/limbs";
import { jointTitle, keyWords } from "../../words/surface_keys";
import type { RetimedClip } from "../../store/clip";
import * as state from "../../store/state";
import {
  farthestOf, givenSpan, jointIndex, spanOf, surfaceIndex, surfaceKeys, surfaceView, timeRoom, type SurfaceKey,
} from "../../store/surface";
import { scene, type Scene } from "../plot/scene";

/** A surface key on the axis of the result's time. */
export interface KeyMark {
  index: number;
  key: SurfaceKey;
  /** When it is felt, and when the dragged joint's moment arrives. */
  span: [number, number];
  arrival: number;
  words: string;
}

export interface JointScene {
  base: Scene;
  /** How far ahead of the output each joint is, seconds, frame by frame; null where the step has none. */
  curves: Curves | null;
  limbs: Limb[];
  titles: string[];
  /** The step has surfaces. */
  surfaces: boolean;
  marks: KeyMark[];
  selected: number | null;
  /** The joint whose curve stands out: under the pointer, selected, or dragged by the selected key. */
  focused: number | null;
  solo: Limb | null;
}

export interface Curves {
  clip: RetimedClip;
  columns: Float32Array[];
  /** Joints that are never ahead nor behind. */
  still: boolean[];
  least: number;
  most: number;
}

/** The limb that is shown alone. */
export const soloLimb = signal<Limb | null>(null);

/** Nobody sees less, seconds. */
const NOTHING = 5e-5;
const known = new WeakMap<RetimedClip, Curves | null>();

/** The result's joint times by joint. */
export function curvesOf(clip: RetimedClip): Curves | null {
  const before = known.get(clip);
  if (before !== undefined) return before;
  const rows = clip.block("joint_times");
  const made = rows && clip.frames ? transposed(clip, rows) : null;
  known.set(clip, made);
  return made;
}

function transposed(clip: RetimedClip, rows: Float32Array): Curves {
  const joints = rows.length / clip.frames;
  const columns = Array.from({ length: joints }, () => new Float32Array(clip.frames));
  const curves: Curves = { clip, columns, still: [], least: 0, most: 0 };
  columns.forEach((column, j) => {
    let [low, high] = [0, 0];
    for (let f = 0; f < clip.frames; f++) {
      const value = rows[f * joints + j]!;
      column[f] = value;
      if (value < low) low = value;
      if (value > high) high = value;
    }
    curves.still.push(high < NOTHING && low > -NOTHING);
    curves.least = Math.min(curves.least, low);
    curves.most = Math.max(curves.most, high);
  });
  return curves;
}

export const jointScene = computed<JointScene>(() => {
  const now = scene.value;
  const header = state.source.value?.header;
  const editor = now.result?.header.editor;
  const mine = editor && editor.step === now.step?.id;
  const selected = surfaceIndex.value;
  const key = selected === null ? null : surfaceKeys.value[selected];
  const own = jointIndex(key?.joint);
  const limbs = header ? limbsOf(header) : [];
  return {
    // The warp's own marks are none of this tab's.
    base: { ...now, keys: [], selected: null, suggestions: [], ends: null, rates: null },
    curves: now.result && mine ? curvesOf(now.result) : null,
    limbs,
    titles: header ? header.joints.map((name) => jointTitle(header, name)) : [],
    surfaces: now.step?.method === "surface",
    marks: surfaceKeys.value.map(markOf),
    selected,
    focused: state.hoveredJoint.value ?? standsOut([own, state.selectedJoint.value ?? -1], limbs),
    solo: soloLimb.value,
  };
});

/** The first of some joints that is not hidden by a limb shown alone. */
function standsOut(joints: number[], limbs: readonly Limb[]): number | null {
  return joints.find((j) => j >= 0 && (soloLimb.value === null || limbs[j] === soloLimb.value)) ?? null;
}

function markOf(key: SurfaceKey, index: number): KeyMark {
  const { toResult } = state.stepTimes.value;
  const [from, to] = spanOf(key, surfaceView(index)?.view ?? null);
  return {
    index, key, span: [toResult(from), toResult(to)], arrival: toResult(key.time + farthestOf(key)),
    words: keyWords(state.source.value?.header, key),
  };
}

/** The free room of a key in the step's time, and from when to when its time may be. */
export function roomOf(mark: KeyMark): { room: [number, number]; times: [number, number] } {
  const room = surfaceView(mark.index)?.view.room ?? givenSpan();
  return { room, times: timeRoom(mark.key, room, givenSpan()) };
}

/** Why there is no plot; null where there is one. */
export function purpose({ base, curves, surfaces, marks }: JointScene): string | null {
  const muted = base.step?.mute === true;
  // Keys that the server refuses can still be moved apart.
  if (surfaces ? marks.length && !muted : curves) return null;
  if (!base.source) return "Open a motion first: this tab shows how far ahead or behind each of its joints is.";
  if (muted && (surfaces || base.step?.method === "stagger"))
    return "This step is muted, so every joint keeps its time. Unmute it to see the joints' times.";
  if (surfaces || base.step?.method !== "stagger")
    return (
      "This tab shows how far ahead of the body each joint is. A surface moves one joint's moment, " +
      "such as a hand's impact, earlier or later; what is near it in the body follows."
    );
  return "Joint times are shown with the next result.";
}
