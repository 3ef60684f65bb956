/** Playback: where we are as frame and as seconds, what is played, how fast. */

import * as actions from "../store/actions";
import * as state from "../store/state";
import { clockOf, parseTime } from "../store/times";
import { button, iconButton, iconToggle } from "./controls";
import { element, live, shown, watch, type Child } from "./dom";
import { number } from "./format";
import { icon } from "./icons";
import { numberField } from "./number";
import { togglePlay } from "./playback";
import { attachMenu, type MenuRow } from "./popover";

const RATES: [number, string][] = [[0.25, "¼×"], [0.5, "½×"], [1, "1×"], [2, "2×"]];

export function transport(): HTMLElement {
  const made = element(
    "section",
    { className: "transport", ariaLabel: "Playback" },
    tabs(),
    element(
      "fieldset",
      { className: "transport-buttons", ariaLabel: "Playback" },
      iconButton("to-start", "To the start (Home)", toStart),
      iconButton("step-back", "Step back (←)", () => actions.stepFrames(-1)),
      playButton(),
      iconButton("step-on", "Step forward (→)", () => actions.stepFrames(1)),
      iconButton("to-end", "To the end (End)", toEnd),
      iconToggle("loop", "Loop", () => state.looping.value, () => (state.looping.value = !state.looping.value)),
    ),
    shown(
      () => state.source.value !== null,
      element("div", { className: "transport-numbers" }, rangeReadout(), rateButton(), narrowMenu(), ...readouts()),
    ),
  );
  watch(() => {
    made.querySelector("fieldset")!.disabled = state.source.value === null;
  });
  return made;
}

export const toStart = (): void => actions.seek(state.playSpan.value[0]);
export const toEnd = (): void => actions.seek(state.playSpan.value[1]);

const TAB_NAMES: Record<state.Tab, string> = {
  warp: "Warp", joints: "Joint times", poses: "Poses", layers: "Layers", live: "Live",
};

function tabs(): HTMLElement {
  const made = state.TABS.map((name) => {
    const tab = element(
      "button",
      { type: "button", className: "tab", role: "tab", id: `tab-${name}`, textContent: TAB_NAMES[name] },
    );
    tab.setAttribute("aria-controls", `panel-${name}`);
    tab.addEventListener("click", () => (state.tab.value = name));
    watch(() => {
      const chosen = state.tab.value === name;
      tab.ariaSelected = String(chosen);
      tab.tabIndex = chosen ? 0 : -1; // one stop for Tab; the arrows go on from there
    });
    return tab;
  });
  const list = element("div", { className: "tabs", role: "tablist", ariaLabel: "Timeline" }, ...made);
  list.addEventListener("keydown", (event) => {
    const step = ({ ArrowLeft: -1, ArrowRight: 1 } as Record<string, number>)[event.key];
    if (!step) return;
    event.stopPropagation();
    const next = (state.TABS.indexOf(state.tab.value) + step + made.length) % made.length;
    state.tab.value = state.TABS[next]!;
    made[next]!.focus();
  });
  return list;
}

function playButton(): HTMLElement {
  const made = iconButton("play", "Play (Space)", togglePlay);
  made.classList.add("play");
  watch(() => {
    made.replaceChildren(icon(state.playing.value ? "pause" : "play"));
    made.ariaLabel = made.title = state.playing.value ? "Pause (Space)" : "Play (Space)";
  });
  return made;
}

const rangeText = (): string => {
  const [a, b] = state.playSpan.value;
  return `${number(a)} – ${number(b)} s`;
};

function rangeReadout(): HTMLElement {
  const made = element(
    "button",
    { type: "button", className: "range-readout", onclick: () => (state.playRange.value = null) },
    "Range ",
    live(rangeText, "strong"),
    shown(() => state.playRange.value !== null, element("span", {}, icon("close"))),
  );
  watch(() => {
    made.disabled = state.playRange.value === null;
    made.title = made.disabled ? "Set a range with I and O" : "Play the whole again";
  });
  return made;
}

const rateRows = (): MenuRow[] =>
  RATES.map(([rate, label]) => ({
    label,
    icon: rate === state.playbackRate.value ? "check" : undefined,
    run: () => (state.playbackRate.value = rate),
  }));

function rateButton(): HTMLElement {
  const made = button(
    live(() => RATES.find(([r]) => r === state.playbackRate.value)?.[1] ?? "1×"),
    () => undefined,
    "rate-button",
  );
  made.append(icon("down"));
  made.ariaLabel = "Playback rate";
  attachMenu(made, "Playback rate", rateRows);
  return made;
}

/** Range and rate, where the bar is too narrow to show them. */
function narrowMenu(): HTMLElement {
  const made = iconButton("more", "Range and rate", () => undefined);
  made.classList.add("transport-more");
  attachMenu(made, "Range and rate", () => [
    { heading: `Range ${rangeText()}` },
    { label: "Play the whole", disabled: state.playRange.value === null, run: () => (state.playRange.value = null) },
    { heading: "Rate" },
    ...rateRows(),
  ]);
  return made;
}

function readouts(): Child[] {
  const start = (): number => state.domain.value[0];
  const nothing = (): void => undefined;
  const seek = (t: number): void => {
    state.playing.value = false;
    actions.seek(t);
  };
  const frame = numberField({
    label: "Frame",
    unit: "frame",
    whole: true,
    step: 0.25,
    value: () => Math.round((state.time.value - start()) * state.fps.value),
    preview: (v) => seek(start() + v / state.fps.value),
    commit: (v) => seek(start() + v / state.fps.value),
    discard: nothing,
  });
  const time = numberField({
    label: "Time",
    unit: "s",
    digits: 3,
    step: 0.005,
    parse: (typed) =>
      parseTime(typed, "output", { ...clockOf(null), start: start(), outputLength: state.domain.value[1] - start() }),
    value: () => Math.round(state.time.value * 1000) / 1000,
    preview: seek,
    commit: seek,
    discard: nothing,
  });
  frame.classList.add("bare", "readout");
  time.classList.add("bare", "readout");
  return [frame, time];
}
