/** A running `retime live` that this window listens to: its latest frame, and how following went since. */

import { batch, computed, signal } from "@preact/signals-core";
import type { StageHeader } from "../protocol";
import type { LiveRun } from "./clip";
import * as state from "./state";
import type { Frame } from "./wire";

/** Frames come many times a second; so far apart, seconds, one of them is kept for the plots and told in words. */
export const APART = 0.1;
/** Seconds that are kept. */
export const KEPT = 600;

/** Figures whose hips are nearer than this when first seen together stand in each other's way, metres. */
const CROWDED = 0.5;

/** Positions are (joints, 3), not a number where a joint is not seen. */
export interface StageFrame {
  header: StageHeader;
  performer: Float32Array;
  partner: Float32Array;
}

/** How following went over the seconds since listening began. */
export type StageHistory = Pick<LiveRun, "times" | "source" | "rate" | "confidence" | "late">;

export const listening = signal<"off" | "connecting" | "on">("off");
/** The latest frame. */
export const stageFrame = signal<StageFrame | null>(null);
/** What words tell: a frame's header, no more often than words can be read. */
export const stageReading = signal<StageHeader | null>(null);
export const stageHistory = signal<StageHistory | null>(null);
/** Whether both figures stand in one place, as when the recording itself is what is shown. */
export const stageCrowded = signal(false);
/** What became of the server last listened to, where no problem says it. */
export const stageNote = signal("");

/** What the view shows instead of original and result; null while the tab is not open. */
export const stageShown = computed<StageFrame | null>(() => (state.tab.value === "live" ? stageFrame.value : null));
/** Whether the view shows it: unlike the frame this does not change with each. */
export const isStaged = computed(() => stageShown.value !== null);

/** The request whose frames are wanted: those of an earlier one may still be on their way. */
let wanted: number | null = null;
let begun = 0;
let samples: number[][] = [];
/** Whether both figures were seen. */
let met = false;

/** Expect the frames that a request asked for. */
export function expectStage(request: number): void {
  batch(() => {
    clear();
    wanted = request;
    listening.value = "connecting";
    stageNote.value = "";
  });
}

/** Want no frames any more. */
export function leaveStage(): void {
  batch(clear);
}

export function receiveStage(header: StageHeader, arrays: Frame["arrays"], now = performance.now() / 1000): void {
  if (header.request !== wanted) return;
  batch(() => {
    if (listening.value !== "on") {
      listening.value = "on";
      begun = now;
    }
    stageFrame.value = { header, performer: arrays.get("performer")!, partner: arrays.get("partner")! };
    if (!met) meet(stageFrame.value);
    const at = now - begun;
    const last = samples.at(-1);
    if (last && at - last[0]! < APART) return;
    samples.push([at, header.time, header.rate, header.confidence, header.late ?? NaN]);
    const old = samples.findIndex(([t]) => t! >= at - KEPT);
    if (old > 0) samples.splice(0, old);
    stageReading.value = header;
    stageHistory.value = history();
  });
}

/** A request's frames came to their end, or will never come. */
export function endStage(request: number | null | undefined): void {
  if (request == null || request !== wanted) return;
  batch(() => {
    const note = listening.value === "on" ? "retime live ended" : "";
    clear();
    stageNote.value = note;
  });
}

function meet({ header, performer, partner }: StageFrame): void {
  const a = 3 * header.performer_joints.indexOf("hips");
  const b = 3 * header.partner_joints.indexOf("hips");
  const between = Math.hypot(performer[a]! - partner[b]!, performer[a + 2]! - partner[b + 2]!);
  met = Number.isFinite(between); // not a number where either is not seen
  stageCrowded.value = between < CROWDED;
}

function clear(): void {
  wanted = null;
  samples = [];
  met = stageCrowded.value = false;
  listening.value = "off";
  stageFrame.value = stageReading.value = stageHistory.value = null;
}

function history(): StageHistory {
  const column = (k: number): Float32Array => {
    const values = new Float32Array(samples.length);
    for (let n = 0; n < values.length; n++) values[n] = samples[n]![k]!;
    return values;
  };
  return { times: column(0), source: column(1), rate: column(2), confidence: column(3), late: column(4) };
}
