/** What a person does, as commands; drags are in `transaction.ts`. */

import { batch } from "@preact/signals";
import type { ChangeStep, NewStep } from "../protocol";
import { nextRequest, run, send, show, want } from "./connection";
import { expectServer, leaveServer } from "./live_server";
import { isCertain, refusalOf } from "./solver";
import * as state from "./state";
import { stopSending } from "./uploads";
import { begin, discardShown, openDrag, settle, takeBackSettling, type Change } from "./transaction";

export { run } from "./connection";
export { upload } from "./uploads";

/** Drag a step without a pointer, for scripts: show a change, then `commit` or `discard` it. */
export const preview = ({ id, ...values }: Omit<ChangeStep, "type">): void => openDrag(id).update(values);
export const commit = (): void => openDrag().commit();
export const discard = discardShown;

/** Change a step at once, as part of the undo step that made the revision `joins` if nothing has changed since. */
export function change(id: string, values: Change, joins: number | null = null): void {
  const command: ChangeStep = { type: "change_step", id, ...values };
  const refused = refusalOf(id, values.parameters ?? {});
  if (refused) return fail("The keytime was not kept", refused);
  settle();
  if (state.link.value === "open" && !isCertain(id, values.parameters ?? {})) {
    const drag = begin(id, joins);
    drag.update(values);
    return drag.commit();
  }
  state.pending.value = command;
  run(command, joins);
}

export const setParameter = (id: string, name: string, value: unknown): void =>
  change(id, { parameters: { [name]: value } });

export const previewParameter = (id: string, name: string, value: unknown): void =>
  preview({ id, parameters: { [name]: value } });

/** Add a step; of a cycle it keeps the seam, where its method can. */
export function addStep(given: NewStep, index?: number): void {
  const fields = state.methods.value.get(given.method)?.fields.map((field) => field.name) ?? [];
  const retimes = fields.includes("loop") && fields.includes("keytimes");
  const loops = retimes && state.source.value?.header.cycle === true && given.parameters?.["loop"] === undefined;
  const step = loops ? { ...given, parameters: { ...given.parameters, loop: true } } : given;
  if (loops) state.announcement.value = "The clip is a cycle, so Loop is on in the new step. It can be turned off there.";
  run({ type: "add_step", version: state.version.value, step, index: index ?? null });
}

export function showVersion(version: state.Version): void {
  batch(() => {
    state.version.value = version;
    const ids = state.steps.value.map((s) => s.id);
    if (!ids.includes(state.selectedStep.value ?? "")) state.selectedStep.value = ids[0] ?? null;
    state.selectedKey.value = null;
    state.physics.value = null;
  });
  show();
}

/** Take changes back; one that still waits for the solver counts as the last. */
export function undo(count = 1): void {
  const left = takeBackSettling() ? count - 1 : count;
  if (left > 0) send({ type: "undo", count: left });
}
export const redo = (count = 1): void => void send({ type: "redo", count });
export const save = (): void => void send({ type: "save" });

/** Stop what is being computed, and a drag with it. */
export function cancel(): void {
  discardShown();
  stopSending();
  send({ type: "cancel" });
}

export const ask = (question: "suggestions" | "physics", step: string | null = null): void =>
  void send({ type: "ask", request: nextRequest(), question, step });
/** Solve a physics step at a pace that can be watched; it counts as being computed, and can be cancelled. */
export function watchSolving(step: string): void {
  const request = nextRequest();
  if (send({ type: "ask", request, question: "watch", step })) want(request, false);
}
/** Follow a motion of the project as if it came live, with the source as the recording. */
export function followLive(motion: string): void {
  state.performer.value = motion;
  state.liveRun.value = null;
  send({ type: "ask", request: nextRequest(), question: "live", motion });
}
/** Show a running `retime live`, by the address that it printed. */
export function listenTo(address: string): void {
  const request = nextRequest();
  if (send({ type: "listen", request, address })) expectServer(request);
}
export function stopListening(): void {
  leaveServer();
  send({ type: "listen", request: nextRequest(), address: null });
}
export const push = (time: number, rate: number): void => void send({ type: "push", time, rate });
export const openSample = (name: string): void => void send({ type: "sample", request: nextRequest(), name });
export const locate = (id: string, path: string | null): void =>
  void send({ type: "locate", request: nextRequest(), id, path });

// ---- keytimes of the selected step

/** The step whose keytimes are edited: the selected one, or the first that takes any. */
export function keyedStep(): string | null {
  const chosen = state.step.value;
  if (chosen && state.takesKeytimes(chosen.method)) return chosen.id;
  return state.steps.value.find((s) => state.takesKeytimes(s.method) && !s.mute)?.id ?? null;
}

/**
 * Add a keytime at a time of the result: it shows what is shown there, or a given time of the step's input. Where no
 * step takes keytimes, one is made; where a keytime stands there already, it is selected.
 */
export function addKeyAt(output: number, given?: number): void {
  const shown = state.result.value?.sourceAt(output) ?? output;
  const id = keyedStep();
  if (!id) {
    addStep({ method: "spline", parameters: { keytimes: [[round(output), round(given ?? shown)]] } });
    state.selectedKey.value = 0;
    return;
  }
  state.selectedStep.value = id;
  const times = state.stepTimes.value;
  const key: state.Key = [round(times.fromResult(output)), round(given ?? times.fromSource(shown))];
  const taken = state.keys.value.findIndex(([t]) => Math.abs(t - key[0]) < 0.99 / state.fps.value);
  if (taken >= 0) {
    state.selectedKey.value = taken;
    return;
  }
  const keys = [...state.keys.value, key].sort((a, b) => a[0] - b[0]);
  setParameter(id, "keytimes", keys);
  state.selectedKey.value = keys.indexOf(key);
}

export function deleteKey(index: number): void {
  const id = state.selectedStep.value;
  if (!id) return;
  const keys = state.keys.value.filter((_, k) => k !== index);
  state.selectedKey.value = null;
  setParameter(id, "keytimes", keys.length ? keys : null);
}

export function setKey(index: number, key: state.Key): void {
  const id = state.selectedStep.value;
  if (id) setParameter(id, "keytimes", state.keys.value.map((old, k) => (k === index ? key : old)));
}

/** Times in the document are kept to a tenth of a millisecond: diffs stay readable. */
export const round = (t: number): number => Math.round(t * 1e4) / 1e4;

// ---- time

export function seek(t: number): void {
  const [a, b] = state.domain.value;
  state.time.value = Math.min(Math.max(t, a), b);
}

/** The frame of the result that is nearest to a time, as a time. */
export function nearestFrame(t: number): number {
  const [a] = state.domain.value;
  return a + Math.round((t - a) * state.fps.value) / state.fps.value;
}

/** Step by frames, landing on whole ones. */
export function stepFrames(count: number): void {
  const [a] = state.domain.value;
  const frame = Math.round((state.time.value - a) * state.fps.value) + count;
  state.playing.value = false;
  seek(a + frame / state.fps.value);
}

export function fail(title: string, text: string): void {
  state.problems.value = [...state.problems.value, { type: "problem", title, text }];
}
