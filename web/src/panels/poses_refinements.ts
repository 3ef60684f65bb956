/** Refinements of the selected pose or of all: scaled, cleared, and tools that make them. */

import * as actions from "../store/actions";
import { addEdits, editsOf, goingOn, liveEdit, poses, stepNamed, type PoseEdit } from "../store/poses";
import * as state from "../store/state";
import { button, section } from "./controls";
import { element, live, watch } from "./dom";
import { number } from "./format";
import { numberField } from "./number";
import { row } from "./poses_pose";
import { openRandom } from "./poses_random";
import { freePose, poseScope, scopedPoses, scopeText } from "./poses_scope";
import { openSuccession } from "./poses_succession";
import { toolShown } from "./poses_tool";
import { slider } from "./slider";

export function refinementsSection(step: string): HTMLElement {
  const edit = (percent: number): PoseEdit => ({ do: "scale_refinements", share: percent / 100, ...scopedPoses() });
  const value = (): number => Math.round(100 * (goingOn(editsOf(stepNamed(step)), edit(100), "share") ?? 1));
  const editing = {
    label: "Scale of refinements",
    value,
    step: 1,
    preview: (percent: number) => liveEdit.preview(step, edit(percent)),
    commit: (percent: number) => {
      if (percent === value() && !state.pending.value) return;
      liveEdit.commit(step, edit(percent));
      state.announcement.value = `Refinements scaled to ${percent} %, ${scopeText()}.`;
    },
    discard: actions.discard,
  };
  const clear = (): void => {
    addEdits(step, { do: "clear_refinements", ...scopedPoses() });
    state.announcement.value = `All parts arrive together, ${scopeText()}.`;
  };
  const succession = button("Succession", () => openSuccession(step));
  const random = button("Random", () => openRandom(step));
  watch(() => {
    succession.classList.toggle("on", toolShown.value === "Succession");
    random.classList.toggle("on", toolShown.value === "Random");
  });
  return section(
    { id: "pose-refinements", title: "Refinements", caption: live(caption) },
    row(
      "Scale",
      slider({ ...editing, bounds: () => [0, 200], spoken: (percent) => `${percent} %` }),
      numberField({ ...editing, unit: "%", whole: true, minimum: 0, maximum: 10000 }),
    ),
    element("div", { className: "pose-tools" }, succession, random, button("Clear", clear)),
  );
}

/** How far the parts of the chosen pose, or of any, are from it. */
function caption(): string {
  const [view, k] = [poses.value, freePose()];
  if (!view) return "";
  if (k !== null && poseScope.value === "this") return `up to ${number(view.most(k))} s`;
  const most = Math.max(0, ...Array.from({ length: view.count }, (_, n) => view.most(n)));
  return `up to ${number(most)} s, ${scopeText()}`;
}
