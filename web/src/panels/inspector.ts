/** The inspector: the selected step's parameters, what it found, and the status line. */

import { signal } from "@preact/signals-core";
import { poses } from "../store/poses";
import * as state from "../store/state";
import { surfaceIndex, surfaceKeys } from "../store/surface";
import { addStepButton } from "./addstep";
import { iconButton, iconToggle } from "./controls";
import { element, live, rebuild, shown, watch } from "./dom";
import { methodForm, stepNotes } from "./form";
import { methodIcon } from "./icons";
import { inspectorOpen } from "./layout";
import { attachMenu } from "./popover";
import { statusLine } from "./status";
import { stepMenu, stepTitle } from "./step";

const helpShown = signal(false);

export function inspector(): HTMLElement {
  const body = element("div", { className: "inspector-body" });
  rebuild(body, shownStep, (key) => {
    if (key === null) return [nothingChosen()];
    const [id, method] = key.split(" ") as [string, string];
    const form = state.methods.value.get(method);
    return [
      titleBar(id, method),
      element("div", { className: "inspector-form" }, ...(form ? methodForm(id, form) : []), stepNotes(id)),
    ];
  });
  const made = element(
    "aside",
    { className: "inspector", ariaLabel: "Parameters", tabIndex: -1, data: { area: "inspector" } },
    body,
    statusLine(),
  );
  watch(() => {
    made.classList.toggle("with-help", helpShown.value);
    made.classList.toggle("open", inspectorOpen.value);
  });
  return made;
}

/** What the form is made for; the document may come before the welcome that knows the methods. */
function shownStep(): string | null {
  const step = state.step.value;
  return step && state.methods.value.has(step.method) ? `${step.id} ${step.method}` : null;
}

/** The part of a step that is edited, where it is edited in parts: which surface key, which pose. */
export function partTitle(): string | null {
  const method = state.step.value?.method;
  if (method === "surface" && surfaceIndex.value !== null)
    return `Surface key ${surfaceIndex.value + 1} of ${surfaceKeys.value.length}`;
  const [pose, count] = [state.selectedPose.value, poses.value?.count ?? 0];
  return method === "stagger" && pose !== null && pose < count ? `Pose ${pose + 1} of ${count}` : null;
}

function titleBar(id: string, method: string): HTMLElement {
  const more = iconButton("more", "What to do with this step", () => undefined);
  attachMenu(more, "Step", () => stepMenu(id));
  const close = iconButton("close", "Close the parameters", () => (inspectorOpen.value = false));
  close.classList.add("drawer-button");
  return element(
    "div",
    { className: "inspector-title" },
    methodIcon(method),
    element("h2", {}, live(() => partTitle() ?? stepTitle(state.step.value))),
    live(() => (partTitle() === null ? "" : stepTitle(state.step.value)), "caption"),
    iconToggle("help", "Explain every field", () => helpShown.value, () => (helpShown.value = !helpShown.value)),
    more,
    close,
  );
}

function nothingChosen(): HTMLElement {
  const add = addStepButton();
  add.className = "button";
  add.replaceChildren("Add a step");
  return element(
    "div",
    { className: "inspector-empty" },
    element("h2", { textContent: "No step" }),
    live(
      () =>
        state.source.value
          ? "A step changes when things happen. Add one, or press K for a keytime at the playhead."
          : "Parameters of a step are here once a motion is open.",
      "caption",
    ),
    shown(() => state.source.value !== null, element("div", {}, add)),
  );
}
