/** Poses: rows of marks over output time, to move poses and to let their parts arrive at different times. */

import { effect } from "@preact/signals-core";
import { scope, watch } from "../../panels/dom";
import * as state from "../../store/state";
import { Chip } from "../chip";
import { RefusalCard } from "../refusal_card";
import type { TabApi } from "../tab";
import "../timeline.css";
import { View } from "../view";
import { followDocument } from "./following";
import { poseCount } from "./pose_count";
import { PoseGutter } from "./pose_gutter";
import { PoseKeyboard } from "./pose_keyboard";
import type { PoseMarkState } from "./pose_marks";
import { placeOfMark } from "./pose_names";
import { PosePainter } from "./pose_painter";
import type { PoseStage } from "./pose_plot";
import { PosePointer } from "./pose_pointer";
import { PoseReader } from "./pose_reader";
import { ROW_HEIGHT } from "./pose_rows";
import { inHand, poseScene } from "./pose_scene";
import "./poses.css";

const HELP =
  "Poses over time. Left and Right choose a pose, Up and Down a row, Alt with Left and Right moves it by a frame, " +
  "Enter types.";

const NO_POSES = "Press P for a step of staggered poses: motion is edited there as a few poses.";

export interface PosesApi extends TabApi {
  /** Where a pose's dot is, or its mark in the row of a channel (or of its folded limb), in client coordinates. */
  posePosition(k: number, channel?: number | string): { x: number; y: number } | null;
  /** Milliseconds that the last picture took. */
  drawTime(): number;
}

let mounted: PosesApi | null = null;

/** For tests and other tools: see `PosesApi`. */
export const posePosition: PosesApi["posePosition"] = (k, channel) => mounted?.posePosition(k, channel) ?? null;

export function mountPoses(container: HTMLElement): PosesApi {
  container.textContent = "";
  const [api, end] = scope(() => mount(container));
  const made: PosesApi = {
    ...api,
    dispose() {
      end();
      api.dispose();
      mounted = null;
    },
  };
  mounted = made;
  // Tests reach it where the tab is.
  Object.assign(container, { poses: made });
  return made;
}

function mount(container: HTMLElement): PosesApi {
  const root = document.createElement("div");
  root.className = "timeline poses";
  container.append(root);
  const view = new View();
  const painter = new PosePainter(root, view);
  const { canvas } = painter;
  canvas.tabIndex = 0;
  canvas.setAttribute("role", "application");
  canvas.setAttribute("aria-label", HELP);
  const reader = new PoseReader(root);
  const note = document.createElement("p");
  note.className = "poses-note";
  root.append(note);

  const marks: Pick<PoseMarkState, "wish" | "box"> = { wish: null, box: null };
  let byKeyboard = false;
  let frame = 0;
  let stale = true; // all of it; else only the playhead

  const redraw = (): void => {
    stale = true;
    frame ||= requestAnimationFrame(paint);
  };
  const scrollTo = (top: number): void => {
    gutter.element.scrollTop = top; // it knows its own bounds
    painter.scroll = gutter.element.scrollTop;
    redraw();
  };
  const gutter = new PoseGutter(root, (top) => {
    painter.scroll = top;
    redraw();
  });

  const stage: PoseStage = {
    root,
    canvas,
    view,
    chip: new Chip(root),
    card: new RefusalCard(root),
    plot: () => painter.plot(),
    posePlot: () => painter.plot(),
    redraw,
    refuse: () => undefined,
    showWish: () => undefined,
    showPoseWish(wish) {
      marks.wish = wish;
      redraw();
    },
    showBox(box) {
      marks.box = box;
      redraw();
    },
    scrollRows: (pixels) => scrollTo(painter.scroll + pixels),
    revealRow(index) {
      const { height } = painter.plot().bands.rows;
      const top = index * ROW_HEIGHT;
      if (top < painter.scroll) scrollTo(top);
      else if (top + ROW_HEIGHT > painter.scroll + height) scrollTo(top + ROW_HEIGHT - height);
    },
    say: (text, x) => stage.card.show({ text, lift: null, bound: "neighbour" }, x, null),
  };
  const count = poseCount((text) => (text ? stage.say(text, 0) : stage.card.hide()));
  root.append(count);
  const ended = new AbortController();
  const { signal } = ended;
  const pointer: PosePointer = new PosePointer(stage, signal, () => {
    keyboard.settle();
    byKeyboard = false;
  });
  const keyboard = new PoseKeyboard(stage, pointer);

  function paint(): void {
    frame = 0;
    if (!root.clientWidth || !root.clientHeight) return;
    if (stale) {
      stale = false;
      const { bands } = painter.plot();
      gutter.place(bands.rows.top, bands.rows.height);
      count.style.top = `${bands.likely.top}px`;
      count.style.height = `${bands.likely.height - 1}px`;
      painter.scroll = gutter.element.scrollTop; // fewer rows may have scrolled it back
      reader.update(poseScene.value);
      const focused = byKeyboard && document.activeElement === canvas;
      root.classList.toggle("timeline-by-keyboard", focused);
      painter.draw({ hovered: pointer.hovered, focused, ...marks });
    }
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
    if (!pointer.dragging) stage.chip.hide();
    redraw();
  }, { signal });

  followDocument();
  watch(() => {
    note.hidden = poseScene.value.view !== null;
    note.textContent = state.step.value?.method === "stagger" ? "Finding the poses" : NO_POSES;
  });
  watch(() => {
    void poseScene.value;
    root.classList.toggle("poses-held", inHand.value !== null);
    redraw();
  });
  const playhead = effect(() => {
    const now = state.time.value;
    if (state.playing.value && view.follow(now, poseScene.peek().base)) stale = true;
    frame ||= requestAnimationFrame(paint);
  });

  return {
    handleKey(event) {
      const used = keyboard.handle(event);
      if (used) {
        byKeyboard = true;
        redraw();
      }
      return used;
    },
    posePosition(k, channel) {
      const plot = painter.plot();
      const index = typeof channel === "string" ? (plot.poses.view?.channels.indexOf(channel) ?? -1) : channel;
      const row = index === undefined ? null : (plot.poses.rows.find((r) => !r.open && r.channels.includes(index)) ?? null);
      if (index !== undefined && !row) return null;
      const at = placeOfMark(plot, k, row);
      const box = canvas.getBoundingClientRect();
      return at && { x: box.left + at.x, y: box.top + at.y };
    },
    drawTime: () => painter.took,
    dispose() {
      pointer.dispose();
      keyboard.settle();
      ended.abort();
      sizes.disconnect();
      themes.disconnect();
      playhead();
      cancelAnimationFrame(frame);
      root.remove();
    },
  };
}
