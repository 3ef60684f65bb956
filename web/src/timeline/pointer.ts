/** Pointer events made into gestures, with hover, wheel and double click. */

import * as actions from "../store/actions";
import * as state from "../store/state";
import { EndDrag } from "./end_drag";
import { nameTarget } from "./hover_name";
import { KeyDrag, TakeSuggestion } from "./key_drag";
import { addKey, setRate } from "./key_edits";
import { RateDrag } from "./rate_drag";
import { snapPull } from "./snapping";
import type { Gesture, Pull, Stage } from "./stage";
import { sameTarget, targetAt, type Target } from "./targets";
import { Pan, PushSearch, RangeDrag, Scrub } from "./time_drags";
import { typeKey } from "./typing";

const DRAG_STARTS = 3; // pixels: less is a click with an unsteady hand
const NAME_AFTER = 400; // milliseconds
const CURSORS: Partial<Record<Target["kind"], string>> = {
  key: "grab", handle: "grab", suggestion: "pointer", end: "ew-resize", range: "ew-resize",
};

export class Pointer {
  hovered: Target | null = null;
  private gesture: Gesture | null = null;
  /** A grab by key (G) follows the pointer without a pressed button. */
  private pressless = false;
  private pull: Pull = { x: 0, y: 0, dx: 0, dy: 0, alt: false, ctrl: false };
  private last: { x: number; y: number } | null = null;
  private moved = false;
  private frame = 0;
  private nameTimer = 0;

  constructor(private readonly stage: Stage, signal: AbortSignal, private readonly onPress: () => void) {
    const { canvas } = stage;
    canvas.addEventListener("pointerdown", (event) => this.press(event), { signal });
    canvas.addEventListener("pointerleave", () => this.hover(null), { signal });
    canvas.addEventListener("pointercancel", () => this.cancel(), { signal });
    canvas.addEventListener("dblclick", (event) => this.double(event), { signal });
    canvas.addEventListener("wheel", (event) => this.wheel(event), { signal, passive: false });
    canvas.addEventListener("pointermove", (event) => !this.pressless && this.follow(event), { signal });
    canvas.addEventListener("pointerup", () => !this.pressless && this.release(), { signal });
    window.addEventListener("pointermove", (event) => this.pressless && this.follow(event), { signal });
    window.addEventListener("pointerdown", (event) => this.confirm(event), { signal, capture: true });
  }

  get dragging(): boolean {
    return this.gesture !== null;
  }

  /** Move the selected key with the pointer until a click; true if there is one to move. */
  grab(): boolean {
    const { selected, editable } = this.stage.plot().scene;
    if (selected === null || !editable || this.gesture) return false;
    this.pressless = true;
    this.last = null;
    this.begin(new KeyDrag(this.stage, selected));
    this.moved = true;
    document.documentElement.style.cursor = "grabbing";
    return true;
  }

  cancel(): boolean {
    const gesture = this.gesture;
    if (!gesture) return false;
    this.end();
    gesture.cancel();
    return true;
  }

  dispose(): void {
    this.cancel();
    this.hover(null);
  }

  private press(event: PointerEvent): void {
    if (this.gesture || event.button > 1) return;
    this.stage.canvas.focus({ preventScroll: true });
    this.onPress();
    this.hover(null);
    this.stage.card.hide();
    const { x, y } = this.place(event);
    const gesture = event.button === 1 ? new Pan(this.stage) : this.gestureAt(targetAt(this.stage.plot(), x, y));
    if (!gesture) return;
    event.preventDefault(); // no panning by the middle button's own scroll, no selected text
    this.stage.canvas.setPointerCapture(event.pointerId);
    this.last = { x: event.clientX, y: event.clientY };
    this.pull = { x, y, dx: 0, dy: 0, alt: event.altKey, ctrl: event.ctrlKey || event.metaKey };
    this.begin(gesture);
    if (gesture instanceof Scrub) gesture.move(this.pull); // the playhead comes at once
  }

