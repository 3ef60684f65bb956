/** What the pose editor draws: how likely poses are, and rows of their marks. */

import { Axis } from "../plot/axis";
import { drawContacts } from "../warp/bands";
import { CanvasPair } from "../plot/canvas_pair";
import { crisp, line } from "../plot/plot";
import { drawPlayhead, drawRange, drawRuler } from "../plot/ruler";
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

export class PosePainter extends CanvasPair {
  private limbs: Record<string, string> = {};
  /** Pixels that rows are scrolled by. */
  scroll = 0;
  /** How long the last picture took, milliseconds. */
  took = 0;

  override refit(): void {
    super.refit();
    this.theme = { ...this.theme, gutter: window.innerWidth < 1200 ? NARROW_GUTTER : GUTTER };
    this.root.style.setProperty("--pose-gutter", `${this.theme.gutter}px`);
    const style = getComputedStyle(document.documentElement);
    this.limbs = Object.fromEntries(Object.entries(LIMB_TOKENS).map(([n, t]) => [n, style.getPropertyValue(t).trim()]));
  }

  plot(): PosePlot {
    const poses = poseScene.value;
    const { width, height } = this;
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
    this.clean(plot);
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
    drawPlayhead(this.above(this.plot()), now);
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
}
