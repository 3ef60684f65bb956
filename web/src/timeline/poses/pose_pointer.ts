/** Pointer events of the pose editor made into gestures, with hover and wheel. */

import * as state from "../../store/state";
import type { Gesture, Pull } from "../stage";
import { Pan, Scrub } from "../time_drags";
import { BoxSelect } from "./box_select";
import { gestureAt, presslessGesture } from "./pose_gestures";
import { nameMark } from "./pose_names";
import type { PoseStage } from "./pose_plot";
import { poseTargetAt, samePoseTarget, type PoseTarget } from "./pose_targets";
import { typePose } from "./pose_typing";

const DRAG_STARTS = 3; // pixels: less is a click with an unsteady hand
const NAME_AFTER = 400; // milliseconds
const CURSORS: Partial<Record<PoseTarget["kind"], string>> = { pose: "grab", knot: "grab", range: "ew-resize" };

export class PosePointer {
  hovered: PoseTarget | null = null;
  private gesture: Gesture | null = null;
  /** A gesture by key follows the pointer without a pressed button. */
  private pressless = false;
  /** B was pressed: the next press draws a box, whatever is under it. */
  private boxNext = false;
  private pull: Pull = { x: 0, y: 0, dx: 0, dy: 0, alt: false, ctrl: false };
  private last: { x: number; y: number } | null = null;
  private moved = false;
  private frame = 0;
  private nameTimer = 0;

  constructor(private readonly stage: PoseStage, signal: AbortSignal, private readonly onPress: () => void) {
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

  /** Draw a box with the next press. */
  startBox(): boolean {
    if (this.gesture || !this.stage.posePlot().poses.view) return false;
    this.boxNext = true;
    this.stage.canvas.style.cursor = "crosshair";
    state.announcement.value = "Drag a box over the parts to select.";
    return true;
  }

  /** Follow the pointer until a click: `G` moves what is selected, `S` scales it. */
  startPressless(kind: "move" | "scale"): boolean {
    const gesture = this.gesture ? null : presslessGesture(this.stage, kind);
    if (!gesture) return false;
    this.pressless = true;
    this.last = null;
    this.begin(gesture);
    this.moved = true;
    document.documentElement.style.cursor = gesture.cursor;
    return true;
  }

  cancel(): boolean {
    if (this.boxNext && !this.gesture) {
      this.boxNext = false;
      this.stage.canvas.style.cursor = "";
      return true;
    }
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
    const place = this.place(event);
    const target = poseTargetAt(this.stage.posePlot(), place.x, place.y);
    const box = this.boxNext ? new BoxSelect(this.stage, place, event.shiftKey) : null;
    this.boxNext = false;
    const gesture = event.button === 1 ? new Pan(this.stage) : (box ?? gestureAt(this.stage, target, place, event.shiftKey));
    if (!gesture) return;
    event.preventDefault(); // no panning by the middle button's own scroll, no selected text
    this.stage.canvas.setPointerCapture(event.pointerId);
    this.last = { x: event.clientX, y: event.clientY };
    this.pull = { ...place, dx: 0, dy: 0, alt: event.altKey, ctrl: event.ctrlKey || event.metaKey };
    this.begin(gesture);
    if (gesture instanceof Scrub) gesture.move(this.pull); // the playhead comes at once
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
    if (!this.gesture) return this.hover(poseTargetAt(this.stage.posePlot(), place.x, place.y));
    const share = event.shiftKey && !(this.gesture instanceof BoxSelect) ? 0.1 : 1;
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
    this.stage.canvas.style.cursor = "";
    this.stage.view.release();
    this.stage.redraw();
  }

  private hover(target: PoseTarget | null): void {
    if (samePoseTarget(target, this.hovered)) return;
    this.hovered = target;
    const joint = target?.kind === "knot" && target.row.kind === "joint" ? target.row.channels[0]! : null;
    const view = this.stage.posePlot().poses.view;
    state.hoveredJoint.value = joint === null || !view ? null : view.jointOf(joint);
    if (!this.boxNext) this.stage.canvas.style.cursor = (target && CURSORS[target.kind]) ?? "";
    window.clearTimeout(this.nameTimer);
    if (!this.gesture) this.stage.chip.hide();
    if (target && CURSORS[target.kind]) this.nameTimer = window.setTimeout(() => nameMark(this.stage, target), NAME_AFTER);
    this.stage.redraw();
  }

  private double(event: MouseEvent): void {
    const { x, y } = this.place(event);
    const target = poseTargetAt(this.stage.posePlot(), x, y);
    if (target?.kind === "ruler") {
      this.stage.view.all();
      this.stage.redraw();
    } else if (target?.kind === "pose" || target?.kind === "knot")
      typePose(this.stage, target.pose, target.kind === "knot" ? target.row : null);
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const { time, scene } = this.stage.plot();
    if (this.gesture?.holdsView) return;
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    const sideways = event.deltaX || (event.shiftKey ? event.deltaY : 0);
    if (event.altKey) this.stage.scrollRows(unit * event.deltaY);
    else if (Math.abs(sideways) >= Math.abs(event.deltaY)) this.stage.view.pan((unit * sideways) / time.scale, scene);
    else this.stage.view.zoom(time.value(this.place(event).x), 1.0015 ** (unit * event.deltaY), scene);
    this.stage.redraw();
  }

  private place(event: MouseEvent): { x: number; y: number } {
    const box = this.stage.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }
}
