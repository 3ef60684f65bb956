/** Gestures that change nothing of the document: the played range, the playhead, the view. */

import * as actions from "../../store/actions";
import * as state from "../../store/state";
import { seconds, times } from "./axis";
import { snapPull } from "./snapping";
import type { Gesture, Pull, GestureHost } from "./gesture_host";

/** Pixels up that double the speed that a search is pushed to. */
const PUSH = 60;

export class RangeDrag implements Gesture {
  readonly cursor = "ew-resize";
  readonly holdsView = true;
  private readonly before = state.playRange.value;
  constructor(private readonly host: GestureHost, private readonly edge: 0 | 1) {}

  move(pull: Pull): void {
    if (!this.before) return;
    const plot = this.host.plot();
    const { output, fps } = plot.scene;
    const t = snapPull(plot, this.before[this.edge] + pull.dx / plot.time.scale, pull.alt);
    const [from, to] = this.before;
    state.playRange.value = this.edge
      ? [from, Math.max(Math.min(t, output[1]), from + 1 / fps)]
      : [Math.min(Math.max(t, output[0]), to - 1 / fps), to];
    const [a, b] = state.playRange.value;
    this.host.chip.show([seconds(a), "to", seconds(b)], { x: plot.time.at(this.edge ? b : a), y: 16 }, []);
  }
  finish(): void {
    this.host.chip.hide();
  }
  cancel(): void {
    this.host.chip.hide();
    state.playRange.value = this.before;
  }
}

export class Scrub implements Gesture {
  readonly cursor = "";
  readonly holdsView = true;
  readonly atOnce: boolean = true; // the playhead comes with the press
  private readonly before = state.time.value;
  constructor(private readonly host: GestureHost) {
    state.playing.value = false;
  }
  move(pull: Pull): void {
    const plot = this.host.plot();
    actions.seek(snapPull(plot, plot.time.value(pull.x), pull.alt));
  }
  finish(_moved?: boolean): void {}
  cancel(): void {
    actions.seek(this.before);
  }
}

/** A press that does not move chooses something; only a drag takes the playhead along. */
export class ClickOrScrub extends Scrub {
  override readonly atOnce = false;
  constructor(host: GestureHost, private readonly click: () => void) {
    super(host);
  }
  override finish(moved?: boolean): void {
    if (!moved) this.click();
  }
}

/** While the search is watched, a drag up or down pushes it: faster or slower where the pointer is. */
export class PushSearch implements Gesture {
  readonly cursor = "ns-resize";
  readonly holdsView = true;
  constructor(private readonly host: GestureHost) {}
  move({ x, dy }: Pull): void {
    const { time, scene } = this.host.plot();
    const rate = Math.min(Math.max(2 ** (-dy / PUSH), 0.25), 4);
    actions.push(scene.times.fromSource(scene.result?.sourceAt(time.value(x)) ?? 0), rate);
    this.host.chip.show(["pushed to", times(rate, 2)], { x, y: this.host.plot().rows.warp.top }, []);
  }
  finish(): void {
    this.host.chip.hide();
  }
  cancel(): void {
    this.host.chip.hide();
  }
}

export class Pan implements Gesture {
  readonly cursor = "grabbing";
  readonly holdsView = false;
  private done = 0;
  constructor(private readonly host: Pick<GestureHost, "view" | "plot" | "redraw">) {}
  move({ dx }: Pull): void {
    const { time, scene: now } = this.host.plot();
    this.host.view.pan((this.done - dx) / time.scale, now);
    this.done = dx;
    this.host.redraw();
  }
  finish(): void {}
  cancel(): void {}
}
