/** The tab's two canvases: one for all that changes with the document, one over it for the playhead. */

import { drawContacts } from "../bands";
import { crisp, line } from "../plot";
import { drawPlayhead, drawRange, drawRuler } from "../ruler";
import { readTheme, type Theme } from "../theme";
import type { View } from "../view";
import { aheadAt } from "../../store/surface";
import { drawCurves, drawLegend } from "./joint_curves";
import { makePlot, type JointPlot } from "./joint_plot";
import { jointScene } from "./joint_scene";
import { limbColours, type LimbColours } from "./limb_colours";
import { drawKeys, middleOf, type KeyDragView } from "./surface_row";

export interface JointMarks {
  hovered: number | null;
  /** The selected key has the keyboard's focus. */
  focused: boolean;
  drag: KeyDragView | null;
}

export class JointPainter {
  readonly canvas = document.createElement("canvas");
  private readonly overlay = document.createElement("canvas");
  private readonly context: CanvasRenderingContext2D;
  private readonly over: CanvasRenderingContext2D;
  private theme: Theme = readTheme();
  private colours: LimbColours = limbColours();

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
    this.colours = limbColours();
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [this.root.clientWidth, this.root.clientHeight];
    for (const canvas of [this.canvas, this.overlay]) {
      const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
      if (canvas.width !== across) canvas.width = across;
      if (canvas.height !== down) canvas.height = down;
    }
  }

  plot(): JointPlot {
    const { clientWidth: width, clientHeight: height } = this.root;
    return makePlot(this.context, this.theme, this.colours, this.view, jointScene.value, width, height);
  }

  draw({ hovered, focused, drag }: JointMarks): void {
    const plot = this.plot();
    const { context, theme, rows, keys, width, height } = plot;
    this.prepare(context);
    context.fillStyle = theme.panel;
    context.fillRect(0, 0, width, height);
    drawRuler(plot);
    drawCurves(plot);
    drawLegend(plot);
    drawContacts(plot);
    context.lineWidth = 1;
    context.strokeStyle = theme.line;
    for (const { top, height: tall } of [...Object.values(rows), ...(keys ? [keys] : [])]) {
      const bottom = crisp(top + tall - 1);
      line(context, 0, bottom, width, bottom);
    }
    line(context, theme.gutter + 0.5, 0, theme.gutter + 0.5, height);
    drawRange(plot);
    drawKeys(plot, hovered, focused, drag);
  }

  drawPlayhead(now: number): void {
    const plot = { ...this.plot(), context: this.over };
    this.prepare(this.over);
    this.over.clearRect(0, 0, plot.width, plot.height);
    drawPlayhead(plot, now);
    this.leaveDiamonds(plot, now);
    this.drawJoint(plot, now);
  }

  /** A diamond stands before the line. */
  private leaveDiamonds(plot: JointPlot, now: number): void {
    const { keys, joints, time, context } = plot;
    if (!keys) return;
    const column = Math.round(time.at(now));
    for (const { arrival, index } of joints.marks) {
      const half = (index === joints.selected ? 11 : 6.5) - Math.abs(column + 0.5 - time.at(arrival));
      if (half > 0) context.clearRect(column, middleOf(plot) - half, 1, 2 * half);
    }
  }

  /** Where the joint that stands out is on its curve at the playhead. */
  private drawJoint({ context, theme, joints, time, source, colours, width }: JointPlot, now: number): void {
    const { curves, focused, limbs } = joints;
    const column = focused === null ? undefined : curves?.columns[focused];
    const x = time.at(now);
    if (!curves || !column || x < theme.gutter || x > width) return;
    context.beginPath();
    context.arc(x, source.at(aheadAt(curves.clip, column, now)), 4.5, 0, 2 * Math.PI);
    context.fillStyle = colours[limbs[focused!] ?? "trunk"];
    context.fill();
    context.lineWidth = 2;
    context.strokeStyle = theme.selection;
    context.stroke();
  }

  private prepare(context: CanvasRenderingContext2D): void {
    const ratio = window.devicePixelRatio || 1;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
  }
}
