/** Small canvases: sharp on every screen, drawn again when a signal that they show changes. */

import { useSignal, useSignalEffect } from "@preact/signals";
import type { CanvasHTMLAttributes } from "preact";
import { useEffect, useRef } from "preact/hooks";
import * as state from "../store/state";

export type Pen = CanvasRenderingContext2D;

interface PlotProps extends Omit<CanvasHTMLAttributes<HTMLCanvasElement>, "label"> {
  label: string;
  /** Draws from signals: reading one makes it draw again when that changes. */
  draw(pen: Pen, width: number, height: number): void;
}

export function Plot({ label, draw, ...rest }: PlotProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const resized = useSignal(0);
  useEffect(() => {
    const observer = new ResizeObserver(() => resized.value++);
    observer.observe(canvas.current!);
    return () => observer.disconnect();
  }, [resized]);
  useSignalEffect(() => {
    void resized.value;
    const host = canvas.current!;
    const [width, height, scale] = [host.clientWidth, host.clientHeight, devicePixelRatio];
    host.width = Math.round(width * scale);
    host.height = Math.round(height * scale);
    const pen = host.getContext("2d");
    if (!pen || !width) return;
    pen.scale(scale, scale);
    draw(pen, width, height);
  });
  return <canvas ref={canvas} role="img" aria-label={label} {...rest} />;
}

/** A token's value now; reading it subscribes to the theme. */
export function token(name: `--${string}`): string {
  void state.theme.value;
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** The font of ticks, as a canvas takes it. */
export const tickFont = (): string => token("--type-tick").replace(/var\(--font-ui\)/, token("--font-ui"));

export function disc(pen: Pen, x: number, y: number, radius: number): void {
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
  pen.fill();
}

export function line(pen: Pen, x0: number, y0: number, x1: number, y1: number): void {
  pen.beginPath();
  pen.moveTo(x0, y0);
  pen.lineTo(x1, y1);
  pen.stroke();
}
