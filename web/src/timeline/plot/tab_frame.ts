/** When a tab is painted: once a frame at most, the playhead alone where nothing else changed; and its focus. */

import { effect, untracked } from "@preact/signals";
import { Frames } from "../../store/frames";
import { result } from "../../store/state";
import { drawsInSoftware } from "../../viewport/software";
import type { Scene } from "./scene";
import type { View } from "./view";

/** What a tab paints. */
export interface Picture {
  root: HTMLElement;
  view: View;
  /** What the picture follows: read inside an effect. */
  scene(): Scene;
  now(): number;
  isPlaying(): boolean;
  /** The theme or the size changed. */
  refit(): void;
  /** The theme changed: colours that were kept are old. */
  themed?(): void;
  draw(): void;
  drawPlayhead(now: number): void;
  /** The focus went elsewhere. */
  left?(): void;
}

export class TabFrame {
  /** Whether the focus came by keys, or a key was used since: only then it is shown. */
  byKeyboard = false;
  private readonly frames = new Frames(() => this.paint(), drawsInSoftware());
  private stale = true; // all of it; else only the playhead
  private isShown = false; // else another tab is
  private readonly ended = new AbortController();
  private readonly ends: (() => void)[];
  readonly signal = this.ended.signal;

  constructor(private readonly picture: Picture) {
    const { root, view } = picture;
    const { signal } = this;
    const sizes = new ResizeObserver(() => this.refit());
    sizes.observe(root);
    // The theme's colours are there once the attribute has changed, whoever changes it.
    const themes = new MutationObserver(() => {
      picture.themed?.();
      this.refit();
    });
    themes.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    window.addEventListener("resize", () => this.refit(), { signal });
    document.fonts.addEventListener("loadingdone", this.redraw, { signal });
    root.addEventListener("focusin", () => {
      this.byKeyboard = (document.activeElement as HTMLElement | null)?.matches(":focus-visible") ?? false;
      this.redraw();
    }, { signal });
    root.addEventListener("focusout", () => {
      picture.left?.();
      this.redraw();
    }, { signal });
    this.ends = [
      () => sizes.disconnect(),
      () => themes.disconnect(),
      effect(() => {
        void picture.scene();
        this.redraw();
      }),
      effect(() => {
        // The page waits for its frame: where the processor draws, tabs are painted meanwhile, after the view has
        // sent off its picture in a microtask of its own.
        if (result.value && drawsInSoftware()) queueMicrotask(() => queueMicrotask(() => this.frames.now()));
      }),
      effect(() => {
        const now = picture.now();
        if (picture.isPlaying() && view.follow(now, untracked(picture.scene))) this.stale = true;
        this.frames.ask();
      }),
    ];
  }

  /** Paint all of it with the next frame. */
  readonly redraw = (): void => {
    this.stale = true;
    this.frames.ask();
  };

  /** Do this whenever a signal that it reads changes, as long as the tab is there. */
  watch(run: () => void): void {
    this.ends.push(effect(run));
  }

  /** Let a tab's keyboard have a key. */
  key(used: boolean): boolean {
    if (used) {
      this.byKeyboard = true;
      this.redraw();
    }
    return used;
  }

  /** Show by a class whether the keyboard's focus is in a part of the tab, and tell it. */
  focusedIn(part: Element): boolean {
    const focused = this.byKeyboard && part.contains(document.activeElement);
    this.picture.root.classList.toggle("timeline-by-keyboard", focused);
    return focused;
  }

  dispose(): void {
    this.ended.abort();
    for (const end of this.ends) end();
    this.frames.cancel();
    this.picture.root.remove();
  }

  private refit(): void {
    const { root } = this.picture;
    this.isShown = root.clientWidth > 0 && root.clientHeight > 0;
    this.picture.refit();
    this.stale = true;
    this.frames.cancel();
    this.paint(); // a canvas that was resized is blank: it must not stay so until the next frame
  }

  private paint(): void {
    if (!this.isShown) return;
    if (this.stale) {
      this.stale = false;
      this.picture.draw();
    }
    this.picture.drawPlayhead(untracked(() => this.picture.now()));
  }
}

/** The element of a tab. */
export function tabRoot(container: HTMLElement, name = ""): HTMLElement {
  const root = document.createElement("div");
  root.className = `timeline ${name}`.trimEnd();
  container.append(root);
  return root;
}

/** Client coordinates of a place on a canvas. */
export function onPage(canvas: HTMLCanvasElement, { x, y }: { x: number; y: number }): { x: number; y: number } {
  const box = canvas.getBoundingClientRect();
  return { x: box.left + x, y: box.top + y };
}
