/** Poses: rows of marks over output time, to move poses and to let their parts arrive at different times. */

import { effect } from "@preact/signals";
import { render } from "preact";
import * as state from "../../store/state";
import { Chip } from "../plot/chip";
import { RefusalCard } from "../plot/refusal_card";
import type { TabApi } from "../plot/tab";
import { onPage, TabFrame, tabRoot } from "../plot/tab_frame";
import "../plot/timeline.css";
import { View } from "../plot/view";
import { followDocument } from "./following";
import { PoseCount } from "./pose_count";
import { PoseGutter } from "./pose_gutter";
import { PoseKeyboard } from "./pose_keyboard";
import type { PoseMarkState } from "./pose_marks";
import { placeOfMark } from "./pose_names";
import { PosePainter } from "./pose_painter";
import type { PoseHost } from "./pose_plot";
import { poseHand } from "./pose_pointer";
import { PoseReader } from "./pose_reader";
import { ROW_HEIGHT } from "./pose_rows";
import { inHand, poseScene } from "./pose_scene";
import "./poses.css";

const HELP =
  "Poses over time. Left and Right choose a pose, Up and Down a row, Alt with Left and Right moves it by a frame, " +
  "Enter types.";

const NO_POSES = "Press P to add a Staggered poses step, which edits the motion as a few poses.";

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
  const api = mount(container);
  const made: PosesApi = {
    ...api,
    dispose() {
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
  const root = tabRoot(container, "poses");
  const view = new View();
  const painter = new PosePainter(root, view);
  const { canvas } = painter;
  painter.label(HELP);
  const reader = new PoseReader(root);
  const note = document.createElement("p");
  note.className = "poses-note";
  root.append(note);

  const marks: Pick<PoseMarkState, "wish" | "box"> = { wish: null, box: null };

  const frame: TabFrame = new TabFrame({
    root,
    view,
    scene: () => poseScene.value.base,
    now: () => state.time.value,
    isPlaying: () => state.playing.value,
    refit: () => painter.refit(),
    draw,
    drawPlayhead: (now) => painter.drawPlayhead(now),
    left() {
      keyboard.settle();
      if (!pointer.dragging) host.chip.hide();
    },
  });
  const { redraw } = frame;
  const scrolled = (top: number): void => {
    painter.scroll = top;
    redraw();
  };
  const gutter = hostIn(root);
  render(<PoseGutter onScroll={scrolled} />, gutter);
  const rows = gutter.querySelector<HTMLElement>(".pose-gutter")!;
  const scrollTo = (top: number): void => {
    rows.scrollTop = top; // it knows its own bounds
    scrolled(rows.scrollTop);
  };

  const host: PoseHost = {
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
    say: (text, x) => host.card.show({ text, lift: null, bound: "neighbour" }, x, null),
  };
  const count = hostIn(root);
  render(<PoseCount say={(text) => (text ? host.say(text, 0) : host.card.hide())} />, count);
  const pointer = poseHand(host, frame.signal, () => {
    keyboard.settle();
    frame.byKeyboard = false;
  });
  const keyboard = new PoseKeyboard(host, pointer);

  function draw(): void {
    const { bands } = painter.plot();
    root.style.setProperty("--rows-top", `${bands.rows.top}px`);
    root.style.setProperty("--rows-height", `${bands.rows.height - 1}px`);
    root.style.setProperty("--count-top", `${bands.likely.top}px`);
    root.style.setProperty("--count-height", `${bands.likely.height - 1}px`);
    reader.update(poseScene.value);
    painter.draw({ hovered: pointer.hovered, focused: frame.focusedIn(canvas), ...marks });
  }

  const unfollow = followDocument();
  const noted = effect(() => {
    note.hidden = poseScene.value.view !== null;
    const words = state.step.value?.method === "stagger" ? "Finding the poses" : NO_POSES;
    if (note.textContent !== words) note.textContent = words;
  });
  const held = effect(() => {
    root.classList.toggle("poses-held", inHand.value !== null);
  });

  return {
    handleKey: (event) => frame.key(keyboard.handle(event)),
    posePosition(k, channel) {
      const plot = painter.plot();
      const index = typeof channel === "string" ? (plot.poses.view?.channels.indexOf(channel) ?? -1) : channel;
      const row = index === undefined ? null : plot.poses.rows.find((r) => !r.open && r.channels.includes(index));
      if (row === undefined) return null;
      const at = placeOfMark(plot, k, row);
      return at && onPage(canvas, at);
    },
    drawTime: () => painter.took,
    dispose() {
      for (const end of [unfollow, noted, held]) end();
      for (const part of [gutter, count]) render(null, part);
      pointer.dispose();
      keyboard.settle();
      frame.dispose();
    },
  };
}

/** A place in the tab for a panel. */
function hostIn(root: HTMLElement): HTMLElement {
  const made = document.createElement("div");
  root.append(made);
  return made;
}
