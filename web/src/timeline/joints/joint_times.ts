/** The Joint times tab: surface keys with their reach, and how far ahead of the output each joint is. */

import { effect } from "@preact/signals-core";
import * as state from "../../store/state";
import { Chip } from "../chip";
import { RefusalCard } from "../refusal_card";
import type { TabApi } from "../tab";
import "../timeline.css";
import { View } from "../view";
import { JointKeyboard } from "./joint_keyboard";
import { JointPainter } from "./joint_painter";
import { JointPointer } from "./joint_pointer";
import { Purpose } from "./joint_purpose";
import { JointReader } from "./joint_reader";
import { jointScene } from "./joint_scene";
import type { JointStage } from "./joint_stage";
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
  const root = document.createElement("div");
  root.className = "timeline joint-times";
  container.append(root);
  const view = new View();
  const painter = new JointPainter(root, view);
  const { canvas } = painter;
  canvas.tabIndex = 0;
  canvas.setAttribute("role", "application");
  canvas.setAttribute("aria-label", HELP);
  const reader = new JointReader(root);
  const purpose = new Purpose(root);

  let drag: KeyDragView | null = null;
  let byKeyboard = false;
  let frame = 0;
  let stale = true; // all of it; else only the playhead

  const redraw = (): void => {
    stale = true;
    frame ||= requestAnimationFrame(paint);
  };
  const stage: JointStage = {
    root, canvas, view, chip: new Chip(root), card: new RefusalCard(root), plot: () => painter.plot(), redraw,
    refuse: () => undefined, // the warp's keytimes, which are not here
    showWish: () => undefined,
    showDrag(now) {
      drag = now;
      redraw();
    },
  };
  const ended = new AbortController();
  const { signal } = ended;
  const pointer: JointPointer = new JointPointer(stage, signal, () => {
    keyboard.settle();
    byKeyboard = false;
  });
  const keyboard = new JointKeyboard(stage, pointer);

  function paint(): void {
    frame = 0;
    if (!root.clientWidth || !root.clientHeight) return; // another tab is shown
    const scene = jointScene.value;
    if (stale) {
      stale = false;
      purpose.show(scene);
      reader.updateKeys(scene);
      const focused = byKeyboard && root.contains(document.activeElement);
      root.classList.toggle("timeline-by-keyboard", focused);
      const hovered = pointer.hovered?.kind === "key" ? pointer.hovered.index : null;
      painter.draw({ hovered, focused, drag });
    }
    if (!state.playing.value) reader.updateJoints(scene, state.time.value);
    painter.drawPlayhead(state.time.value);
  }

  const refit = (): void => {
    painter.refit();
    stale = true;
    if (frame) cancelAnimationFrame(frame);
    paint(); // a canvas that was resized is blank: it must not stay so until the next frame
  };
  const sizes = new ResizeObserver(refit);
  sizes.observe(root);
  window.addEventListener("resize", refit, { signal });
  const themes = new MutationObserver(refit);
  themes.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  document.fonts.addEventListener("loadingdone", redraw, { signal });
  root.addEventListener("focusin", () => {
    byKeyboard = (document.activeElement as HTMLElement | null)?.matches(":focus-visible") ?? false;
    redraw();
  }, { signal });
  root.addEventListener("focusout", () => {
    keyboard.settle();
    redraw();
  }, { signal });

  const effects = [
    effect(() => {
      void jointScene.value;
      redraw();
    }),
    effect(() => {
      const now = state.time.value;
      if (state.playing.value && view.follow(now, jointScene.peek().base)) stale = true;
      frame ||= requestAnimationFrame(paint);
    }),
    effect(() => {
      void [state.selectedStep.value, state.selectedSurface.value, state.version.value];
      stage.card.hide(); // what it said was of another key
    }),
  ];

  const client = (x: number, y: number): { x: number; y: number } => {
    const box = canvas.getBoundingClientRect();
    return { x: box.left + x, y: box.top + y };
  };
  return {
    handleKey(event) {
      const used = keyboard.handle(event);
      if (used) {
        byKeyboard = true;
        redraw();
      }
      return used;
    },
    keyPosition(index) {
      const plot = painter.plot();
      const mark = plot.joints.marks[index];
      return mark ? client(plot.time.at(mark.arrival), middleOf(plot)) : null;
    },
    curvePosition(joint, t) {
      const plot = painter.plot();
      const { curves } = plot.joints;
      const column = curves?.columns[joint];
      return curves && column ? client(plot.time.at(t), plot.source.at(column[curves.clip.frameAt(t)]!)) : null;
    },
    dispose() {
      pointer.cancel();
      keyboard.settle();
      ended.abort();
      sizes.disconnect();
      themes.disconnect();
      for (const stop of effects) stop();
      cancelAnimationFrame(frame);
      root.remove();
    },
  };
}
