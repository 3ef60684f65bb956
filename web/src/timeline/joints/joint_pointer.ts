/** Pointer events of the Joint times tab made into gestures, with hover, wheel and double click. */

import { ahead } from "../../panels/surface_words";
import * as state from "../../store/state";
import { aheadAt } from "../../store/surface";
import { seconds } from "../axis";
import type { Gesture, Pull } from "../stage";
import { Pan, RangeDrag, Scrub } from "../time_drags";
import { jointScene, soloLimb } from "./joint_scene";
import type { JointStage } from "./joint_stage";
import { jointTargetAt, sameJointTarget, type JointTarget } from "./joint_targets";
import { selectSurface } from "./surface_edits";
import { SurfaceKeyDrag } from "./surface_key_drag";

const DRAG_STARTS = 3; // pixels: less is a click with an unsteady hand
const CURSORS: Partial<Record<JointTarget["kind"], string>> = {
  key: "grab", reach: "pointer", curve: "pointer", limb: "pointer", range: "ew-resize",
};

export class JointPointer {
  hovered: JointTarget | null = null;
  private gesture: Gesture | null = null;
  private click: (() => void) | null = null;
  private pull: Pull = { x: 0, y: 0, dx: 0, dy: 0, alt: false, ctrl: false };
  private last = { x: 0, y: 0 };
  private moved = false;
  private frame = 0;

  constructor(private readonly stage: JointStage, signal: AbortSignal, private readonly onPress: () => void) {
    const { canvas } = stage;
    canvas.addEventListener("pointerdown", (event) => this.press(event), { signal });
    canvas.addEventListener("pointermove", (event) => this.follow(event), { signal });
    canvas.addEventListener("pointerup", () => this.release(), { signal });
    canvas.addEventListener("pointercancel", () => this.cancel(), { signal });
    canvas.addEventListener("pointerleave", () => !this.gesture && this.hover(null, 0, 0), { signal });
    canvas.addEventListener("dblclick", (event) => this.double(event), { signal });
    canvas.addEventListener("wheel", (event) => this.wheel(event), { signal, passive: false });
  }

  get dragging(): boolean {
    return this.gesture !== null;
  }

  cancel(): boolean {
    const gesture = this.gesture;
    if (!gesture) return false;
    this.end();
    gesture.cancel();
    return true;
  }

  private press(event: PointerEvent): void {
    if (this.gesture || event.button > 1) return;
    this.stage.canvas.focus({ preventScroll: true });
    this.onPress();
    this.stage.card.hide();
    const { x, y } = this.place(event);
    const target = jointTargetAt(this.stage.plot(), x, y);
    this.hover(null, x, y);
    const gesture = event.button === 1 ? new Pan(this.stage) : this.gestureFor(target);
    if (!gesture) return;
    event.preventDefault();
    this.stage.canvas.setPointerCapture(event.pointerId);
    this.gesture = gesture;
    this.click = clickOn(target);
    this.moved = false;
    this.last = { x: event.clientX, y: event.clientY };
    this.pull = { x, y, dx: 0, dy: 0, alt: event.altKey, ctrl: event.ctrlKey || event.metaKey };
    if (gesture.holdsView) this.stage.view.hold(this.stage.plot());
    this.stage.canvas.style.cursor = gesture.cursor;
    // The playhead comes at once, but not to what a click would choose.
    if (gesture instanceof Scrub && !this.click) gesture.move(this.pull);
  }

  private gestureFor(target: JointTarget | null): Gesture | null {
    switch (target?.kind) {
      case "key": return new SurfaceKeyDrag(this.stage, target.index);
      case "range": return new RangeDrag(this.stage, target.edge);
      case undefined: return null;
      default: return new Scrub(this.stage);
    }
  }

  /** Shift makes the pull ten times finer from here on, so it is summed up and not measured from the start. */
  private follow(event: PointerEvent): void {
    const { x, y } = this.place(event);
    if (!this.gesture) return this.hover(jointTargetAt(this.stage.plot(), x, y), x, y);
    const share = event.shiftKey ? 0.1 : 1;
    this.pull = {
      x, y, dx: this.pull.dx + share * (event.clientX - this.last.x),
      dy: this.pull.dy + share * (event.clientY - this.last.y), alt: event.altKey, ctrl: event.ctrlKey || event.metaKey,
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
    const { moved, click } = this;
    this.end();
    gesture.finish(moved);
    if (!moved) click?.();
  }

  private end(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.gesture = null;
    this.stage.canvas.style.cursor = "";
    this.stage.view.release();
    this.stage.redraw();
  }

  private hover(target: JointTarget | null, x: number, y: number): void {
    if (target?.kind === "curve") this.readOut(target.joint, x, y);
    if (sameJointTarget(target, this.hovered)) return;
    this.hovered = target;
    this.stage.canvas.style.cursor = (target && CURSORS[target.kind]) ?? "";
    if (target?.kind !== "curve") this.stage.chip.hide();
    state.hoveredJoint.value = target?.kind === "curve" ? target.joint : null;
    this.stage.redraw();
  }

  /** What a joint shows at the time under the pointer. */
  private readOut(joint: number, x: number, y: number): void {
    const { joints, time, source, theme } = this.stage.plot();
    const column = joints.curves?.columns[joint];
    if (!joints.curves || !column) return;
    const t = time.value(Math.max(x, theme.gutter));
    const by = aheadAt(joints.curves.clip, column, t);
    const { toSource, fromResult } = state.stepTimes.value;
    const shows = toSource(fromResult(t) + by);
    this.stage.chip.show(
      [joints.titles[joint] ?? "", "shows", seconds(shows), ahead(by)], { x, y: Math.min(source.at(by), y) }, [],
    );
  }

  private double(event: MouseEvent): void {
    const { x, y } = this.place(event);
    if (jointTargetAt(this.stage.plot(), x, y)?.kind !== "ruler") return;
    this.stage.view.all();
    this.stage.redraw();
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

/** What a press that does not move does, where it is not the playhead's. */
function clickOn(target: JointTarget | null): (() => void) | null {
  if (target?.kind === "reach") return () => selectSurface(target.index);
  const limb = target?.kind === "limb" ? target.limb : null;
  if (limb) return () => (soloLimb.value = soloLimb.value === limb ? null : limb);
  if (target?.kind !== "curve") return null;
  return () => solo(target.joint);
}

/** Show a joint's limb alone; the joint is the one that T drags next. */
function solo(joint: number): void {
  const limb = jointScene.value.limbs[joint] ?? "trunk";
  soloLimb.value = soloLimb.value === limb ? null : limb;
  state.selectedJoint.value = joint;
}
