/** A plot over time with ruler, playhead, zoom and pan: what the tabs of layers and of live motion have in common. */

import { effect } from "@preact/signals-core";
import { type Plot } from "../plot";
import { drawPlayhead, drawRange, drawRuler } from "../ruler";
import type { Scene } from "../scene";
import { readTheme, type Theme } from "../theme";
import "../timeline.css";
import { View } from "../view";
import { TimeHand } from "./time_hand";

export interface SheetOptions {
  /** Said of the canvas to those who do not see it. */
  label: string;
  gutter(theme: Theme): number;
  /** The span of time, and all else that the ruler asks for; read inside an effect. */
  scene(): Scene;
  now(): number;
  seek(t: number): void;
  isPlaying(): boolean;
  /** What stands before the ruler. */
  rulerName?: string;
  draw(plot: Plot): void;
  /** A press that did not move. */
  click?(y: number, twice: boolean): void;
}

const RULER = 23;

export class Sheet {
  readonly root = document.createElement("div");
  readonly canvas = document.createElement("canvas");
  readonly view = new View();
  private readonly overlay = document.createElement("canvas");
  private readonly context: CanvasRenderingContext2D;
  private readonly over: CanvasRenderingContext2D;
  private theme: Theme;
  private frame = 0;
  private stale = true;
  private readonly ended = new AbortController();
  private readonly ends: (() => void)[] = [];

  constructor(container: HTMLElement, private readonly options: SheetOptions) {
    this.root.className = "timeline";
    this.canvas.className = "timeline-plot";
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", options.label);
    this.overlay.className = "timeline-overlay";
    this.overlay.setAttribute("aria-hidden", "true");
    this.root.append(this.canvas, this.overlay);
    container.append(this.root);
    this.context = this.canvas.getContext("2d", { alpha: false })!;
    this.over = this.overlay.getContext("2d")!;
    this.theme = this.readTheme();

    const { signal } = this.ended;
    new TimeHand(this, options, signal);
    const sizes = new ResizeObserver(() => this.refit());
    sizes.observe(this.root);
    window.addEventListener("resize", () => this.refit(), { signal });
    const themes = new MutationObserver(() => this.refit());
    themes.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    document.fonts.addEventListener("loadingdone", () => this.redraw(), { signal });
    this.ends.push(
      () => sizes.disconnect(),
      () => themes.disconnect(),
      effect(() => {
        void options.scene();
        this.redraw();
      }),
      effect(() => {
        const now = options.now();
        if (options.isPlaying() && this.view.follow(now, options.scene())) this.stale = true;
        this.ask();
      }),
    );
  }

  redraw(): void {
    this.stale = true;
    this.ask();
  }

  plot(): Plot {
    const scene = this.options.scene();
    const [width, height] = [this.root.clientWidth, this.root.clientHeight];
    const rows = { ruler: { top: 0, height: RULER }, warp: { top: RULER, height: Math.max(height - RULER, 1) } };
    const axes = this.view.axes(scene, this.theme.gutter, width, rows.warp);
    return { context: this.context, theme: this.theme, rows, scene, width, height, ...axes };
  }

  /** Client x of a time. */
  timeToX(t: number): number {
    return this.canvas.getBoundingClientRect().left + this.plot().time.at(t);
  }

  dispose(): void {
    this.ended.abort();
    for (const end of this.ends) end();
    cancelAnimationFrame(this.frame);
    this.root.remove();
  }

  private readTheme(): Theme {
    const theme = readTheme();
    return { ...theme, gutter: this.options.gutter(theme) };
  }

  private ask(): void {
    this.frame ||= requestAnimationFrame(() => this.paint());
  }

  private refit(): void {
    this.theme = this.readTheme();
    const ratio = window.devicePixelRatio || 1;
    for (const canvas of [this.canvas, this.overlay]) {
      canvas.width = Math.round(this.root.clientWidth * ratio);
      canvas.height = Math.round(this.root.clientHeight * ratio);
    }
    this.stale = true;
    cancelAnimationFrame(this.frame);
    this.paint(); // a canvas that was resized is blank
  }

  private paint(): void {
    this.frame = 0;
    if (!this.root.clientWidth || !this.root.clientHeight) return;
    const ratio = window.devicePixelRatio || 1;
    const plot = this.plot();
    if (this.stale) {
      this.stale = false;
      this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
      this.context.fillStyle = plot.theme.panel;
      this.context.fillRect(0, 0, plot.width, plot.height);
      drawRuler(plot);
      if (this.options.rulerName) this.nameRuler(plot, this.options.rulerName);
      this.options.draw(plot);
      drawRange(plot);
    }
    this.over.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.over.clearRect(0, 0, plot.width, plot.height);
    drawPlayhead({ ...plot, context: this.over }, this.options.now());
  }

  private nameRuler({ context, theme }: Plot, name: string): void {
    context.fillStyle = theme.panel;
    context.fillRect(0, 0, theme.gutter, RULER - 1);
    context.font = theme.tick;
    context.textAlign = "left";
    context.textBaseline = "middle";
    context.fillStyle = theme.text3;
    context.fillText(name, 12, RULER / 2, theme.gutter - 16);
  }
}
