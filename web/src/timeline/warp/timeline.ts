/** The timeline: rows over output time, with the warp to be edited in it. */

import { comparing, otherResult, otherVersion } from "../../store/compare";
import * as state from "../../store/state";
import { Chip } from "../plot/chip";
import { barPlace } from "./contact_bars";
import { FilmStrip, type MakeThumbnail } from "./film_strip";
import { Keyboard } from "./keyboard";
import { liftLimit } from "./key_edits";
import { placeOf, type Refused } from "./key_marks";
import { Painter } from "./painter";
import { warpHand } from "./pointer";
import { ReaderList } from "./reader_list";
import type { Refusal } from "./refusal";
import { RefusalCard } from "../plot/refusal_card";
import { scene } from "../plot/scene";
import type { GestureHost } from "../plot/gesture_host";
import { onPage, TabFrame, tabRoot } from "../plot/tab_frame";
import type { Target } from "./targets";
import "../plot/timeline.css";
import { View } from "../plot/view";

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
  /** Where a joint's contact bar is, in client coordinates; ends at 0 where the joint has no such bar. */
  contactPosition(joint: string, index: number): { left: number; right: number; y: number } | null;
  /** Client x of an output time. */
  timeToX(t: number): number;
}

const HELP = "Warp over time. Up and Down choose a keytime, Left and Right move it by a frame, Enter types its times.";

export function mountTimeline(container: HTMLElement, options: TimelineOptions): TimelineApi {
  const root = tabRoot(container);
  const view = new View();
  const painter = new Painter(root, view);
  const { canvas } = painter;
  painter.label(HELP);
  const reader = new ReaderList(root);

  let wish: Refused | null = null;
  let bound: Refusal["bound"] | null = null;

  const frame: TabFrame = new TabFrame({
    root,
    view,
    scene: () => scene.value,
    now: () => state.time.value,
    isPlaying: () => state.playing.value,
    refit: () => painter.refit(),
    themed() {
      film.forget();
      otherFilm.forget();
    },
    draw() {
      reader.update(scene.value);
      painter.draw(film, otherFilm, { hovered: pointer.hovered, focused: focusedMark(), refused: wish }, bound);
    },
    drawPlayhead: (now) => painter.drawPlayhead(film, now),
    left() {
      keyboard.settle();
      if (!pointer.dragging) host.chip.hide();
    },
  });
  const { redraw } = frame;

  const host: GestureHost = {
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
      host.card.show(refusal, painter.plot().time.at(key[0]), go);
    },
    showWish(place, of) {
      [wish, bound] = [place, of];
      redraw();
    },
  };
  const pointer = warpHand(host, frame.signal, () => {
    keyboard.settle();
    frame.byKeyboard = false;
  });
  const keyboard = new Keyboard(host, pointer);
  const quiet = (): boolean => !pointer.dragging && !state.playing.value && !state.computing.value;
  const named = (version: string): string => (comparing.peek() ? `Version ${version}` : "Retimed");
  const film = new FilmStrip(options.thumbnail, quiet, redraw, {
    row: "film", clip: ({ scene: now }) => now.result, name: () => named(state.version.peek()),
  });
  const otherFilm = new FilmStrip(options.thumbnail, quiet, redraw, {
    row: "film2", clip: () => otherResult.peek(), name: () => named(otherVersion.peek()),
  });

  function focusedMark(): Target | null {
    const byKeys = frame.focusedIn(root);
    const { focusedSuggestion } = reader;
    if (!byKeys) return null;
    if (focusedSuggestion !== null) return { kind: "suggestion", index: focusedSuggestion };
    return scene.value.selected === null ? null : { kind: "key", index: scene.value.selected };
  }

  frame.watch(() => {
    void [comparing.value, otherResult.value];
    redraw();
  });
  frame.watch(() => {
    if (!state.playing.value && !state.computing.value) redraw(); // pictures that waited can be made
  });
  frame.watch(() => {
    void [state.selectedStep.value, state.selectedKey.value, state.version.value];
    host.card.hide(); // what it said was of another key
  });

  return {
    handleKey: (event) => frame.key(keyboard.handle(event)),
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
      return key ? onPage(canvas, placeOf(painter.plot(), key)) : null;
    },
    contactPosition(joint, index) {
      const place = barPlace(painter.plot(), joint, index);
      if (!place) return null;
      const { x, y } = onPage(canvas, { x: place.left, y: place.y });
      return { left: x, right: x + place.right - place.left, y };
    },
    timeToX: (t) => onPage(canvas, { x: painter.plot().time.at(t), y: 0 }).x,
    dispose() {
      pointer.dispose();
      keyboard.settle();
      film.dispose();
      otherFilm.dispose();
      frame.dispose();
    },
  };
}
