/** The 3D view: follows the signals and draws only when something changed. */

import { effect } from "@preact/signals";
import type { RetimedClip } from "../store/clip";
import { Frames } from "../store/frames";
import * as state from "../store/state";
import { Notice } from "./notice";
import { Picture } from "./picture";
import { recordCanvas, type Recording } from "./recording";
import { drawsInSoftware } from "./software";
import type { Side } from "./camera/viewpoint";

export interface ViewApi {
  readonly canvas: HTMLCanvasElement;
  /** Bring both bodies into the picture, seen from where the camera is. */
  frameCharacter(): void;
  /** Look at the character's front, side or top. */
  look(from: Side): void;
  /** The retimed body at an output time, on nothing; sizes in pixels. */
  thumbnail(t: number, width: number, height: number, of?: RetimedClip): HTMLCanvasElement;
  /** Play the range once and record it as WebM. */
  record(seconds?: number): Recording;
  /** Where the vertices of the retimed body's mesh are now, (vertices, 3); none while it has no mesh. */
  meshVertices(): number[];
  /** Metres between the strong lines of the ground's grid. */
  readonly gridStep: number;
  readonly drawCount: number;
  /** What the last frame took of the main thread, milliseconds. */
  readonly lastFrameMs: number;
  /** How the last frame was drawn: without a graphics card coarse while things move, coarser while a hand drags. */
  readonly quality: Quality;
  dispose(): void;
}

export type Quality = "dragged" | "moving" | "full";

const MOST_PIXEL_RATIO = 2;
/** Without a graphics card: coarse while things move, smooth edges after these milliseconds of rest, if few pixels. */
const REST = 300;
const MOST_AT_REST = 2e6;
/** Pixels that are drawn without a graphics card while a hand drags, and how coarse that may become. */
const MOST_DRAGGED = 1.5e5;
const LEAST_PIXEL_RATIO = 0.5;

export function mountView(container: HTMLElement): ViewApi {
  const canvas = document.createElement("canvas");
  Object.assign(canvas.style, { position: "absolute", inset: "0", width: "100%", height: "100%", touchAction: "none" });
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", "The original and the retimed body in 3D");
  container.append(canvas);
  const notice = new Notice(container);

  const slow = drawsInSoftware();
  let area = 1; // of the view, in the page's pixels
  let resting = 0;
  let drawCount = 0;
  let lastFrameMs = 0;
  let quality: Quality = "moving";
  const draw = (how: Quality): void => {
    if (!picture) return;
    const begun = performance.now();
    quality = how;
    picture.sharpen(slow ? ratioInSoftware(how, area) : Math.min(window.devicePixelRatio || 1, MOST_PIXEL_RATIO));
    picture.draw(how === "dragged");
    lastFrameMs = performance.now() - begun;
    drawCount++;
  };
  const drawNow = (): void => {
    frames.cancel();
    window.clearTimeout(resting);
    if (!slow) return draw("full");
    draw(state.pending.peek() && !state.playing.peek() ? "dragged" : "moving");
    if (!state.playing.peek()) resting = window.setTimeout(() => draw("full"), REST);
  };
  const frames = new Frames(drawNow, true);
  const invalidate = (): void => frames.ask();
  let ahead = 0;
  const arrived = effect(() => {
    const come = state.result.value !== null;
    invalidate();
    // The processor draws while the page waits for its frame, which then shows what is there.
    if (come && slow && !ahead && !state.playing.peek()) queueMicrotask(drawAhead);
  });
  function drawAhead(): void {
    ahead ||= requestAnimationFrame(() => (ahead = 0)); // once a frame at most
    drawNow();
    picture?.flush();
  }

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
    const { clientWidth, clientHeight } = container;
    area = clientWidth * clientHeight || 1;
    picture?.resize(clientWidth, clientHeight);
    // A canvas that changes its size is blank until it is drawn: draw before the browser shows it.
    drawNow();
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
    thumbnail: (t, width, height, of) => picture?.thumbnail(t, width, height, of) ?? blank(width, height),
    meshVertices: () => picture?.meshVertices() ?? [],
    record: (seconds) => recordCanvas(canvas, seconds),
    get gridStep() {
      return picture?.gridStep ?? 1;
    },
    get drawCount() {
      return drawCount;
    },
    get lastFrameMs() {
      return lastFrameMs;
    },
    get quality() {
      return quality;
    },
    dispose() {
      forget();
      arrived();
      themes.disconnect();
      sizes.disconnect();
      frames.cancel();
      cancelAnimationFrame(ahead);
      window.clearTimeout(resting);
      canvas.removeEventListener("webglcontextlost", lost);
      canvas.removeEventListener("webglcontextrestored", restored);
      picture?.dispose();
      notice.dispose();
      canvas.remove();
    },
  };
}

/** Pixels to one of the page's where the processor draws them. */
function ratioInSoftware(how: Quality, area: number): number {
  if (how === "moving") return 1;
  if (how === "full") return Math.min(Math.max(Math.sqrt(MOST_AT_REST / area), 1), MOST_PIXEL_RATIO);
  return Math.min(Math.max(Math.sqrt(MOST_DRAGGED / area), LEAST_PIXEL_RATIO), 1);
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
