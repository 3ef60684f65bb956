/** Dragging a keytime: output and source follow the pointer as far as there is room. */

import * as actions from "../../store/actions";
import * as state from "../../store/state";
import { begin, type Transaction } from "../../store/transaction";
import { seconds } from "../plot/axis";
import { addKey, announceKey, movedKey, rounded, selectKey, settleKey, type Settled } from "./key_edits";
import { showReadout } from "./hover_name";
import { placeOf } from "./key_marks";
import type { Plot } from "../plot/plot";
import type { Room } from "./room";
import { roomOf, scene } from "../plot/scene";
import { snapPull, snapToMoments } from "../plot/snapping";
import type { Gesture, Pull, GestureHost } from "../plot/gesture_host";

/** A hand that means to go across does not change what is shown. */
const STICKY = 4;

export class KeyDrag implements Gesture {
  readonly cursor = "grabbing";
  readonly holdsView = true;
  private readonly from: state.Key;
  private readonly room: Room | null;
  private readonly timeBefore = state.time.value;
  private readonly drag: Transaction;
  private settled: Settled | null = null;
  private wish: state.Key;

  constructor(private readonly host: GestureHost, private readonly index: number) {
    const now = scene.value;
    this.from = now.keys[index]!;
    this.wish = this.from;
    this.room = now.editable ? roomOf(now, index) : null;
    this.drag = begin(now.step?.id ?? "");
    state.selectedKey.value = index;
  }

  move(pull: Pull): void {
    const plot = this.host.plot();
    if (!this.room || !plot.scene.step || !plot.scene.editable) return; // the server may have gone meanwhile
    this.wish = this.wishOf(plot, pull);
    const snap = (t: number): number => snapPull(plot, t, pull.alt);
    const scale: state.Key = [plot.time.scale, plot.source.scale];
    this.settled = settleKey(plot.scene, this.room, this.index, this.wish, scale, snap);
    const { key, refusal } = this.settled;
    this.drag.update({ parameters: movedKey(plot.scene, this.index, this.keyNow(), rounded(key)) });
    actions.seek(plot.scene.times.toResult(key[0]));
    this.host.showWish(refusal ? placeOf(plot, this.wish) : null, refusal?.bound ?? null);
    if (refusal) this.host.refuse(refusal, this.index, this.wish);
    else this.host.card.hide();
    showReadout(this.host, this.index);
  }

  finish(moved: boolean): void {
    this.host.showWish(null, null);
    this.host.chip.hide();
    if (!moved || !this.settled) return selectKey(this.index);
    this.drag.commit();
    announceKey(scene.value, this.index, this.settled.refusal);
  }

  cancel(): void {
    this.drag.discard();
    actions.seek(this.timeBefore);
    this.host.showWish(null, null);
    this.host.chip.hide();
    this.host.card.hide();
    state.announcement.value = `Keytime ${this.index + 1} is back at ${seconds(this.from[0])}.`;
  }

  private wishOf(plot: Plot, { dx, dy, alt, ctrl }: Pull): state.Key {
    const start = placeOf(plot, this.from);
    const { times } = plot.scene;
    const output = times.fromResult(plot.time.value(start.x + dx));
    const up = Math.sign(dy) * Math.max(Math.abs(dy) - STICKY, 0);
    const source = up ? times.fromSource(plot.source.value(start.y + up)) : this.from[1];
    const touches = ctrl ? (plot.scene.source?.contacts ?? []).flatMap((bar) => [bar.start, bar.end]) : [];
    const moments = touches.map(times.fromSource);
    return [snapPull(plot, output, alt), snapToMoments(source, moments, plot.source.scale)];
  }

  private keyNow(): state.Key {
    return state.keys.value[this.index] ?? this.from;
  }
}

/** A suggestion becomes a keytime when it is clicked, not when something is dragged from it. */
export class TakeSuggestion implements Gesture {
  readonly cursor = "pointer";
  readonly holdsView = true;
  constructor(private readonly key: state.Key) {}
  move(): void {}
  finish(moved: boolean): void {
    if (!moved) addKey(state.stepTimes.value.toResult(this.key[0]), this.key[1]);
  }
  cancel(): void {}
}
