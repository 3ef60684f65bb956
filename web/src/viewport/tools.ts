/** Tools in the 3D view: things that a hand takes hold of, before it turns the camera. */

import { Raycaster, Vector2, type Object3D, type PerspectiveCamera } from "three";
import type { RetimedClip, SourceClip } from "../store/clip";
import type { Palette } from "./palette";

/** What a tool needs to place itself; times are the result's. */
export interface ToolView {
  source: SourceClip;
  result: RetimedClip | null;
  t: number;
  palette: Palette;
  camera: PerspectiveCamera;
  /** Metres of one pixel at what the camera looks at. */
  pixel: number;
  /** Where the picture is on the page; asking the page in the middle of a frame makes it lay all out. */
  box: DOMRect;
}

export interface ToolPointer {
  ray: Raycaster;
  /** Client coordinates. */
  x: number;
  y: number;
  shift: boolean;
  ctrl: boolean;
  alt: boolean;
}

/** A drag from press to release. */
export interface Grip {
  move(pointer: ToolPointer): void;
  drop(moved: boolean): void;
  /** Put all back: Esc, or the pointer was lost. */
  cancel(): void;
}

export interface Tool {
  readonly object: Object3D;
  /** Follow the state: called before each drawing; null while there is no motion. */
  update(view: ToolView | null): void;
  /** The cursor over what could be taken hold of, or null. */
  hover(pointer: ToolPointer): string | null;
  grab(pointer: ToolPointer): Grip | null;
  /** A press and release in one place that no tool took hold of. */
  click?(pointer: ToolPointer): void;
  /** Places that belong into a picture of all that is shown, three numbers each. */
  extent?(): ArrayLike<number>;
  dispose(): void;
}

/** A press that travels no farther is a click, pixels. */
const UNSTEADY = 4;

/** Gives the pointer to the tools first; what none of them takes turns the camera. */
export class ToolBench {
  private grip: Grip | null = null;
  /** Where the pointer was pressed, while no tool has taken hold of anything. */
  private pressed: { x: number; y: number } | null = null;
  private moved = false;
  private readonly ray = new Raycaster();
  private readonly place = new Vector2();

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly tools: readonly Tool[],
    private readonly camera: PerspectiveCamera,
    private readonly invalidate: () => void,
  ) {
    // Captured, so that they come before the camera's own listeners.
    canvas.addEventListener("pointerdown", this.press, { capture: true });
    canvas.addEventListener("pointermove", this.move, { capture: true });
    canvas.addEventListener("pointerup", this.release, { capture: true });
    canvas.addEventListener("pointercancel", this.cancel, { capture: true });
    window.addEventListener("keydown", this.key, { capture: true });
  }

  get objects(): Object3D[] {
    return this.tools.map((tool) => tool.object);
  }

  /** Places of all tools that are to be in the picture. */
  extent(): number[] {
    return this.tools.flatMap((tool) => Array.from(tool.extent?.() ?? []));
  }

  update(view: ToolView | null): void {
    for (const tool of this.tools) tool.update(view);
  }

  dispose(): void {
    this.canvas.removeEventListener("pointerdown", this.press, { capture: true });
    this.canvas.removeEventListener("pointermove", this.move, { capture: true });
    this.canvas.removeEventListener("pointerup", this.release, { capture: true });
    this.canvas.removeEventListener("pointercancel", this.cancel, { capture: true });
    window.removeEventListener("keydown", this.key, { capture: true });
    for (const tool of this.tools) tool.dispose();
  }

  private pointer(event: PointerEvent): ToolPointer {
    const box = this.canvas.getBoundingClientRect();
    this.place.set(((event.clientX - box.left) / box.width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2);
    this.ray.setFromCamera(this.place, this.camera);
    const { clientX: x, clientY: y, shiftKey: shift, ctrlKey: ctrl, altKey: alt } = event;
    return { ray: this.ray, x, y, shift, ctrl, alt };
  }

  private readonly press = (event: PointerEvent): void => {
    if (event.button !== 0 || this.grip) return;
    const pointer = this.pointer(event);
    this.pressed = null;
    for (const tool of this.tools) {
      this.grip = tool.grab(pointer);
      if (!this.grip) continue;
      this.moved = false;
      this.canvas.setPointerCapture(event.pointerId);
      event.stopImmediatePropagation();
      this.invalidate();
      return;
    }
    this.pressed = { x: event.clientX, y: event.clientY };
  };

  private readonly move = (event: PointerEvent): void => {
    const pointer = this.pointer(event);
    if (this.grip) {
      this.moved = true;
      this.grip.move(pointer);
      event.stopImmediatePropagation();
      this.invalidate();
    } else if (!event.buttons) {
      const cursors = this.tools.map((tool) => tool.hover(pointer));
      const cursor = cursors.find((found) => found !== null) ?? "";
      if (this.canvas.style.cursor !== cursor) {
        this.canvas.style.cursor = cursor;
        this.invalidate();
      }
    }
  };

  private readonly release = (event: PointerEvent): void => {
    if (!this.grip) return this.click(event);
    event.stopImmediatePropagation();
    this.canvas.releasePointerCapture(event.pointerId);
    const grip = this.grip;
    this.grip = null;
    grip.drop(this.moved);
    this.invalidate();
  };

  private click(event: PointerEvent): void {
    const from = this.pressed;
    this.pressed = null;
    if (!from || Math.hypot(event.clientX - from.x, event.clientY - from.y) > UNSTEADY) return;
    const pointer = this.pointer(event);
    for (const tool of this.tools) tool.click?.(pointer);
    this.invalidate();
  }

  private readonly cancel = (): void => {
    this.grip?.cancel();
    this.grip = null;
    this.invalidate();
  };

  private readonly key = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || !this.grip) return;
    event.stopImmediatePropagation();
    this.cancel();
  };
}
