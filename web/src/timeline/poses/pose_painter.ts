/** The two canvases of the pose editor: one for what the document says, one over it for the playhead. */

import { Axis } from "../axis";
import { drawContacts } from "../bands";
import { crisp, line } from "../plot";
import { drawPlayhead, drawRange, drawRuler } from "../ruler";
import { readTheme, type Theme } from "../theme";
import type { View } from "../view";
import { drawLikelihood } from "./likelihood";
import { drawPoses, type PoseMarkState } from "./pose_marks";
import { poseBands, ROW_HEIGHT } from "./pose_rows";
import { poseScene } from "./pose_scene";
import type { PosePlot } from "./pose_plot";

const GUTTER = 152;
const NARROW_GUTTER = 116;
const LIMB_TOKENS = {
  trunk: "--limb-trunk", left_arm: "--limb-left-arm", right_arm: "--limb-right-arm", left_leg: "--limb-left-leg",
  right_leg: "--limb-right-leg", root: "--limb-root",
} as const;

export class PosePainter {
  readonly canvas = document.createElement("canvas");
  private readonly overlay = document.createElement("canvas");
  private readonly context: CanvasRenderingContext2D;
  private readonly over: CanvasRenderingContext2D;
  private theme: Theme = readTheme();
  private limbs: Record<string, string> = {};
  /** Pixels that rows are scrolled by. */
  scroll = 0;
  /** How long the last picture took, milliseconds. */
  took = 0;

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
    const narrow = window.innerWidth < 1200;
    this.theme = { ...readTheme(), gutter: narrow ? NARROW_GUTTER : GUTTER };
    this.root.style.setProperty("--pose-gutter", `${this.theme.gutter}px`);
    const style = getComputedStyle(document.documentElement);
    this.limbs = Object.fromEntries(Object.entries(LIMB_TOKENS).map(([n, t]) => [n, style.getPropertyValue(t).trim()]));
    const ratio = window.devicePixelRatio || 1;
    for (const canvas of [this.canvas, this.overlay]) {
      const across = Math.round(this.root.clientWidth * ratio);
      const down = Math.round(this.root.clientHeight * ratio);
      if (canvas.width !== across) canvas.width = across;
      if (canvas.height !== down) canvas.height = down;
    }
  }

  plot(): PosePlot {
    const poses = poseScene.value;
    const [width, height] = [this.root.clientWidth, this.root.clientHeight];
    const bands = poseBands(height, poses.base.contacts.length);
    const rows = { ruler: bands.ruler, warp: bands.likely, ...(bands.contacts && { contacts: bands.contacts }) };
    const scene = { ...poses.base, keys: [], selected: null };
    const { time } = this.view.axes(scene, this.theme.gutter, width, bands.likely);
    return {
      context: this.context, theme: this.theme, limbs: this.limbs, rows, bands, poses, scene, time, width, height,
      source: new Axis(0, 1, 1, 0), scroll: this.scroll,
    };
  }

  draw(marks: PoseMarkState): void {
    const start = performance.now();
    const plot = this.plot();
    const { context, theme, bands, width, height } = plot;
    this.prepare(context);
    context.fillStyle = theme.panel;
    context.fillRect(0, 0, width, height);
    drawRuler(plot);
    drawLikelihood(plot, marks.hovered?.kind === "pose" ? marks.hovered.pose : null);
    drawPoses(plot, marks);
    drawContacts(plot);
    context.lineWidth = 1;
    context.strokeStyle = theme.line;
    for (const band of [bands.ruler, bands.likely, bands.rows])
      line(context, 0, crisp(band.top + band.height - 1), width, crisp(band.top + band.height - 1));
    line(context, theme.gutter + 0.5, 0, theme.gutter + 0.5, height);
    drawRange(plot);
    this.drawScrollbar(plot);
    this.took = performance.now() - start;
  }

  drawPlayhead(now: number): void {
    const plot = { ...this.plot(), context: this.over };
    this.prepare(this.over);
    this.over.clearRect(0, 0, plot.width, plot.height);
    drawPlayhead(plot, now);
  }

  /** How far down the rows are: only where not all of them fit. */
  private drawScrollbar({ context, theme, bands, poses, width }: PosePlot): void {
    const whole = poses.rows.length * ROW_HEIGHT;
    const { top, height } = bands.rows;
    if (whole <= height) return;
    context.fillStyle = theme.lineStrong;
    context.beginPath();
    context.roundRect(width - 6, top + (this.scroll / whole) * height + 1, 4, (height / whole) * height - 2, 2);
    context.fill();
  }

  private prepare(context: CanvasRenderingContext2D): void {
    const ratio = window.devicePixelRatio || 1;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
  }
}
