/** What the Joint times tab draws: surface keys over the joints' curves. */

import { drawContacts } from "../warp/bands";
import { CanvasPair } from "../plot/canvas_pair";
import { crisp, line } from "../plot/plot";
import { drawPlayhead, drawRange, drawRuler } from "../plot/ruler";
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

export class JointPainter extends CanvasPair {
  private colours: LimbColours = limbColours();

  override refit(): void {
    super.refit();
    this.colours = limbColours();
  }

  plot(): JointPlot {
    const { context, theme, colours, view, width, height } = this;
    return makePlot(context, theme, colours, view, jointScene.value, width, height);
  }

  draw({ hovered, focused, drag }: JointMarks): void {
    const plot = this.plot();
    const { context, theme, rows, keys, width, height } = plot;
    this.clean(plot);
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
    const plot = this.above(this.plot());
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
}
