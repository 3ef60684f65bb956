/** What lies over the view: whose body is which, what is drawn, and what the colours of feasibility mean. */

import type { LiveServerHeader } from "../protocol";
import { liveBodies } from "../store/live";
import { isServerShown, serverReading } from "../store/live_server";
import * as state from "../store/state";
import { iconButton, iconToggle, segments } from "./controls";
import { element, live, shown } from "./dom";
import { seconds } from "./format";
import type { IconName } from "./icons";
import { recordingChip } from "./record";
import { waiting } from "./waiting";

export function overlay(frameCharacter: () => void): HTMLElement {
  const made = element(
    "div",
    { className: "overlay" },
    element("div", { className: "overlay-left" }, legend(), staleChip(), recordingChip()),
    switches(frameCharacter),
    feasibilityLegend(),
  );
  return shown(() => state.source.value !== null || isServerShown.value, made);
}

function legend(): HTMLElement {
  const chip = (swatch: string, name: () => string, value: () => string): HTMLElement =>
    element(
      "span",
      { className: "chip" },
      element("span", { className: `swatch ${swatch}` }),
      element("strong", {}, live(name)),
      live(value),
    );
  const served = (): LiveServerHeader | null => (isServerShown.value ? serverReading.value : null);
  const shownTime = (): number => state.result.value?.sourceAt(state.time.value) ?? state.time.value;
  return element(
    "div",
    { className: "legend", role: "group", ariaLabel: "Bodies" },
    chip(
      "original",
      () => (isServerShown.value || liveBodies.value ? "Performer" : "Original"),
      () => seconds(served()?.heard ?? liveBodies.value?.at ?? state.time.value),
    ),
    chip(
      "retimed",
      () => (isServerShown.value ? "Partner" : liveBodies.value ? "Follower" : "Retimed"),
      () => `shows ${seconds(served()?.time ?? liveBodies.value?.shows ?? shownTime())}`,
    ),
  );
}

const staleChip = (): HTMLElement =>
  shown(
    () => waiting.value,
    element("span", { className: "chip stale", textContent: "Showing the result before this change" }),
  );

type Flag = { value: boolean };

function switches(frameCharacter: () => void): HTMLElement {
  const flag = (name: IconName, label: string, on: Flag): HTMLElement =>
    iconToggle(name, label, () => on.value, () => (on.value = !on.value));
  return element(
    "div",
    { className: "switches", role: "toolbar", ariaLabel: "What the view shows" },
    segments(
      "Layout",
      [{ value: "overlay", label: "Overlay" }, { value: "side", label: "Side by side" }],
      () => state.layout.value,
      (value) => (state.layout.value = value as state.Layout),
    ),
    element(
      "div",
      { className: "toggles" },
      flag("ghost", "Ghosts: poses before and after", state.showGhosts),
      flag("trails", "Trails of hands and feet", state.showTrails),
      flag("feet", "Contacts with the ground", state.showContacts),
      flag("shield", "Feasibility", state.showFeasibility),
      iconButton("frame", "Frame the character (F)", frameCharacter),
    ),
  );
}

function feasibilityLegend(): HTMLElement {
  const part = (kind: string, name: string): HTMLElement =>
    element("span", {}, element("span", { className: `swatch ${kind}` }), name);
  return shown(
    () => state.showFeasibility.value,
    element(
      "div",
      { className: "chip feasibility", role: "group", ariaLabel: "Feasibility" },
      part("feasible", "Feasible"),
      part("marginal", "Marginal"),
      part("infeasible", "Infeasible"),
    ),
  );
}