  private gestureAt(target: Target | null): Gesture | null {
    const { scene } = this.stage.plot();
    switch (target?.kind) {
      case "key": return new KeyDrag(this.stage, target.index);
      case "handle": return new RateDrag(this.stage, target.side);
      case "range": return new RangeDrag(this.stage, target.edge);
      case "end": return scene.editable ? new EndDrag(this.stage) : null;
      case "suggestion": return scene.editable ? new TakeSuggestion(scene.suggestions[target.index]!) : null;
      case undefined: return null;
      default: return state.result.value?.header.interim ? new PushSearch(this.stage) : new Scrub(this.stage);
    }
  }

  private begin(gesture: Gesture): void {
    this.gesture = gesture;
    window.clearTimeout(this.nameTimer);
    this.moved = false;
    this.pull = { ...this.pull, dx: 0, dy: 0 };
    if (gesture.holdsView) this.stage.view.hold(this.stage.plot());
    this.stage.canvas.style.cursor = gesture.cursor;
  }

  /** Shift makes the pull ten times finer from here on, so it is summed up and not measured from the start. */
  private follow(event: PointerEvent): void {
    const place = this.place(event);
    if (!this.gesture) return this.hover(targetAt(this.stage.plot(), place.x, place.y));
    const share = event.shiftKey ? 0.1 : 1;
    this.last ??= { x: event.clientX, y: event.clientY };
    const { dx, dy } = this.pull;
    this.pull = {
      x: place.x,
      y: place.y,
      dx: dx + share * (event.clientX - this.last.x),
      dy: dy + share * (event.clientY - this.last.y),
      alt: event.altKey,
      ctrl: event.ctrlKey || event.metaKey,
    };
    this.last = { x: event.clientX, y: event.clientY };
    if (Math.hypot(this.pull.dx, this.pull.dy) >= DRAG_STARTS) this.moved = true;
    if (this.moved) this.frame ||= requestAnimationFrame(() => this.apply());
  }

  private apply(): void {
    this.frame = 0;
    this.gesture?.move(this.pull);
  }

  private release(): void {
    const gesture = this.gesture;
    if (!gesture) return;
    if (this.frame) {
      cancelAnimationFrame(this.frame);
      this.apply();
    }
    const moved = this.moved;
    this.end();
    gesture.finish(moved);
  }

  /** The click that ends a grab by key belongs to nothing else. */
  private confirm(event: PointerEvent): void {
    if (!this.pressless) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.button === 0) this.release();
    else this.cancel();
  }

  private end(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.gesture = null;
    if (this.pressless) document.documentElement.style.cursor = "";
    this.pressless = false;
    this.stage.canvas.style.cursor = "";
    this.stage.view.release();
    this.stage.redraw();
  }

  private hover(target: Target | null): void {
    if (sameTarget(target, this.hovered)) return;
    this.hovered = target;
    this.stage.canvas.style.cursor = (target && CURSORS[target.kind]) ?? "";
    window.clearTimeout(this.nameTimer);
    if (!this.gesture) this.stage.chip.hide();
    if (target && CURSORS[target.kind])
      this.nameTimer = window.setTimeout(() => nameTarget(this.stage, target), NAME_AFTER);
    this.stage.redraw();
  }

  private double(event: MouseEvent): void {
    const plot = this.stage.plot();
    const { x, y } = this.place(event);
    const target = targetAt(plot, x, y);
    const { scene } = plot;
    if (target?.kind === "ruler") {
      this.stage.view.all();
      this.stage.redraw();
    } else if (target?.kind === "key") typeKey(this.stage, target.index);
    else if (target?.kind === "curve" && scene.editable) {
      addKey(snapPull(plot, plot.time.value(x), event.altKey));
    } else if (target?.kind === "handle" && scene.step && scene.selected !== null) {
      actions.change(scene.step.id, { parameters: setRate(scene, scene.keys[scene.selected]!, null) });
      state.announcement.value = "The speed at the keytime is free again.";
    }
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const { time, scene } = this.stage.plot();
    if (this.gesture?.holdsView) return;
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    const sideways = event.deltaX || (event.shiftKey ? event.deltaY : 0);
    if (Math.abs(sideways) >= Math.abs(event.deltaY)) this.stage.view.pan((unit * sideways) / time.scale, scene);
    else this.stage.view.zoom(time.value(this.place(event).x), 1.0015 ** (unit * event.deltaY), scene);
    this.stage.redraw();
  }

  private place(event: MouseEvent): { x: number; y: number } {
    const box = this.stage.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }
}
