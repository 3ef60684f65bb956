/** The hand on a sheet's time: a press scrubs, the middle button pans, the wheel zooms, the ruler shows all again. */

import { GestureHand, showAll } from "../plot/gesture_hand";
import { snapPull } from "../plot/snapping";
import type { Gesture, Pull } from "../plot/gesture_host";
import type { Sheet, SheetOptions } from "./sheet";

type Part = "gutter" | "ruler" | "rows";

export function timeHand(sheet: Sheet, options: SheetOptions, signal: AbortSignal): GestureHand<Part> {
  return new GestureHand<Part>(sheet, {
    at({ x, y }) {
      const { theme, rows } = sheet.plot();
      if (x <= theme.gutter) return "gutter";
      return y <= rows.ruler.height ? "ruler" : "rows";
    },
    same: (a, b) => a === b,
    cursor: () => undefined,
    take: (part, { y }) => (part === "gutter" ? null : new SheetScrub(sheet, options, y)),
    double(part, { y }) {
      if (part === "ruler") showAll(sheet);
      else options.click?.(y, true);
    },
  }, signal);
}

/** The playhead follows the pointer; a press that did not move is a click on what is there. */
class SheetScrub implements Gesture {
  readonly cursor = "";
  readonly holdsView = true;
  readonly atOnce = true;
  private readonly before: number;
  constructor(private readonly sheet: Sheet, private readonly options: SheetOptions, private readonly y: number) {
    this.before = options.now();
  }
  move({ x, alt }: Pull): void {
    const plot = this.sheet.plot();
    this.options.seek(snapPull(plot, plot.time.value(x), alt));
  }
  finish(moved: boolean): void {
    if (!moved) this.options.click?.(this.y, false);
  }
  cancel(): void {
    this.options.seek(this.before);
  }
}
