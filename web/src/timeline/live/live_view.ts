/** A motion replayed as if it came live: how it was followed, and both bodies in the view at live time. */

import { element, live, scope, shown, watch } from "../../panels/dom";
import * as state from "../../store/state";
import { liveDomain, livePlaying, liveRun, liveTime, seekLive, toggleLive } from "../../store/live";
import { Sheet } from "../layers/sheet";
import { scene, type Scene } from "../scene";
import type { TabApi } from "../tab";
import { following, liveBar, needsMotion } from "./live_bar";
import "./live.css";
import { drawLive } from "./live_plots";
import { liveScore } from "./live_score";

const HELP = "Deviation, rate and confidence over live time. Left and Right step by a frame, Space plays.";

export function mountLive(container: HTMLElement): TabApi {
  container.textContent = "";
  const [sheet, end] = scope(() => {
    const plots = element("div", { className: "live-plots" });
    const words = element("p", { className: "sheet-empty" }, live(emptyWords));
    container.append(
      element(
        "div",
        { className: "live" },
        liveBar(),
        shown(() => !needsMotion(), element("div", { className: "live-body" }, plots, liveScore())),
      ),
    );
    const made = new Sheet(plots, {
      label: HELP,
      rulerName: "Live time",
      gutter: (theme) => theme.gutter,
      scene: liveScene,
      now: () => liveTime.value,
      seek: (t) => {
        livePlaying.value = false;
        seekLive(t);
      },
      isPlaying: () => livePlaying.value,
      draw: (plot) => {
        const run = liveRun.peek();
        if (run) drawLive(plot, run);
      },
    });
    // A button that was clicked gives the keys back: Space plays, whatever was clicked last.
    container.addEventListener("click", ({ target, detail }) => {
      if (detail > 0 && (target as Element).closest("button")) made.canvas.focus({ preventScroll: true });
    });
    made.root.append(shown(() => emptyWords() !== "", words));
    watch(() => {
      void liveRun.value;
      made.view.all();
      made.redraw();
    });
    standApart();
    return made;
  });
  return {
    handleKey: liveKey,
    dispose() {
      end();
      sheet.dispose();
    },
  };
}

/** The ruler's scene in live time: nothing of the document's is on it. */
function liveScene(): Scene {
  const run = liveRun.value;
  const fps = (run && state.clips.value.get(run.header.performer)?.fps) || 30;
  return {
    ...scene.value, output: liveDomain.value, span: liveDomain.value, fps, keys: [], selected: null, range: null,
    result: null, source: run ? state.source.value : null,
  };
}

function emptyWords(): string {
  if (liveRun.value || needsMotion()) return "";
  if (following.value) return "Following the performer, frame by frame…";
  return state.liveRun.value
    ? "The open motion is another one than was followed in. Follow again."
    : "Choose a performer and press Follow: it is replayed as if it came live, with the open motion as the recording.";
}

/** Both bodies stand side by side while a run is shown; leaving the tab brings the layout back. */
function standApart(): void {
  let before: state.Layout | null = null;
  watch(() => {
    const shows = state.tab.value === "live" && liveRun.value !== null;
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
  if (!run || event.ctrlKey || event.metaKey || event.altKey) return false;
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
