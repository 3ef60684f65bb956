/** A tab's two canvases: one for all that changes with the document, one over it for the playhead. */

import type { Plot } from "./plot";
import { readTheme, type Theme } from "./theme";
import type { View } from "./view";

export class CanvasPair {
  readonly canvas = document.createElement("canvas");
  protected readonly context: CanvasRenderingContext2D;
  protected readonly over: CanvasRenderingContext2D;
  protected theme: Theme = readTheme();
  /** The size of the tab as of the last refit: asking the page for it in the middle of a drag makes it lay all out. */
  protected width = 0;
  protected height = 0;
  private readonly overlay = document.createElement("canvas");

  constructor(readonly root: HTMLElement, readonly view: View) {
    this.canvas.className = "timeline-plot";
    this.overlay.className = "timeline-overlay";
    this.overlay.setAttribute("aria-hidden", "true");
    root.append(this.canvas, this.overlay);
    this.context = this.canvas.getContext("2d", { alpha: false })!;
    this.over = this.overlay.getContext("2d")!;
  }

  /** Let the keyboard in, and say what it does here to those who do not see the picture. */
  label(words: string, role: "application" | "img" = "application"): void {
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", role);
    this.canvas.setAttribute("aria-label", words);
  }

  /** Read tokens and size again: the theme or the window changed. */
  refit(): void {
    this.theme = readTheme();
    const ratio = window.devicePixelRatio || 1;
    [this.width, this.height] = [this.root.clientWidth, this.root.clientHeight];
    const [across, down] = [this.width, this.height].map((size) => Math.round(size * ratio));
    for (const canvas of [this.canvas, this.overlay]) {
      if (canvas.width !== across) canvas.width = across!;
      if (canvas.height !== down) canvas.height = down!;
    }
  }

  /** A clean sheet to draw the document on. */
  protected clean({ context, theme, width, height }: Plot): void {
    this.scale(context);
    context.fillStyle = theme.panel;
    context.fillRect(0, 0, width, height);
  }

  /** The same plot on the canvas above, which is clear. */
  protected above<P extends Plot>(plot: P): P {
    this.scale(this.over);
    this.over.clearRect(0, 0, plot.width, plot.height);
    return { ...plot, context: this.over };
  }

  private scale(context: CanvasRenderingContext2D): void {
    const ratio = window.devicePixelRatio || 1;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
  }
}
