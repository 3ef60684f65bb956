/** Keys of the whole window. Fields, sliders and the timeline's own plot come first. */

import * as actions from "../../store/actions";
import { stopActing, toggleActing } from "../../store/acting";
import { poseAtPlayhead } from "../../store/poses";
import * as state from "../../store/state";
import { addSurfaceAt } from "../../store/surface";
import { finishTaps, giveUpTaps, tap, tapping } from "../../store/taps";
import type { TabApi } from "../../timeline/plot/tab";
import type { ViewApi } from "../../viewport/view";
import { openHelp } from "../help/help";
import { nextArea } from "./layout";
import { togglePlay } from "../../store/playback";
import { toggleMute } from "../recipe/step";
import { toEnd, toStart } from "../transport/transport";

export function listenForKeys(view: ViewApi, tab: () => TabApi): void {
  letGoOfClicked();
  window.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    if (document.querySelector("dialog[open], .popover:popover-open")) return;
    const used = command(event) || (!typing(event) && (tab().handleKey(event) || shortcut(event, view)));
    if (used) event.preventDefault();
  });
}

/** A button that was clicked gives the keys back: Space plays, whatever was clicked last. Tab goes on from there. */
function letGoOfClicked(): void {
  document.addEventListener("click", (event) => {
    const clicked = (event.target as Element).closest<HTMLElement>("button, [role=button]");
    const byPointer = event.detail > 0;
    if (byPointer && clicked && !clicked.closest(".popover, dialog, .tour-card, .timeline-area")) clicked.blur();
  });
}

function typing(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement;
  if (target.matches("textarea, select, input:not([type=range]), [contenteditable]")) return true;
  // A focused button takes the space bar, a slider the arrows: they were asked for.
  if (target.matches("button, a, [role=slider]") && (event.key === " " || event.key === "Enter")) return true;
  return target.matches("input[type=range]") && /^(Arrow|Home|End)/.test(event.key);
}

/** With Ctrl or Cmd, and F6: these work while typing too. */
function command(event: KeyboardEvent): boolean {
  if (event.key === "F6") {
    nextArea(event.shiftKey);
    return true;
  }
  if (!(event.ctrlKey || event.metaKey)) return false;
  const target = event.target as HTMLElement;
  const inText = target.matches("input[type=text]") && target.dataset["typed"];
  switch (event.key.toLowerCase()) {
    case "z":
      if (inText) return false; // the field's own undo
      if (event.shiftKey) actions.redo();
      else actions.undo();
      return true;
    case "y":
      actions.redo();
      return true;
    case "s":
      actions.save();
      return true;
    default:
      return false;
  }
}

function shortcut(event: KeyboardEvent, view: ViewApi): boolean {
  if (event.ctrlKey || event.metaKey) return false;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const run = SHORTCUTS[key];
  if (run) return run(event) !== false;
  const look = ({ "1": "front", "3": "side", "7": "top" } as const)[key];
  if (look) view.look(look);
  else if (key === "f") view.frameCharacter();
  else return false;
  return true;
}

export const SHORTCUTS: Record<string, (event: KeyboardEvent) => void | false> = {
  " ": togglePlay,
  ArrowLeft: (event) => (event.shiftKey ? toKey(-1) : actions.stepFrames(-1)),
  ArrowRight: (event) => (event.shiftKey ? toKey(1) : actions.stepFrames(1)),
  Home: toStart,
  End: toEnd,
  i: (event) => setRange(0, event.altKey),
  o: (event) => setRange(1, event.altKey),
  k: () => void (state.source.value && actions.addKeyAt(state.time.value)),
  p: poseAtPlayhead,
  t: () => void (state.source.value && addSurfaceAt(state.time.value)),
  m: () => void (state.selectedStep.value && toggleMute(state.selectedStep.value)),
  Delete: deleteKey,
  Backspace: deleteKey,
  b: () => void (state.source.value && tap()),
  r: toggleActing,
  Enter: () => (tapping.value ? finishTaps() : false),
  "?": openHelp,
  Escape: giveUp,
};

function deleteKey(): void | false {
  if (state.selectedKey.value === null) return false;
  actions.deleteKey(state.selectedKey.value);
}

/** Give up the drag, then what is computed, then the selection: one at a time. */
function giveUp(): void | false {
  if (giveUpTaps() || stopActing()) return;
  if (state.pending.value || state.computing.value || state.loading.value) actions.cancel();
  else if (state.selectedKey.value !== null) state.selectedKey.value = null;
  else return false;
}

/** To the nearest key before or after the playhead; the ends count as keys. */
export function neighbourKey(times: number[], now: number, direction: 1 | -1): number | null {
  const sorted = [...times].sort((a, b) => direction * (a - b));
  return sorted.find((t) => direction * (t - now) > 1e-4) ?? null;
}

function toKey(direction: 1 | -1): void {
  const ends = state.domain.value;
  const times = state.keys.value.map(([t]) => state.stepTimes.value.toResult(t));
  const next = neighbourKey([...times, ...ends], state.time.value, direction);
  if (next === null) return;
  state.playing.value = false;
  actions.seek(next);
  const index = times.indexOf(next);
  state.selectedKey.value = index >= 0 ? index : null;
}

/** The range with one end at a time; pressed again there, or with Alt, that end is free again. */
export function rangeWith(
  range: [number, number] | null, side: 0 | 1, t: number, clear: boolean, domain: [number, number],
): [number, number] | null {
  const next: [number, number] = [...(range ?? domain)];
  const again = Math.abs(next[side] - t) < 1e-4;
  next[side] = clear || again ? domain[side] : t;
  if (next[0] >= next[1]) next[1 - side] = domain[1 - side]!;
  const whole = Math.abs(next[0] - domain[0]) < 1e-4 && Math.abs(next[1] - domain[1]) < 1e-4;
  return whole || next[0] >= next[1] ? null : next;
}

function setRange(side: 0 | 1, clear: boolean): void {
  if (!state.source.value) return;
  state.playRange.value = rangeWith(state.playRange.value, side, state.time.value, clear, state.domain.value);
}
