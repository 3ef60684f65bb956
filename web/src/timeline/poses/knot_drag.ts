/** Dragging marks of rows: selected knots go together, as far as all of them have room. */

import { EditsDrag, sayLater, type PosesView } from "../../store/poses";
import * as state from "../../store/state";
import type { Gesture, Pull } from "../plot/gesture_host";
import { sayBy, snapResult } from "./pose_drag";
import { markX, shownRows, stepX, type PoseHost } from "./pose_plot";
import { markTime, type PoseRow } from "./pose_rows";
import { inHand, knotOf, selection } from "./pose_scene";
import { commonRoom, refine, type Refining } from "./refining";

type Knot = [k: number, channel: number];

/** Where the mark that was taken hold of is. */
export interface Held {
  pose: number;
  row: PoseRow;
}

export class KnotDrag implements Gesture {
  readonly cursor = "grabbing";
  readonly holdsView = true;
  private readonly before: PosesView;
  readonly edits: EditsDrag;
  private readonly knots: Knot[];
  private readonly from: number;
  private made: Refining | null = null;
  private refusal: string | null = null;

  constructor(private readonly host: PoseHost, private readonly held: Held, private readonly click: () => void) {
    this.before = host.posePlot().poses.view!;
    this.edits = new EditsDrag(this.before.step);
    this.knots = [...selection.value].map((id) => knotOf(this.before, id)).filter(([k, c]) => this.before.has(k, c));
    this.from = markTime(this.before, held.row, held.pose)!;
  }

  move(pull: Pull): void {
    const plot = this.host.posePlot();
    if (!plot.scene.editable) return;
    const start = stepX(plot, this.from);
    const wish = plot.scene.times.fromResult(snapResult(plot, plot.time.value(start + pull.dx), pull)) - this.from;
    const by = this.moveBy(wish);
    const y = shownRows(plot).find(({ row }) => row.key === this.held.row.key)?.y ?? plot.bands.rows.top;
    const at = { x: markX(this.host.posePlot(), this.held.row, this.held.pose) ?? start, y };
    this.host.showPoseWish(this.refusal ? { from: at, x: stepX(plot, this.from + wish) } : null);
    if (this.refusal) this.host.say(this.refusal, at.x);
    else this.host.card.hide();
    this.host.chip.show(this.words(by), at, []);
  }

  /** Move all by so many seconds, or as far as they can; how far they went. */
  moveBy(wish: number): number {
    const free = this.knots.filter(([k]) => this.before.isFree(k));
    if (!free.length) {
      this.refusal = this.before.whyNot(this.held.pose);
      return 0;
    }
    const [low, high] = commonRoom(this.before, free);
    const by = Math.min(Math.max(wish, low), high);
    this.refusal = Math.abs(by - wish) < 1e-3 ? null : this.sayStop(free, by, wish);
    const wanted = free.map(([k, c]) => [k, c, this.before.refinement(k, c) + by] as const);
    this.made = refine(this.before, wanted, by > 0);
    inHand.value = this.made.view;
    this.edits.update(...this.made.documents);
    return by;
  }

  finish(moved: boolean): void {
    this.host.showPoseWish(null);
    this.host.chip.hide();
    if (!moved) return this.click();
    if (this.made?.documents.length) this.edits.commit();
    else this.edits.discard();
    state.announcement.value = this.said();
  }

  cancel(): void {
    inHand.value = null;
    this.edits.discard();
    this.host.showPoseWish(null);
    this.host.chip.hide();
    this.host.card.hide();
    state.announcement.value = "The parts are back where they were.";
  }

  said(): string {
    if (!this.made) return this.refusal ?? "";
    const { row, pose } = this.held;
    const r = (markTime(this.made.view, row, pose) ?? 0) - this.made.view.times[pose]!;
    const others = this.knots.length - row.channels.length;
    const more = others > 0 ? `, with ${others} more` : "";
    return `${row.label} at pose ${pose + 1}: ${sayLater(r)}${more}.${this.refusal ? ` ${this.refusal}` : ""}`;
  }

  private words(by: number): string[] {
    const { row, pose } = this.held;
    const view = this.made?.view ?? this.before;
    const r = (markTime(view, row, pose) ?? 0) - view.times[pose]!;
    return [row.label, sayLater(r), `${this.knots.length > 1 ? `${this.knots.length} parts, ` : ""}${sayBy(by)}`];
  }

  private sayStop(free: Knot[], by: number, wish: number): string {
    const last = free.find(([k, c]) => {
      const [low, high] = this.before.refinementRoom(k, c);
      const r = this.before.refinement(k, c);
      return Math.abs((wish > by ? high : low) - r - by) < 1e-3;
    });
    const [k, c] = last ?? free[0]!;
    const where = Math.abs(by) < 5e-4 ? "here" : sayBy(by);
    return `Stops ${where}: ${this.before.channels[c]} would pass its own mark at pose ${wish > by ? k + 2 : k}.`;
  }
}

/** Scaling selected refinements: the pointer goes left for less stagger, right for more. */
export class ScaleDrag implements Gesture {
  readonly cursor = "ew-resize";
  readonly holdsView = true;
  private readonly before: PosesView;
  private readonly edits: EditsDrag;
  private made: Refining | null = null;
  private share = 1;

  constructor(private readonly host: PoseHost, private readonly knots: Knot[]) {
    this.before = host.posePlot().poses.view!;
    this.edits = new EditsDrag(this.before.step);
  }

  move({ x, y, dx }: Pull): void {
    this.share = Math.max(0, 1 + dx / 120);
    const wanted = this.knots.map(([k, c]) => [k, c, this.before.refinement(k, c) * this.share] as const);
    this.made = refine(this.before, wanted, false);
    inHand.value = this.made.view;
    this.edits.update(...this.made.documents);
    const { stopped } = this.made;
    const note = stopped ? `${stopped} stopped at a neighbour` : "click keeps it";
    this.host.chip.show([`${Math.round(100 * this.share)} %`, note], { x, y }, []);
  }

  finish(): void {
    this.host.chip.hide();
    if (this.made?.documents.length) this.edits.commit();
    else this.edits.discard();
    state.announcement.value = `Refinements scaled to ${Math.round(100 * this.share)} %.`;
  }

  cancel(): void {
    inHand.value = null;
    this.edits.discard();
    this.host.chip.hide();
    state.announcement.value = "Refinements are as they were.";
  }
}
