/** The hand on a plot: pointer events made into gestures, with hover, wheel and double click. */

import type { Chip, Place } from "./chip";
import type { Plot } from "./plot";
import type { RefusalCard } from "./refusal_card";
import type { Gesture, Pull } from "./gesture_host";
import { Pan } from "./time_drags";
import type { View } from "./view";

const DRAG_STARTS = 3; // pixels: less is a click with an unsteady hand
const NAME_AFTER = 400; // milliseconds

/** What the hand works on; a plot that says nothing beside the pointer has neither chip nor card. */
export interface HandHost {
  canvas: HTMLCanvasElement;
  view: View;
  chip?: Chip;
  card?: RefusalCard;
  plot(): Plot;
  redraw(): void;
}

/** What an editor tells its hand: what is where, and what to do with it. */
export interface Grips<T> {
  /** What is under a place of the canvas. */
  at(place: Place): T | null;
  same(a: T | null, b: T | null): boolean;
  /** The pointer's shape over a target that can be taken hold of or clicked. */
  cursor(target: T): string | undefined;
  /** What a press of the first button begins; null where it begins nothing. */
  take(target: T | null, place: Place, event: PointerEvent): Gesture | null;
  /** The pointer rests on something that can be taken: say what it is. */
  name?(target: T): void;
  /** The pointer came to another target. */
  hover?(target: T | null): void;
  /** The pointer moves over a target. */
  point?(target: T, place: Place): void;
  double(target: T | null, place: Place, event: MouseEvent): void;
  /** A turn of the wheel in pixels that is not for the time axis; true where it was used. */
  wheel?(event: WheelEvent, pixels: number): boolean;
  /** A press is about to be looked at. */
  pressed?(): void;
}

export class GestureHand<T> {
  hovered: T | null = null;
  private gesture: Gesture | null = null;
  /** A gesture by key follows the pointer without a pressed button. */
  private pressless = false;
  /** What the next press begins, whatever is under it. */
  private next: { cursor: string; take(place: Place, event: PointerEvent): Gesture } | null = null;
  private pull: Pull = { x: 0, y: 0, dx: 0, dy: 0, alt: false, ctrl: false };
  private last: Place | null = null;
  private moved = false;
  private frame = 0;
  private nameTimer = 0;

  constructor(private readonly host: HandHost, private readonly grips: Grips<T>, signal: AbortSignal) {
    const { canvas } = host;
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

  /** Let a gesture follow the pointer until a click; false where there is none, or another is under way. */
  carry(make: () => Gesture | null): boolean {
    const gesture = this.gesture ? null : make();
    if (!gesture) return false;
    this.pressless = true;
    this.last = null;
    this.begin(gesture);
    this.moved = true;
    document.documentElement.style.cursor = gesture.cursor;
    return true;
  }

  /** Begin a gesture with the next press, whatever is under it. */
  withNextPress(cursor: string, take: (place: Place, event: PointerEvent) => Gesture): boolean {
    if (this.gesture) return false;
    this.next = { cursor, take };
    this.host.canvas.style.cursor = cursor;
    return true;
  }

  /** Give up what is under way: all is as before it. False where there is nothing. */
  cancel(): boolean {
    const { gesture, next } = this;
    if (!gesture && !next) return false;
    this.next = null;
    this.end();
    gesture?.cancel();
    return true;
  }

  dispose(): void {
    this.cancel();
    this.hover(null);
  }

  private press(event: PointerEvent): void {
    if (this.gesture || event.button > 1) return;
    this.host.canvas.focus({ preventScroll: true });
    this.grips.pressed?.();
    this.host.card?.hide();
    const place = this.place(event);
    const target = this.grips.at(place);
    const { next } = this;
    this.next = null;
    this.hover(null);
    let gesture: Gesture | null;
    if (event.button === 1) gesture = new Pan(this.host);
    else gesture = next ? next.take(place, event) : this.grips.take(target, place, event);
    if (!gesture) return;
    event.preventDefault(); // no panning by the middle button's own scroll, no selected text
    this.host.canvas.setPointerCapture(event.pointerId);
    this.last = { x: event.clientX, y: event.clientY };
    this.pull = { ...place, dx: 0, dy: 0, alt: event.altKey, ctrl: event.ctrlKey || event.metaKey };
    this.begin(gesture);
    if (gesture.atOnce) gesture.move(this.pull);
  }

  private begin(gesture: Gesture): void {
    this.gesture = gesture;
    window.clearTimeout(this.nameTimer);
    this.moved = false;
    this.pull = { ...this.pull, dx: 0, dy: 0 };
    if (gesture.holdsView) this.host.view.hold(this.host.plot());
    this.host.canvas.style.cursor = gesture.cursor;
  }

  /** Shift makes the pull ten times finer from here on, so it is summed up and not measured from the start. */
  private follow(event: PointerEvent): void {
    const place = this.place(event);
    if (!this.gesture) {
      const target = this.grips.at(place);
      this.hover(target);
      if (target) this.grips.point?.(target, place);
      return;
    }
    const share = event.shiftKey && !this.gesture.ownsShift ? 0.1 : 1;
    this.last ??= { x: event.clientX, y: event.clientY };
    const { dx, dy } = this.pull;
    this.pull = {
      ...place,
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

  /** The click that ends a gesture by key belongs to nothing else. */
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
    this.host.canvas.style.cursor = "";
    this.host.view.release();
    this.host.redraw();
  }

  private hover(target: T | null): void {
    if (this.grips.same(target, this.hovered)) return;
    this.hovered = target;
    const cursor = target === null ? undefined : this.grips.cursor(target);
    this.host.canvas.style.cursor = this.next?.cursor ?? cursor ?? "";
    window.clearTimeout(this.nameTimer);
    if (!this.gesture) this.host.chip?.hide();
    this.grips.hover?.(target);
    if (target && cursor) this.nameTimer = window.setTimeout(() => this.grips.name?.(target), NAME_AFTER);
    this.host.redraw();
  }

  private double(event: MouseEvent): void {
    const place = this.place(event);
    this.grips.double(this.grips.at(place), place, event);
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const { time, scene } = this.host.plot();
    if (this.gesture?.holdsView) return;
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    const sideways = event.deltaX || (event.shiftKey ? event.deltaY : 0);
    if (!this.grips.wheel?.(event, unit * event.deltaY)) {
      if (Math.abs(sideways) >= Math.abs(event.deltaY)) this.host.view.pan((unit * sideways) / time.scale, scene);
      else this.host.view.zoom(time.value(this.place(event).x), 1.0015 ** (unit * event.deltaY), scene);
    }
    this.host.redraw();
  }

  private place(event: MouseEvent): Place {
    const box = this.host.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }
}

/** Show all of the time axis again: what a double click on the ruler does everywhere. */
export function showAll(host: Pick<HandHost, "view" | "redraw">): void {
  host.view.all();
  host.redraw();
}
