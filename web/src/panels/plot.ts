/** Small canvases: sharp on every screen, drawn anew when what they show changes; and drags on them. */

import { signal } from "@preact/signals-core";
import { onEnd, watch } from "./dom";

export function plot(
  canvas: HTMLCanvasElement,
  draw: (pen: CanvasRenderingContext2D, width: number, height: number) => void,
): void {
  const size = signal(0); // counts up at each change of size
  const observer = new ResizeObserver(() => size.value++);
  observer.observe(canvas);
  onEnd(() => observer.disconnect());
  watch(() => {
    void size.value;
    const [width, height, scale] = [canvas.clientWidth, canvas.clientHeight, devicePixelRatio];
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    const pen = canvas.getContext("2d");
    if (!pen || !width) return;
    pen.scale(scale, scale);
    draw(pen, width, height);
  });
}

export interface PointDrag {
  preview(x: number, y: number): void;
  commit(x: number, y: number): void;
  discard(): void;
}

/** Drag a point on an element, in its own pixels; Esc restores. */
export function drag(host: HTMLElement, { preview, commit, discard }: PointDrag): void {
  host.onpointerdown = (press) => {
    if (press.button !== 0) return;
    host.setPointerCapture(press.pointerId);
    const place = (event: PointerEvent): [number, number] => {
      const box = host.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    const move = (event: PointerEvent): void => preview(...place(event));
    const release = (event: PointerEvent): void => {
      end();
      commit(...place(event));
    };
    const giveUp = (): void => {
      end();
      discard();
    };
    const escape = (event: KeyboardEvent): void => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      giveUp();
    };
    const end = (): void => {
      host.removeEventListener("pointermove", move);
      host.removeEventListener("pointerup", release);
      host.removeEventListener("pointercancel", giveUp);
      window.removeEventListener("keydown", escape, true);
    };
    host.addEventListener("pointermove", move);
    host.addEventListener("pointerup", release);
    host.addEventListener("pointercancel", giveUp);
    window.addEventListener("keydown", escape, true);
    move(press);
  };
}
