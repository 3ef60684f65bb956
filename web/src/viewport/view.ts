/** The 3D view: follows the signals and draws only when something changed. */

import { effect } from "@preact/signals-core";
import * as state from "../store/state";
import { Notice } from "./notice";
import { Picture } from "./picture";
import { recordCanvas, type Recording } from "./recording";
import { drawsInSoftware } from "./software";
import type { Side } from "./viewpoint";

export interface ViewApi {
  readonly canvas: HTMLCanvasElement;
  /** Bring both bodies into the picture, seen from where the camera is. */
  frameCharacter(): void;
  /** Look at the character's front, side or top. */
  look(from: Side): void;
  /** The retimed body at an output time, on nothing; sizes in pixels. */
  thumbnail(t: number, width: number, height: number): HTMLCanvasElement;
  /** Play the range once and record it as WebM. */
  record(seconds?: number): Recording;
  readonly drawCount: number;
  /** What the last frame took of the main thread, milliseconds. */
  readonly lastFrameMs: number;
  dispose(): void;
}

const MOST_PIXEL_RATIO = 2;
/** Without a graphics card: coarse while things move, smooth edges after these milliseconds of rest, if few pixels. */
const REST = 300;
/** Milliseconds that a frame waits for a result that is on its way. */
const LONGEST_WAIT = 60;
const MOST_AT_REST = 2e6;

export function mountView(container: HTMLElement): ViewApi {
  const canvas = document.createElement("canvas");
  Object.assign(canvas.style, { position: "absolute", inset: "0", width: "100%", height: "100%", touchAction: "none" });
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", "The original and the retimed body in 3D");
  container.append(canvas);
  const notice = new Notice(container);

  const slow = drawsInSoftware();
  let asked = 0;
  let waiting = 0;
  let resting = 0;
  let drawCount = 0;
  let lastFrameMs = 0;
  const draw = (ratio: number): void => {
    asked = 0;
    window.clearTimeout(waiting);
    waiting = 0;
    if (!picture) return;
    const begun = performance.now();
    picture.sharpen(ratio);
    picture.draw();
    lastFrameMs = performance.now() - begun;
    drawCount++;
  };
  const drawMoving = (): void => {
    draw(slow ? 1 : Math.min(window.devicePixelRatio || 1, MOST_PIXEL_RATIO));
    window.clearTimeout(resting);
    if (!slow || state.playing.peek()) return;
    const ratio = Math.sqrt(MOST_AT_REST / (container.clientWidth * container.clientHeight || 1));
    if (ratio > 1) resting = window.setTimeout(() => draw(Math.min(ratio, MOST_PIXEL_RATIO)), REST);
  };
  const invalidate = (): void => {
    if (state.pending.peek() && state.computing.peek() && !waiting) {
      // A result is on its way: the old one at the new time would only take its place in the queue.
      waiting = window.setTimeout(() => {
        asked ||= requestAnimationFrame(drawMoving);
      }, LONGEST_WAIT);
    }
    if (!waiting) asked ||= requestAnimationFrame(drawMoving);
  };
  const arrived = effect(() => {
    void state.result.value;
    window.clearTimeout(waiting);
    waiting = 0;
    asked ||= requestAnimationFrame(drawMoving);
  });

  let picture: Picture | null = null;
  try {
    picture = new Picture(canvas, !slow, invalidate);
  } catch (error) {
    console.warn(error);
    canvas.hidden = true;
    notice.show(true);
  }

  const lost = (event: Event): void => {
    event.preventDefault(); // asks the browser to give it back
    notice.show(true);
  };
  const restored = (): void => {
    notice.show(false);
    invalidate();
  };
  canvas.addEventListener("webglcontextlost", lost);
  canvas.addEventListener("webglcontextrestored", restored);

  const sizes = new ResizeObserver(() => {
    picture?.resize(container.clientWidth, container.clientHeight);
    // A canvas that changes its size is blank until it is drawn: draw before the browser shows it.
    cancelAnimationFrame(asked);
    drawMoving();
  });
  sizes.observe(container);

  const forget = effect(() => {
    watch();
    invalidate();
  });
  // The colours are those of the page, which changes them after the signal: watch the page.
  const themes = new MutationObserver(() => {
    picture?.repaint();
    invalidate();
  });
  themes.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });

  return {
    canvas,
    frameCharacter: () => picture?.frame(),
    look: (from) => picture?.look(from),
    thumbnail: (t, width, height) => picture?.thumbnail(t, width, height) ?? blank(width, height),
    record: (seconds) => recordCanvas(canvas, seconds),
    get drawCount() {
      return drawCount;
    },
    get lastFrameMs() {
      return lastFrameMs;
    },
    dispose() {
      forget();
      arrived();
      window.clearTimeout(waiting);
      themes.disconnect();
      sizes.disconnect();
      cancelAnimationFrame(asked);
      window.clearTimeout(resting);
      canvas.removeEventListener("webglcontextlost", lost);
      canvas.removeEventListener("webglcontextrestored", restored);
      picture?.dispose();
      notice.dispose();
      canvas.remove();
    },
  };
}

/** Read each signal that the picture shows, so that a change of any asks for a frame. */
function watch(): void {
  for (const shown of [
    state.source, state.result, state.time, state.playing, state.layout, state.selectedStep, state.physics,
    state.tab, state.selectedSurface, state.selectedPose, state.selectedJoint, state.hoveredJoint,
    state.showGhosts, state.showTrails, state.showContacts, state.showFeasibility,
  ]) void shown.value;
}

function blank(width: number, height: number): HTMLCanvasElement {
  return Object.assign(document.createElement("canvas"), { width, height });
}
