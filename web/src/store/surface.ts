/** Time control surfaces of the selected step: what is looked at, and what a person does to it. */

import { computed } from "@preact/signals";
import type { SurfaceEditor, SurfaceKeyView } from "../protocol";
import * as actions from "./actions";
import { interpolate, type Clip } from "./clip";
import { jointToUse } from "./selection";
import * as state from "./state";
import {
  DEFAULTS, fadeThatFits, roomAt, spanOf, surfaceKeysOf, withChanges, type Span, type SurfaceChanges, type SurfaceKey,
} from "./surface_keys";
import type { Change } from "./transaction";
import { timeText } from "../words/units";

export * from "./surface_keys";

// ---- what is looked at

export const surfaceKeys = computed<SurfaceKey[]>(() => surfaceKeysOf(state.step.value));
/** Index of the key that is edited; one that is gone gives way to the last. */
export const surfaceIndex = computed<number | null>(() => {
  const count = surfaceKeys.value.length;
  return count ? Math.min(state.selectedSurface.value ?? 0, count - 1) : null;
});
/** What the server says of the step that is edited, where the result on screen has it. */
export const surfaceEditor = computed<SurfaceEditor | null>(() => {
  const editor = state.result.value?.header.editor;
  return editor?.type === "surface" && editor.step === state.step.value?.id ? editor : null;
});
/** A key's view, and its place among the arrays of the result. */
export function surfaceView(index: number): { view: SurfaceKeyView; place: number } | null {
  const place = surfaceEditor.value?.keys.findIndex((k) => k.index === index) ?? -1;
  return place < 0 ? null : { view: surfaceEditor.value!.keys[place]!, place };
}

/** First and last time of what the edited step is given. */
export function givenSpan(): Span {
  const found = state.result.value?.header.steps.find((s) => s.id === state.step.value?.id);
  const clip = state.source.value;
  const range = state.step.value?.parameters?.["range"];
  if (Array.isArray(range)) return range as Span;
  return found?.given ?? (clip ? [clip.start, clip.end] : [0, 1]);
}

// ---- what a person does

/** The change of the edited step that changes one of its keys; null where that key is gone. */
export function surfaceChange(index: number, changes: SurfaceChanges): Change | null {
  const keys = surfaceKeysOf(state.step.value);
  if (!keys[index]) return null;
  return { parameters: { keys: keys.map((key, k) => (k === index ? withChanges(key, changes) : key)) } };
}

/** Change a key of the edited step at once. */
export function changeSurface(index: number, changes: SurfaceChanges): void {
  const change = surfaceChange(index, changes);
  if (change && state.step.value) actions.change(state.step.value.id, change);
}

/** Remove a key; with the last one the step goes, which would do nothing. */
export function removeSurface(index: number): void {
  const step = state.step.value;
  const keys = surfaceKeysOf(step);
  if (!step || !keys[index]) return;
  const left = keys.filter((_, k) => k !== index);
  if (!left.length) {
    actions.run({ type: "remove_step", id: step.id });
    return;
  }
  state.selectedSurface.value = Math.min(index, left.length - 1);
  actions.setParameter(step.id, "keys", left);
  state.announcement.value = `Surface key ${index + 1} is removed.`;
}

/** Add a surface at a time of the result: to the selected surface step, else by a step of its own. */
export function addSurfaceAt(t: number): void {
  const source = state.source.value;
  if (!source || state.link.value !== "open") return;
  const joint = source.header.joints[jointToUse(t) ?? -1];
  if (joint === undefined) return;
  const step = state.step.value;
  if (step?.method !== "surface") {
    actions.addStep({ method: "surface", parameters: { keys: [{ time: actions.round(t), joint, shift: 0 }] } });
    return;
  }
  const time = actions.round(state.stepTimes.value.fromResult(t));
  const keys = surfaceKeysOf(step);
  const spans = keys.map((key, k) => spanOf(key, surfaceView(k)?.view ?? null));
  const found = roomAt(time, spans, givenSpan());
  if ("taken" in found) return refuseTaken(time, found.taken, spans[found.taken]!);
  const gamma = fadeThatFits(time, found.room, givenSpan());
  if (gamma === null) return refuseNarrow(time, found.room);
  const key: SurfaceKey = { time, joint, shift: 0, ...(gamma < DEFAULTS.gamma ? { gamma } : {}) };
  const made = [...keys, key].sort((a, b) => a.time - b.time);
  actions.setParameter(step.id, "keys", made);
  state.selectedSurface.value = made.indexOf(key);
  state.announcement.value = `Surface key ${made.indexOf(key) + 1} of ${made.length} is added at ${timeText(time)}.`;
}

function refuseTaken(time: number, index: number, [from, to]: Span): void {
  state.selectedSurface.value = index;
  const { toResult } = state.stepTimes.value;
  actions.fail(
    `No surface was added at ${timeText(time)}`,
    `Key ${index + 1} reaches from ${timeText(toResult(from))} to ${timeText(toResult(to))}, and reaches cannot ` +
      "overlap. Move the playhead out of it, or lower its Fade in time.",
  );
}

function refuseNarrow(time: number, [from, to]: Span): void {
  actions.fail(
    `No surface was added at ${timeText(time)}`,
    `Other keys leave only ${timeText(from)} to ${timeText(to)} free there, too little to fade in. ` +
      "Lower their Fade in time first.",
  );
}

// ---- which joint

/** A joint's index by its name or its role; -1 where there is none. */
export function jointIndex(name: string | undefined): number {
  const header = state.source.value?.header;
  if (!header || name === undefined) return -1;
  const named = header.joints.indexOf(name);
  return named >= 0 ? named : header.roles.indexOf(name);
}

/** How far ahead of the output a joint is at a time: from one column of (frames, joints). */
export const aheadAt = (clip: Clip, column: Float32Array, t: number): number => interpolate(clip.times, column, t);
