/** The joint that is edited at a pose: how near it came to its target, and the target as numbers. */

import * as actions from "../store/actions";
import * as state from "../store/state";
import {
  editedJoint, editedPose, isReaching, jointLabel, onPose, previewReach, target, type EditedJoint,
} from "../viewport/pose_edit";
import type { Point } from "../viewport/pose_math";
import { chainTo, missWords } from "../viewport/pose_miss";
import { button, section } from "./controls";
import { element, live, rebuild, shown, type Child } from "./dom";
import { numberField } from "./number";

/** The joint's section of the inspector; empty while no pose is chosen. */
export function poseJointSection(): HTMLElement {
  const host = element("div", { className: "pose-joint" });
  rebuild(host, () => {
    const edited = editedJoint.value;
    if (edited) return `${edited.joint} ${edited.handle} ${edited.free}`;
    return editedPose.value ? "none" : null;
  }, (key) => {
    if (key === null) return [];
    const edited = editedJoint.peek();
    return [edited ? jointSection(edited) : chooseHint()];
  });
  return host;
}

const chooseHint = (): HTMLElement =>
  section(
    { id: "pose-joint", title: "Joint" },
    note("Click a yellow point in the view to edit that joint. Hands and feet move, other joints turn."),
  );

function jointSection(edited: EditedJoint): HTMLElement {
  const header = state.source.peek()!.header;
  const away = element(
    "div",
    { className: "field" },
    element("span", { className: "field-label", textContent: "The playhead is not on the pose." }),
    element("span", { className: "field-value" }, button("Go to it", goToPose, "button small")),
  );
  return section(
    {
      id: "pose-joint",
      title: jointLabel(header, edited.joint),
      caption: live(() => (editedJoint.value?.handle === "ik" && isReaching.value ? missWords.value : "")),
    },
    ...(edited.free ? fields(edited) : [note("This pose lies outside the step's range: it stays as it is.")]),
    shown(() => editedPose.value !== null && !onPose.value, away),
  );
}

function fields(edited: EditedJoint): Child[] {
  if (edited.handle === "ik") return [field("Target, m", targetFields()), field("Chain", chainText(edited))];
  const why = edited.reaches ? "" : " Inverse kinematics moves hands and feet.";
  return [note(`Drag a ring in the view to turn it about an axis of the world.${why}`)];
}

const note = (words: string): HTMLElement => element("p", { className: "field caption pose-note", textContent: words });

const field = (label: string, content: HTMLElement): HTMLElement =>
  element("div", { className: "field" }, element("span", { className: "field-label", textContent: label }), content);

function targetFields(): HTMLElement {
  const moved = (axis: number, value: number): Point | null => {
    const now = target.value;
    return now && (now.map((v, k) => (k === axis ? value : v)) as unknown as Point);
  };
  const preview = (axis: number, value: number): void => {
    const [edited, to] = [editedJoint.value, moved(axis, value)];
    if (edited && to) previewReach(edited, to);
  };
  return element(
    "span",
    { className: "pose-target" },
    ...["x", "y", "z"].map((name, axis) =>
      numberField({
        label: `Target ${name}, metres`,
        step: 0.005,
        digits: 2,
        value: () => target.value?.[axis] ?? null,
        preview: (v) => preview(axis, v),
        commit: (v) => {
          preview(axis, v);
          actions.commit();
        },
        discard: actions.discard,
      })),
  );
}

/** Which joints follow: from the shoulder or the hip to the joint. */
function chainText({ joint }: EditedJoint): HTMLElement {
  const header = state.source.peek()!.header;
  const chain = chainTo(header, joint);
  const plain = (j: number): string => jointLabel(header, j).replace(/^(Left|Right) /, "");
  const words = chain.length > 1 ? `${jointLabel(header, chain[0]!)} to ${plain(chain.at(-1)!)}` : plain(joint);
  const title = chain.map((j) => header.joints[j]).join(" → ");
  return element("span", { className: "caption", textContent: words, title });
}

function goToPose(): void {
  const edited = editedPose.value;
  state.playing.value = false;
  if (edited) actions.seek(edited.at);
}
