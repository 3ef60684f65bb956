/** A motion replayed as if it came live, or a live server: how following went, and both bodies in the view. */

import { effect } from "@preact/signals";
import { render } from "preact";
import { liveDomain, livePlaying, liveRun, liveTime, seekLive, toggleLive } from "../../store/live";
import { isServerShown, listening, serverCrowded, serverHistory } from "../../store/live_server";
import * as state from "../../store/state";
import { Sheet } from "../layers/sheet";
import { scene, type Scene } from "../plot/scene";
import type { TabApi } from "../plot/tab";
import { following, LiveBar, needsMotion } from "./live_bar";
import "./live.css";
import { drawLive } from "./live_plots";
import { LiveScore } from "./live_score";

const HELP = "Deviation, rate and confidence over live time. Left and Right step by a frame, Space plays.";

/** Seconds that the plots of a live server have room for at first. */
const FIRST_SPAN = 10;
const TIME_KEYS = [" ", "ArrowLeft", "ArrowRight", "Home", "End"];

export function mountLive(container: HTMLElement): TabApi {
  render(<LiveTab />, container);
  const plots = container.querySelector<HTMLElement>(".live-plots")!;
  const sheet = new Sheet(plots, {
    label: HELP,
    rulerName: "Live time",
    gutter: (theme) => theme.gutter,
    scene: liveScene,
    now: () => (isListening() ? serverSpan()[1] : liveTime.value),
    seek: (t) => {
      if (isListening()) return;
      livePlaying.value = false;
      seekLive(t);
    },
    isPlaying: () => livePlaying.value || isListening(),
    draw: (plot) => {
      const run = listening.peek() === "off" ? liveRun.peek() : serverHistory.peek();
      if (run) drawLive(plot, run);
    },
  });
  // A button that was clicked gives the keys back: Space plays, whatever was clicked last.
  container.addEventListener("click", ({ target, detail }) => {
    if (detail > 0 && (target as Element).closest("button")) sheet.canvas.focus({ preventScroll: true });
  });
  const words = document.createElement("div");
  sheet.root.append(words);
  render(<EmptyWords />, words);
  const redrawn = effect(() => {
    void [liveRun.value, isListening()];
    sheet.view.all();
    sheet.redraw();
  });
  const stood = standApart();
  return {
    handleKey: liveKey,
    dispose() {
      redrawn();
      stood();
      sheet.dispose();
      render(null, words);
      render(null, container);
    },
  };
}

/** The bar, and below it the host of the plots, which stays on the page while it is hidden. */
const LiveTab = () => (
  <div class="live">
    <LiveBar />
    <div class="live-body" hidden={!isListening() && needsMotion()}>
      <div class="live-plots" />
      {!isListening() && <LiveScore />}
    </div>
  </div>
);

const EmptyWords = () => {
  const words = emptyWords();
  return words ? <p class="sheet-empty">{words}</p> : null;
};

const isListening = (): boolean => listening.value !== "off";

/** First and last second of what a live server's history holds. */
function serverSpan(): [number, number] {
  const times = serverHistory.value?.times;
  return times ? [times[0]!, times[times.length - 1]!] : [0, 0];
}

/** The ruler's scene in live time: nothing of the document's is on it. */
function liveScene(): Scene {
  if (isListening()) {
    const [from, to] = serverSpan();
    const output: [number, number] = [from, Math.max(to, from + FIRST_SPAN)];
    return { ...scene.value, output, span: output, fps: 30, keys: [], selected: null, range: null };
  }
  const run = liveRun.value;
  const fps = (run && state.clips.value.get(run.header.performer)?.fps) || 30;
  return {
    ...scene.value, output: liveDomain.value, span: liveDomain.value, fps, keys: [], selected: null, range: null,
    result: null, source: run ? state.source.value : null,
  };
}

function emptyWords(): string {
  if (isListening() || liveRun.value || needsMotion()) return "";
  if (following.value) return "Following the performer, frame by frame…";
  return state.liveRun.value
    ? "The open motion has changed. Follow again."
    : "Choose a performer and press Follow: it is replayed as if it were live, with the open motion as the recording.";
}

/** Both bodies stand side by side while a run is shown, or a live server where they are in one place. */
function standApart(): () => void {
  let before: state.Layout | null = null;
  return effect(() => {
    const apart = isServerShown.value ? serverCrowded.value : liveRun.value !== null;
    const shows = state.tab.value === "live" && apart;
    if (shows && before === null) {
      before = state.layout.peek();
      state.layout.value = "side";
    } else if (!shows && before !== null) {
      state.layout.value = before;
      before = null;
    }
  });
}

function liveKey(event: KeyboardEvent): boolean {
  const run = liveRun.value;
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  if (isServerShown.value) return TIME_KEYS.includes(event.key); // what comes live cannot be moved in
  if (!run) return false;
  const [a, b] = liveDomain.value;
  const fps = state.clips.value.get(run.header.performer)?.fps ?? 30;
  const step = (frames: number): void => {
    livePlaying.value = false;
    seekLive(a + (Math.round((liveTime.value - a) * fps) + frames) / fps);
  };
  switch (event.key) {
    case " ": toggleLive(); return true;
    case "ArrowLeft": step(-1); return true;
    case "ArrowRight": step(1); return true;
    case "Home": seekLive(a); return true;
    case "End": seekLive(b); return true;
    default: return false;
  }
}
