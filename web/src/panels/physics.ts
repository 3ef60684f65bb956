/** Of physics steps: what a body could do, how far off this timing is, and the smallest change that mends it. */

import * as actions from "../store/actions";
import * as state from "../store/state";
import { button } from "./controls";
import { element, live, watch, type Child } from "./dom";
import { feasibleDuration } from "./feasible";
import type { MethodExtra } from "./form";
import { number } from "./format";
import { gravityGroup } from "./gravity";
import { icon } from "./icons";
import { massesSection } from "./masses";
import { regionSection } from "./region";
import { violationsSection } from "./violations";
import { debounce } from "./waiting";

export const physicsExtra: MethodExtra = {
  replaces: ["duration", "gravity", "mass_scale"],
  above: (step) => [
    element("div", { className: "field-group" }, ...feasibleDuration(step)),
    gravityGroup(step),
    regionSection(),
    violationsSection(step),
    watchButton(step),
  ],
  below: (step) => [massesSection(step)],
  moreTitle: "Body and limits",
  moreCaption: () => live(bodyCaption),
};

function bodyCaption(): string {
  const found = state.physics.value?.header;
  return found ? `${number(found.mass, 0)} kg, friction ${number(found.friction)}` : "";
}

function watchButton(step: string): Child {
  const made = button("", () => actions.watchSolving(step), "button");
  made.replaceChildren(icon("play"), "Watch it being solved");
  made.title = "Solve slowly enough to follow: drag the curve to push it";
  watch(() => {
    made.disabled = state.link.value !== "open" || state.computing.value;
  });
  return element("div", { className: "field-group" }, made);
}

/** Ask what physics says while somebody looks at it: a physics step, or feasibility in the view. */
export function askForPhysics(): void {
  let asked: { result: unknown; step: string | null } | null = null;
  const later = debounce(() => actions.ask("physics", physicsStep()));
  watch(() => {
    const looked = state.showFeasibility.value || state.step.value?.method === "physics";
    const result = state.result.value;
    if (!looked || !result || result.header.interim) return;
    const step = physicsStep();
    if (result === asked?.result && step === asked.step) return;
    asked = { result, step };
    later.ask();
  });
}

/** The selected physics step, else the first that counts; none means the body's own limits. */
function physicsStep(): string | null {
  if (state.step.value?.method === "physics") return state.step.value.id;
  return state.steps.value.find((s) => s.method === "physics" && !s.mute)?.id ?? null;
}
