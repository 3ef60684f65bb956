/** The two canvases: one for all that changes with the document, one over it for the playhead. */

import { drawContacts, drawFeasible } from "./bands";
import type { FilmStrip } from "./film_strip";
import { drawForce } from "./force";
import { drawMarks, type MarkState } from "./key_marks";
import { crisp, line, type Plot } from "./plot";
import { drawRate } from "./rate";
import type { Refusal } from "./refusal";
import { layOut } from "./rows";
import { drawPlayhead, drawRange, drawRuler } from "./ruler";
import { scene } from "./scene";
import { readTheme, type Theme } from "./theme";
import type { View } from "./view";
import { drawWarp } from "./warp_curve";
import { drawWaveform, type Wave } from "./waveform";

/** Below this the film strip goes. */
const LOW_WINDOW = 800;

export class Painter {
  readonly canvas = document.createElement("canvas");
  private readonly overlay = document.createElement("canvas");
  private readonly context: CanvasRenderingContext2D;
  private readonly over: CanvasRenderingContext2D;
  private theme: Theme = readTheme();
  wave: Wave | null = null;

  constructor(private readonly root: HTMLElement, private readonly view: View) {
    this.canvas.className = "timeline-plot";
    this.overlay.className = "timeline-overlay";
    this.overlay.setAttribute("aria-hidden", "true");
    root.append(this.canvas, this.overlay);
    this.context = this.canvas.getContext("2d", { alpha: false })!;
    this.over = this.overlay.getContext("2d")!;
  }

  /** Read tokens and size again: the theme or the window changed. */
  refit(): void {
    this.theme = readTheme();
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [this.root.clientWidth, this.root.clientHeight];
    for (const canvas of [this.canvas, this.overlay]) {
      const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
      if (canvas.width !== across) canvas.width = across;
      if (canvas.height !== down) canvas.height = down;
    }
  }

  /** The picture as it is now; cheap enough to be asked for at every move of the pointer. */
  plot(): Plot {
    const now = scene.value;
    const [width, height] = [this.root.clientWidth, this.root.clientHeight];
    const rows = layOut(height, {
      film: window.innerHeight >= LOW_WINDOW,
      force: now.physics !== null && now.showsForce,
      feasible: now.physics !== null,
      contacts: now.contacts.length,
      waveform: this.wave !== null,
    });
    const axes = this.view.axes(now, this.theme.gutter, width, rows.warp);
    return { context: this.context, theme: this.theme, rows, scene: now, width, height, ...axes };
  }

  draw(film: FilmStrip, marks: MarkState, bound: Refusal["bound"] | null): void {
    const plot = this.plot();
    const { context, theme, rows, width, height } = plot;
    this.prepare(context);
    context.fillStyle = theme.panel;
    context.fillRect(0, 0, width, height);
    drawRuler(plot);
    film.draw(plot);
    drawWarp(plot, bound);
    drawRate(plot);
    drawForce(plot);
    drawFeasible(plot);
    drawContacts(plot);
    drawWaveform(plot, this.wave);
    context.lineWidth = 1;
    context.strokeStyle = theme.line;
    for (const { top, height: tall } of Object.values(rows)) {
      const bottom = crisp(top + tall - 1);
      line(context, 0, bottom, width, bottom);
    }
    line(context, theme.gutter + 0.5, 0, theme.gutter + 0.5, height);
    drawRange(plot);
    drawMarks(plot, marks);
  }

  drawPlayhead(film: FilmStrip, now: number): void {
    const plot = { ...this.plot(), context: this.over };
    this.prepare(this.over);
    this.over.clearRect(0, 0, plot.width, plot.height);
    film.drawCurrent(plot, now);
    drawPlayhead(plot, now);
  }

  private prepare(context: CanvasRenderingContext2D): void {
    const ratio = window.devicePixelRatio || 1;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
  }
}
