/** Small pictures of the retimed body along the output, made when there is nothing else to do. */

import type { RetimedClip } from "../../store/clip";
import { timeText } from "../../words/units";
import { labelRow, within, type Plot } from "../plot/plot";

export type MakeThumbnail = (
  t: number, width: number, height: number, of?: RetimedClip,
) => HTMLCanvasElement | null;

interface Tile {
  t: number;
  x: number;
  width: number;
}
export interface StripOf {
  row: "film" | "film2";
  clip(plot: Plot): RetimedClip | null;
  name(): string;
}
interface Kept {
  image: HTMLCanvasElement;
  /** The result it was made of; a picture of an older one stays until it is replaced. */
  of: RetimedClip;
}

const PITCH = 66;
const GAP = 4;
const A_TURN = 2; // pictures per idle turn
const MOST_KEPT = 400;

export class FilmStrip {
  private readonly kept = new Map<number, Kept>();
  private idle = 0;
  private missing: { t: number; result: RetimedClip }[] = [];
  private size = { width: 0, height: 0 };

  constructor(
    private readonly make: MakeThumbnail,
    private readonly quiet: () => boolean,
    private readonly redraw: () => void,
    /** Where it lies, and whose pictures it shows. */
    private readonly of: StripOf = { row: "film", clip: ({ scene }) => scene.result, name: () => "Retimed" },
  ) {}

  draw(plot: Plot): void {
    const row = plot.rows[this.of.row];
    const result = this.of.clip(plot);
    this.missing = [];
    if (!row) return;
    if (!result) return labelRow(plot, row, this.of.name());
    const all = tiles(plot, result.end);
    const every = all.length > 1 ? all[1]!.t - all[0]!.t : 0;
    labelRow(plot, row, this.of.name(), every ? `every ${timeText(every)}` : "");
    const height = row.height - 9;
    const { context, theme } = plot;
    const ratio = window.devicePixelRatio || 1;
    this.size = { width: Math.round((PITCH - GAP) * ratio), height: Math.round(height * ratio) };
    within(plot, row, () => {
      for (const { t, x, width } of all) {
        context.beginPath();
        context.roundRect(x, row.top + 4, width, height, 4);
        context.fillStyle = theme.card;
        context.fill();
        const kept = this.kept.get(frameOf(result, t));
        if (kept) context.drawImage(kept.image, x + (width - PITCH + GAP) / 2, row.top + 4, PITCH - GAP, height);
        if (kept?.of !== result) this.missing.push({ t, result });
      }
    });
    this.wake();
  }

  /** Ring the picture that the playhead is in. */
  drawCurrent(plot: Plot, now: number): void {
    const row = plot.rows[this.of.row];
    const clip = this.of.clip(plot);
    if (!row || !clip) return;
    const x = plot.time.at(now);
    const tile = tiles(plot, clip.end).find((tile) => x >= tile.x - GAP / 2 && x < tile.x + tile.width + GAP / 2);
    if (!tile || tile.x < plot.theme.gutter) return;
    plot.context.beginPath();
    plot.context.roundRect(tile.x + 0.5, row.top + 4.5, tile.width - 1, row.height - 10, 4);
    plot.context.lineWidth = 1.25;
    plot.context.strokeStyle = plot.theme.retimed;
    plot.context.stroke();
  }

  forget(): void {
    this.kept.clear();
  }
  dispose(): void {
    cancelIdle(this.idle);
  }

  private wake(): void {
    if (this.idle || !this.missing.length || !this.quiet()) return;
    this.idle = whenIdle(() => {
      this.idle = 0;
      if (this.quiet() && this.fill()) this.redraw();
    });
  }

  /** Make the next pictures; false where none can be made now. */
  private fill(): boolean {
    let made = false;
    for (const { t, result } of this.missing.splice(0, A_TURN)) {
      const image = this.make(t, this.size.width, this.size.height, this.of.row === "film" ? undefined : result);
      if (!image) break;
      if (this.kept.size >= MOST_KEPT) this.kept.clear();
      this.kept.set(frameOf(result, t), { image: copyOf(image), of: result });
      made = true;
    }
    return made;
  }
}

const frameOf = (result: RetimedClip, t: number): number => Math.round(t * result.fps);

/** As many whole tiles as fit the clip at this zoom; only those on screen, and none after `end`. */
export function tiles({ scene, time, theme, width }: Pick<Plot, "scene" | "time" | "theme" | "width">, end: number): Tile[] {
  const [from, to] = scene.output;
  const count = Math.max(Math.round(((to - from) * time.scale) / PITCH), 1);
  const every = (to - from) / count;
  const first = Math.max(Math.floor((time.value(theme.gutter) - from) / every), 0);
  const last = Math.min(Math.ceil((time.value(width) - from) / every), count);
  const found: Tile[] = [];
  for (let k = first; k < last; k++)
    found.push({
      t: from + (k + 0.5) * every, x: time.at(from + k * every) + GAP / 2, width: every * time.scale - GAP,
    });
  return found.filter(({ t }) => t <= end + every / 2);
}

/** The canvas that was handed over may be drawn on again. */
function copyOf(image: HTMLCanvasElement): HTMLCanvasElement {
  const copy = document.createElement("canvas");
  copy.width = image.width;
  copy.height = image.height;
  copy.getContext("2d")?.drawImage(image, 0, 0);
  return copy;
}

// Safari has no idle callback: a short wait does there.
const whenIdle = (run: () => void): number =>
  "requestIdleCallback" in window ? window.requestIdleCallback(run) : Number(setTimeout(run, 50));
const cancelIdle = (handle: number): void =>
  "cancelIdleCallback" in window ? window.cancelIdleCallback(handle) : clearTimeout(handle);
