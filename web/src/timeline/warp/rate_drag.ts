/** Dragging a tangent handle: how fast time runs at the selected key. */

import * as state from "../../store/state";
import { begin, type Transaction } from "../../store/transaction";
import { seconds } from "../plot/axis";
import { setRate } from "./key_edits";
import { placeOf, rateWords } from "./key_marks";
import type { Gesture, Pull, GestureHost } from "../plot/gesture_host";

const NEAR_ONE = 0.04; // speeds this close to 1× are drawn to it
const [LEAST, MOST] = [0.05, 64];

export class RateDrag implements Gesture {
  readonly cursor = "grabbing";
  readonly holdsView = true;
  private rate = 1;
  private said = "";
  private drag: Transaction | null = null;
  constructor(private readonly host: GestureHost, private readonly side: 0 | 1) {}

  move({ x, y, alt }: Pull): void {
    const plot = this.host.plot();
    const { selected, keys, step, limits, editable } = plot.scene;
    const key = selected === null ? null : keys[selected];
    if (!key || !step || !editable) return;
    const at = placeOf(plot, key);
    const across = Math.max((x - at.x) * (this.side ? 1 : -1), 4) / plot.time.scale;
    const up = ((y - at.y) * (this.side ? 1 : -1)) / plot.source.scale;
    const free = Math.min(Math.max(up / across, limits.slowest, LEAST), limits.fastest, MOST);
    this.rate = !alt && Math.abs(free - 1) < NEAR_ONE ? 1 : free;
    this.drag ??= begin(step.id);
    this.drag.update({ parameters: setRate(plot.scene, key, this.rate) });
    // The change that was sent is in the scene by now.
    this.said = rateWords(this.host.plot().scene, key);
    this.host.chip.show([seconds(key[1]), "runs at", this.said], at, []);
  }
  finish(moved: boolean): void {
    this.host.chip.hide();
    if (!moved) return;
    this.drag?.commit();
    state.announcement.value = `Playback speed ${this.said} at this keytime.`;
  }
  cancel(): void {
    this.host.chip.hide();
    this.drag?.discard();
  }
}
