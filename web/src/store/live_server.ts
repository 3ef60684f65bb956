/** A running `retime live` that this window listens to: its latest frame, and how following went since. */

import { batch, computed, signal } from "@preact/signals";
import type { LiveServerHeader } from "../protocol";
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
export interface ServerFrame {
  header: LiveServerHeader;
  performer: Float32Array;
  partner: Float32Array;
}

/** How following went over the seconds since listening began. */
export type ServerHistory = Pick<LiveRun, "times" | "source" | "rate" | "confidence" | "late">;

export const listening = signal<"off" | "connecting" | "on">("off");
/** The latest frame. */
export const serverFrame = signal<ServerFrame | null>(null);
/** What words tell: a frame's header, no more often than words can be read. */
export const serverReading = signal<LiveServerHeader | null>(null);
export const serverHistory = signal<ServerHistory | null>(null);
/** Whether both figures stand in one place, as when the recording itself is what is shown. */
export const serverCrowded = signal(false);
/** What became of the server last listened to, where no problem says it. */
export const serverNote = signal("");

/** What the view shows instead of original and result; null while the tab is not open. */
export const serverShown = computed<ServerFrame | null>(() => (state.tab.value === "live" ? serverFrame.value : null));
/** Whether the view shows it: unlike the frame this does not change with each. */
export const isServerShown = computed(() => serverShown.value !== null);

/** The request whose frames are wanted: those of an earlier one may still be on their way. */
let wanted: number | null = null;
let begun = 0;
let samples: number[][] = [];
/** Whether both figures were seen. */
let met = false;

/** Expect the frames that a request asked for. */
export function expectServer(request: number): void {
  batch(() => {
    clear();
    wanted = request;
    listening.value = "connecting";
    serverNote.value = "";
  });
}

/** Want no frames any more. */
export function leaveServer(): void {
  batch(clear);
}

export function receiveServerFrame(header: LiveServerHeader, arrays: Frame["arrays"], now = performance.now() / 1000): void {
  if (header.request !== wanted) return;
  batch(() => {
    if (listening.value !== "on") {
      listening.value = "on";
      begun = now;
    }
    serverFrame.value = { header, performer: arrays.get("performer")!, partner: arrays.get("partner")! };
    if (!met) meet(serverFrame.value);
    const at = now - begun;
    const last = samples.at(-1);
    if (last && at - last[0]! < APART) return;
    samples.push([at, header.time, header.rate, header.confidence, header.late ?? NaN]);
    const old = samples.findIndex(([t]) => t! >= at - KEPT);
    if (old > 0) samples.splice(0, old);
    serverReading.value = header;
    serverHistory.value = history();
  });
}

/** A request's frames came to their end, or will never come. */
export function endServer(request: number | null | undefined): void {
  if (request == null || request !== wanted) return;
  batch(() => {
    const note = listening.value === "on" ? "retime live ended" : "";
    clear();
    serverNote.value = note;
  });
}

function meet({ header, performer, partner }: ServerFrame): void {
  const a = 3 * header.performer_joints.indexOf("hips");
  const b = 3 * header.partner_joints.indexOf("hips");
  const between = Math.hypot(performer[a]! - partner[b]!, performer[a + 2]! - partner[b + 2]!);
  met = Number.isFinite(between); // not a number where either is not seen
  serverCrowded.value = between < CROWDED;
}

function clear(): void {
  wanted = null;
  samples = [];
  met = serverCrowded.value = false;
  listening.value = "off";
  serverFrame.value = serverReading.value = serverHistory.value = null;
}

function history(): ServerHistory {
  const column = (k: number): Float32Array => {
    const values = new Float32Array(samples.length);
    for (let n = 0; n < values.length; n++) values[n] = samples[n]![k]!;
    return values;
  };
  return { times: column(0), source: column(1), rate: column(2), confidence: column(3), late: column(4) };
}
