/** Which part of time is on screen. */

import { Axis } from "./axis";
import type { Row } from "../warp/rows";
import type { Scene } from "./scene";

const LEFT_PAD = 34; // room for the labels of the source axis
const CURVE_PAD = 11;
const FEWEST_FRAMES = 6;

export interface Axes {
  time: Axis;
  source: Axis;
}

export class View {
  /** The part shown, or the whole where there is none. */
  private part: [number, number] | null = null;
  private held: Pick<Axes, "time" | "source"> | null = null;

  axes(scene: Scene, gutter: number, width: number, warp: Row): Axes {
    const [from, to] = this.held ? [this.held.time.low, this.held.time.high] : (this.part ?? scene.output);
    const rightPad = Math.min(Math.max(0.05 * width, 36), 57);
    const time = new Axis(from, to, gutter + LEFT_PAD, Math.max(width - rightPad, gutter + LEFT_PAD + 1));
    const [low, high] = this.held ? [this.held.source.low, this.held.source.high] : this.sourceSpan(scene);
    return { time, source: new Axis(low, high, warp.top + warp.height - CURVE_PAD, warp.top + CURVE_PAD) };
  }

  /** The whole source, or as much of it as the part on screen shows: a long curve zoomed into is no flat line. */
  private sourceSpan({ result, span }: Scene): [number, number] {
    if (!this.part || !result) return span;
    const [a, b] = [result.sourceAt(this.part[0]), result.sourceAt(this.part[1])];
    const margin = 0.04 * Math.max(Math.abs(b - a), 1e-3);
    return [Math.min(a, b) - margin, Math.max(a, b) + margin];
  }

  all(): void {
    this.part = null;
  }

  /** Show more or less of time, with one moment staying where it is. */
  zoom(around: number, factor: number, { output, fps }: Scene): void {
    const [from, to] = this.part ?? output;
    const least = FEWEST_FRAMES / fps;
    const width = Math.max((to - from) * factor, least);
    if (width >= output[1] - output[0]) return this.all();
    const share = (around - from) / (to - from);
    this.show(around - share * width, width, output);
  }

  pan(seconds: number, { output }: Scene): void {
    if (this.part) this.show(this.part[0] + seconds, this.part[1] - this.part[0], output);
  }

  /** Turn the page when what is played leaves it; true if it did. */
  follow(t: number, { output }: Scene): boolean {
    if (!this.part || (t >= this.part[0] && t <= this.part[1])) return false;
    const before = this.part[0];
    this.show(t, this.part[1] - this.part[0], output);
    return this.part[0] !== before;
  }

  /** Axes stay as they are while something is dragged along them. */
  hold(axes: Axes): void {
    this.held = axes;
  }
  release(): void {
    this.held = null;
  }

  private show(from: number, width: number, [first, last]: [number, number]): void {
    const start = Math.min(Math.max(from, first), Math.max(last - width, first));
    this.part = [start, start + width];
  }
}
