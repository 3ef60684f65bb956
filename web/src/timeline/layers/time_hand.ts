/** The hand on a sheet's time: a press scrubs, the middle button pans, the wheel zooms, the ruler shows all again. */

import { snapPull } from "../snapping";
import type { Sheet, SheetOptions } from "./sheet";

const DRAG_STARTS = 3; // pixels: less is a click with an unsteady hand

export class TimeHand {
  private held: "scrub" | "pan" | null = null;
  private from = { x: 0, y: 0 };
  private last = 0;
  private moved = false;

  constructor(private readonly sheet: Sheet, private readonly options: SheetOptions, signal: AbortSignal) {
    const { canvas } = sheet;
    canvas.addEventListener("pointerdown", (event) => this.press(event), { signal });
    canvas.addEventListener("pointermove", (event) => this.move(event), { signal });
    canvas.addEventListener("pointerup", (event) => this.release(event), { signal });
    canvas.addEventListener("pointercancel", () => this.letGo(), { signal });
    canvas.addEventListener("dblclick", (event) => this.double(event), { signal });
    canvas.addEventListener("wheel", (event) => this.wheel(event), { signal, passive: false });
  }

  private press(event: PointerEvent): void {
    if (this.held || event.button > 1) return;
    const { x, y } = this.place(event);
    const plot = this.sheet.plot();
    if (x <= plot.theme.gutter) return;
    event.preventDefault();
    this.sheet.canvas.focus({ preventScroll: true });
    this.sheet.canvas.setPointerCapture(event.pointerId);
    this.from = { x, y };
    this.last = x;
    this.moved = false;
    this.held = event.button === 1 ? "pan" : "scrub";
    if (this.held === "scrub") {
      this.sheet.view.hold(plot);
      this.scrub(event, x);
    } else this.sheet.canvas.style.cursor = "grabbing";
  }

  private move(event: PointerEvent): void {
    if (!this.held) return;
    const { x, y } = this.place(event);
    if (Math.hypot(x - this.from.x, y - this.from.y) >= DRAG_STARTS) this.moved = true;
    if (this.held === "scrub") this.scrub(event, x);
    else {
      const { time, scene } = this.sheet.plot();
      this.sheet.view.pan((this.last - x) / time.scale, scene);
      this.sheet.redraw();
    }
    this.last = x;
  }

  private release(event: PointerEvent): void {
    const clicked = this.held === "scrub" && !this.moved;
    this.letGo();
    if (clicked) this.options.click?.(this.place(event).y, false);
  }

  private letGo(): void {
    this.held = null;
    this.sheet.view.release();
    this.sheet.canvas.style.cursor = "";
  }

  private scrub(event: PointerEvent, x: number): void {
    const plot = this.sheet.plot();
    this.options.seek(snapPull(plot, plot.time.value(x), event.altKey));
  }

  private double(event: MouseEvent): void {
    const { y } = this.place(event);
    if (y > this.sheet.plot().rows.ruler.height) return this.options.click?.(y, true);
    this.sheet.view.all();
    this.sheet.redraw();
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    if (this.held === "scrub") return;
    const { time, scene } = this.sheet.plot();
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    const sideways = event.deltaX || (event.shiftKey ? event.deltaY : 0);
    if (Math.abs(sideways) >= Math.abs(event.deltaY)) this.sheet.view.pan((unit * sideways) / time.scale, scene);
    else this.sheet.view.zoom(time.value(this.place(event).x), 1.0015 ** (unit * event.deltaY), scene);
    this.sheet.redraw();
  }

  private place(event: MouseEvent): { x: number; y: number } {
    const box = this.sheet.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }
}
