/** Exaggeration of poses, and how much of what splines leave out is kept. */

import { signal } from "@preact/signals-core";
import * as actions from "../store/actions";
import {
  committedEdits, detailOf, editsOf, endTool, goingOn, liveEdit, poses, poseWhen, previewEdits, setEdits, stepNamed,
  withDetail, type PoseEdit,
} from "../store/poses";
import * as state from "../store/state";
import { section, select } from "./controls";
import { element, live, rebuild } from "./dom";
import { number, sentence } from "./format";
import { LIMB_TITLES, LIMBS, limbsOf, type Limb } from "./limbs";
import { numberField } from "./number";
import { row } from "./poses_pose";
import { scopedPoses, scopeSegments, scopeText } from "./poses_scope";
import { slider } from "./slider";

const REFERENCES = ["neighbours", "average", "previous", "next"] as const;
const reference = signal<(typeof REFERENCES)[number]>("neighbours");

export function exaggerateSection(step: string): HTMLElement {
  const edit = (weight: number): PoseEdit => {
    const chosen = scopedPoses();
    // Of one pose it is the look that was chosen above; all together are pushed by their extremes.
    const when = chosen.poses && poseWhen.value === "pose" ? { when: "pose" } : {};
    return { do: "exaggerate", weight, relative_to: reference.value, ...chosen, ...when };
  };
  const value = (): number => goingOn(editsOf(stepNamed(step)), edit(0), "weight") ?? 0;
  const editing = {
    label: "Exaggerate",
    value,
    step: 0.01,
    preview: (weight: number) => liveEdit.preview(step, edit(weight)),
    commit: (weight: number) => {
      if (weight === value() && !state.pending.value) return;
      liveEdit.commit(step, edit(weight));
      state.announcement.value = `Exaggerated by ${number(weight)} from ${reference.value}, ${scopeText()}.`;
    },
    discard: actions.discard,
  };
  return section(
    { id: "pose-exaggerate", title: "Exaggerate", caption: live(scopeText) },
    element(
      "div",
      { className: "field wide" },
      select(
        "Exaggerate relative to",
        () => REFERENCES.map((name) => ({ value: name, label: sentence(name) })),
        () => reference.value,
        (name) => (reference.value = name as typeof reference.value),
      ),
      numberField({ ...editing, minimum: -10, maximum: 10 }),
      slider({ ...editing, bounds: () => [-1, 1], spoken: (weight) => `${number(weight)} from ${reference.value}` }),
      element(
        "span",
        { className: "slider-captions" },
        element("span", { textContent: "Less" }),
        live(() => `${number(value())} from ${reference.value}`),
        element("span", { textContent: "More" }),
      ),
    ),
    row("Of", scopeSegments()),
  );
}

/** Detail by limb: what the splines between poses leave out. */
export function detailSection(step: string): HTMLElement {
  const body = element("div", { className: "pose-details" });
  rebuild(body, () => `${state.source.value?.header.sha256} ${poses.value?.channels.length}`, () => {
    const [view, header] = [poses.value, state.source.value?.header];
    if (!view || !header) return [];
    const limbs = limbsOf(header);
    return LIMBS.map((limb) => {
      const joints = view.channels.filter((_, c) => !view.isTranslation(c) && limbs[view.jointOf(c)] === limb);
      return joints.length ? detailRow(step, limb, joints) : null;
    });
  });
  return section({ id: "pose-detail", title: "Detail", caption: "what splines leave out" }, body);
}

function detailRow(step: string, limb: Limb, joints: string[]): HTMLElement {
  const send = (set: typeof setEdits, percent: number): void => {
    endTool();
    set(step, withDetail(committedEdits(step), joints, percent / 100));
  };
  const value = (): number => Math.round(100 * detailOf(editsOf(stepNamed(step)), joints));
  const editing = {
    label: `Detail, ${LIMB_TITLES[limb].toLowerCase()}`,
    value,
    step: 1,
    preview: (percent: number) => send(previewEdits, percent),
    commit: (percent: number) => {
      send(setEdits, percent);
      state.announcement.value = `Detail of ${LIMB_TITLES[limb].toLowerCase()}: ${percent} %.`;
    },
    discard: actions.discard,
  };
  return element(
    "div",
    { className: "field" },
    element(
      "span",
      { className: "field-label" },
      element("span", { className: "swatch", data: { limb } }),
      element("span", { className: "field-name", textContent: limb === "trunk" ? "Trunk" : LIMB_TITLES[limb] }),
    ),
    slider({ ...editing, bounds: () => [0, 200], spoken: (percent) => `${percent} %` }),
    numberField({ ...editing, unit: "%", whole: true, minimum: 0, maximum: 1000 }),
  );
}
