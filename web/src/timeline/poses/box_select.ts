/** Selecting marks by a box that is dragged over rows. */

import * as state from "../../store/state";
import type { Gesture, Pull } from "../plot/gesture_host";
import { markX, shownRows, visiblePoses, type PosePlot, type PoseHost } from "./pose_plot";
import { knotsOfRow, selection } from "./pose_scene";

type Box = [number, number, number, number];

/** Knots whose marks lie in a box. */
export function knotsInBox(plot: PosePlot, [x0, y0, x1, y1]: Box): number[] {
  const view = plot.poses.view;
  if (!view) return [];
  const [left, right] = [Math.min(x0, x1), Math.max(x0, x1)];
  const [top, bottom] = [Math.min(y0, y1), Math.max(y0, y1)];
  const [first, last] = visiblePoses(plot);
  const found: number[] = [];
  for (const { row, y } of shownRows(plot)) {
    if (row.open || y < top || y > bottom) continue;
    for (let k = first; k < last; k++) {
      const x = markX(plot, row, k);
      if (x !== null && x >= left && x <= right) found.push(...knotsOfRow(view, row, k));
    }
  }
  return found;
}

export class BoxSelect implements Gesture {
  readonly cursor = "crosshair";
  readonly holdsView = true;
  readonly ownsShift = true;
  private readonly before = selection.value;

  constructor(
    private readonly host: PoseHost, private readonly from: { x: number; y: number }, private readonly adds: boolean,
  ) {}

  move({ x, y }: Pull): void {
    const box: Box = [this.from.x, this.from.y, x, y];
    this.host.showBox(box);
    const found = knotsInBox(this.host.posePlot(), box);
    selection.value = new Set(this.adds ? [...this.before, ...found] : found);
  }

  finish(moved: boolean): void {
    this.host.showBox(null);
    if (!moved && !this.adds) {
      selection.value = new Set();
      state.selectedPose.value = null;
      return;
    }
    const count = selection.value.size;
    state.announcement.value = count === 1 ? "1 part is selected." : `${count} parts are selected.`;
  }

  cancel(): void {
    this.host.showBox(null);
    selection.value = this.before;
  }
}
