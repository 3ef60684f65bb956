/** The Joint times tab: surface keys with their reach, and how far ahead of the output each joint is. */

import * as state from "../../store/state";
import { Chip } from "../plot/chip";
import { RefusalCard } from "../plot/refusal_card";
import type { TabApi } from "../plot/tab";
import { onPage, TabFrame, tabRoot } from "../plot/tab_frame";
import "../plot/timeline.css";
import { View } from "../plot/view";
import { JointKeyboard } from "./joint_keyboard";
import { JointPainter } from "./joint_painter";
import { jointHand } from "./joint_pointer";
import { Purpose } from "./joint_purpose";
import { JointReader } from "./joint_reader";
import { jointScene } from "./joint_scene";
import type { JointHost } from "./joint_host";
import "./joint_times.css";
import { middleOf, type KeyDragView } from "./surface_row";

const HELP =
  "Joint times. Up and Down choose a surface key, Left and Right move it by a frame, Enter types its shift, " +
  "Delete removes it.";

export interface JointTimesApi extends TabApi {
  /** Where a key's diamond is, in client coordinates. */
  keyPosition(index: number): { x: number; y: number } | null;
  /** Client place of a joint's curve at an output time. */
  curvePosition(joint: number, t: number): { x: number; y: number } | null;
}

export function mountJointTimes(container: HTMLElement): JointTimesApi {
  const root = tabRoot(container, "joint-times");
  const view = new View();
  const painter = new JointPainter(root, view);
  const { canvas } = painter;
  painter.label(HELP);
  const reader = new JointReader(root);
  const purpose = new Purpose(root);

  let drag: KeyDragView | null = null;

  const frame: TabFrame = new TabFrame({
    root,
    view,
    scene: () => jointScene.value.base,
    now: () => state.time.value,
    isPlaying: () => state.playing.value,
    refit: () => painter.refit(),
    draw() {
      const scene = jointScene.value;
      purpose.show(scene);
      reader.updateKeys(scene);
      const hovered = pointer.hovered?.kind === "key" ? pointer.hovered.index : null;
      painter.draw({ hovered, focused: frame.focusedIn(root), drag });
    },
    drawPlayhead(now) {
      if (!state.playing.value) reader.updateJoints(jointScene.value, now);
      painter.drawPlayhead(now);
    },
    left: () => keyboard.settle(),
  });
  const { redraw } = frame;

  const host: JointHost = {
    root, canvas, view, chip: new Chip(root), card: new RefusalCard(root), plot: () => painter.plot(), redraw,
    refuse: () => undefined, // the warp's keytimes, which are not here
    showWish: () => undefined,
    showDrag(now) {
      drag = now;
      redraw();
    },
  };
  const pointer = jointHand(host, frame.signal, () => {
    keyboard.settle();
    frame.byKeyboard = false;
  });
  const keyboard = new JointKeyboard(host, pointer);

  frame.watch(() => {
    void [state.selectedStep.value, state.selectedSurface.value, state.version.value];
    host.card.hide(); // what it said was of another key
  });

  return {
    handleKey: (event) => frame.key(keyboard.handle(event)),
    keyPosition(index) {
      const plot = painter.plot();
      const mark = plot.joints.marks[index];
      return mark ? onPage(canvas, { x: plot.time.at(mark.arrival), y: middleOf(plot) }) : null;
    },
    curvePosition(joint, t) {
      const plot = painter.plot();
      const { curves } = plot.joints;
      const column = curves?.columns[joint];
      if (!curves || !column) return null;
      return onPage(canvas, { x: plot.time.at(t), y: plot.source.at(column[curves.clip.frameAt(t)]!) });
    },
    dispose() {
      pointer.dispose();
      keyboard.settle();
      frame.dispose();
    },
  };
}
