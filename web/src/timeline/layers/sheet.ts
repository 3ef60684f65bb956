/** A plot over time with ruler, playhead, zoom and pan: what the tabs of layers and of live motion have in common. */

import { CanvasPair } from "../plot/canvas_pair";
import { type Plot } from "../plot/plot";
import { drawPlayhead, drawRange, drawRuler } from "../plot/ruler";
import type { Scene } from "../plot/scene";
import { TabFrame, tabRoot } from "../plot/tab_frame";
import type { Theme } from "../plot/theme";
import "../plot/timeline.css";
import { View } from "../plot/view";
import { timeHand } from "./time_hand";

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

export class Sheet extends CanvasPair {
  private readonly frame: TabFrame;

  constructor(container: HTMLElement, private readonly options: SheetOptions) {
    super(tabRoot(container), new View());
    this.label(options.label, "img");
    this.frame = new TabFrame({
      root: this.root,
      view: this.view,
      scene: options.scene,
      now: options.now,
      isPlaying: options.isPlaying,
      refit: () => this.refit(),
      draw: () => this.draw(),
      drawPlayhead: (now) => drawPlayhead(this.above(this.plot()), now),
    });
    timeHand(this, options, this.frame.signal);
  }

  override refit(): void {
    super.refit();
    this.theme = { ...this.theme, gutter: this.options.gutter(this.theme) };
  }

  redraw(): void {
    this.frame.redraw();
  }

  plot(): Plot {
    const scene = this.options.scene();
    const { width, height } = this;
    const rows = { ruler: { top: 0, height: RULER }, warp: { top: RULER, height: Math.max(height - RULER, 1) } };
    const axes = this.view.axes(scene, this.theme.gutter, width, rows.warp);
    return { context: this.context, theme: this.theme, rows, scene, width, height, ...axes };
  }

  /** Client x of a time. */
  timeToX(t: number): number {
    return this.canvas.getBoundingClientRect().left + this.plot().time.at(t);
  }

  dispose(): void {
    this.frame.dispose();
  }

  private draw(): void {
    const plot = this.plot();
    this.clean(plot);
    drawRuler(plot);
    if (this.options.rulerName) this.nameRuler(plot, this.options.rulerName);
    this.options.draw(plot);
    drawRange(plot);
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
