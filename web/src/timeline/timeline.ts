/** The timeline: rows over output time, with the warp to be edited in it. */

import { effect } from "@preact/signals-core";
import * as state from "../store/state";
import { Chip } from "./chip";
import { FilmStrip, type MakeThumbnail } from "./film_strip";
import { Keyboard } from "./keyboard";
import { liftLimit } from "./key_edits";
import { placeOf, type Refused } from "./key_marks";
import { Painter } from "./painter";
import { Pointer } from "./pointer";
import { ReaderList } from "./reader_list";
import type { Refusal } from "./refusal";
import { RefusalCard } from "./refusal_card";
import { scene } from "./scene";
import type { Stage } from "./stage";
import type { Target } from "./targets";
import "./timeline.css";
import { View } from "./view";

export interface TimelineOptions {
  /** A picture of the retimed body at an output time, in device pixels; null where there is none yet. */
  thumbnail: MakeThumbnail;
}

export interface TimelineApi {
  /** Use a key that concerns the timeline; true if it was used. */
  handleKey(event: KeyboardEvent): boolean;
  zoomToAll(): void;
  redraw(): void;
  /** Show sound: lowest and highest sample of each part in pairs, over so many seconds; null hides it. */
  waveform(peaks: Float32Array | null, seconds: number): void;
  dispose(): void;
  /** Where a keytime's diamond is, in client coordinates. */
  keyPosition(index: number): { x: number; y: number } | null;
  /** Client x of an output time. */
  timeToX(t: number): number;
}

const HELP = "Warp over time. Up and Down choose a keytime, Left and Right move it by a frame, Enter types its times.";

export function mountTimeline(container: HTMLElement, options: TimelineOptions): TimelineApi {
  const root = document.createElement("div");
  root.className = "timeline";
  container.append(root);
  const view = new View();
  const painter = new Painter(root, view);
  const { canvas } = painter;
  canvas.tabIndex = 0;
  canvas.setAttribute("role", "application");
  canvas.setAttribute("aria-label", HELP);
  const reader = new ReaderList(root);

  let wish: Refused | null = null;
  let bound: Refusal["bound"] | null = null;
  let byKeyboard = false;
  let frame = 0;
  let stale = true; // all of it; else only the playhead

  const redraw = (): void => {
    stale = true;
    frame ||= requestAnimationFrame(paint);
  };
  const movePlayhead = (): void => {
    if (state.playing.value && view.follow(state.time.value, scene.value)) stale = true;
    frame ||= requestAnimationFrame(paint);
  };

  const stage: Stage = {
    root,
    canvas,
    view,
    chip: new Chip(root),
    card: new RefusalCard(root),
    plot: () => painter.plot(),
    redraw,
    refuse(refusal, index, wanted) {
      const key = scene.value.keys[index];
      const { lift } = refusal;
      if (!key) return;
      const go = lift && (() => liftLimit(scene.value, index, wanted, lift));
      stage.card.show(refusal, painter.plot().time.at(key[0]), go);
    },
    showWish(place, of) {
      [wish, bound] = [place, of];
      redraw();
    },
  };
  const ended = new AbortController();
  const { signal } = ended;
  const pointer: Pointer = new Pointer(stage, signal, () => {
    keyboard.settle();
    byKeyboard = false;
  });
  const keyboard = new Keyboard(stage, pointer);
  const quiet = (): boolean => !pointer.dragging && !state.playing.value && !state.computing.value;
  const film = new FilmStrip(options.thumbnail, quiet, redraw);

  function focusedMark(): Target | null {
    const byKeys = byKeyboard && root.contains(document.activeElement);
    root.classList.toggle("timeline-by-keyboard", byKeys);
    const { focusedSuggestion } = reader;
    if (!byKeys) return null;
    if (focusedSuggestion !== null) return { kind: "suggestion", index: focusedSuggestion };
    return scene.value.selected === null ? null : { kind: "key", index: scene.value.selected };
  }

  function paint(): void {
    frame = 0;
    if (!root.clientWidth || !root.clientHeight) return;
    if (stale) {
      stale = false;
      reader.update(scene.value);
      painter.draw(film, { hovered: pointer.hovered, focused: focusedMark(), refused: wish }, bound);
    }
    painter.drawPlayhead(film, state.time.value);
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
  // The theme's colours are there once the attribute has changed, whoever changes it.
  const themes = new MutationObserver(() => {
    film.forget();
    refit();
  });
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

  const effects = [
    effect(() => {
      void scene.value;
      redraw();
    }),
    effect(() => {
      void state.time.value;
      movePlayhead();
    }),
    effect(() => {
      if (!state.playing.value && !state.computing.value) redraw(); // pictures that waited can be made
    }),
    effect(() => {
      void [state.selectedStep.value, state.selectedKey.value, state.version.value];
      stage.card.hide(); // what it said was of another key
    }),
  ];

  return {
    handleKey(event) {
      const used = keyboard.handle(event);
      if (used) {
        byKeyboard = true;
        redraw();
      }
      return used;
    },
    zoomToAll() {
      view.all();
      redraw();
    },
    redraw,
    waveform(peaks, seconds) {
      painter.wave = peaks?.length && seconds > 0 ? { peaks, seconds } : null;
      redraw();
    },
    keyPosition(index) {
      const key = scene.value.keys[index];
      if (!key) return null;
      const box = canvas.getBoundingClientRect();
      const { x, y } = placeOf(painter.plot(), key);
      return { x: box.left + x, y: box.top + y };
    },
    timeToX: (t) => canvas.getBoundingClientRect().left + painter.plot().time.at(t),
    dispose() {
      pointer.dispose();
      keyboard.settle();
      film.dispose();
      ended.abort();
      sizes.disconnect();
      themes.disconnect();
      for (const stop of effects) stop();
      cancelAnimationFrame(frame);
      root.remove();
    },
  };
}
