/** Dragging a surface key along time: the moment whose pose it holds, not how far it is moved. */

import * as actions from "../../store/actions";
import * as state from "../../store/state";
import { farthestOf } from "../../store/surface";
import { seconds } from "../plot/axis";
import { snapPull } from "../plot/snapping";
import type { Gesture, Pull } from "../plot/gesture_host";
import { jointScene, type KeyMark } from "./joint_scene";
import type { JointHost } from "./joint_host";
import { announceSurface, KeyMover, selectSurface, type MovedKey } from "./surface_edits";
import { middleOf } from "./surface_row";

export class SurfaceKeyDrag implements Gesture {
  readonly cursor = "grabbing";
  readonly holdsView = true;
  private readonly mark: KeyMark;
  private readonly mover: KeyMover;
  private readonly timeBefore = state.time.value;
  private moved: MovedKey | null = null;

  constructor(private readonly host: JointHost, private readonly index: number) {
    this.mark = jointScene.value.marks[index]!;
    this.mover = new KeyMover(this.mark);
    state.selectedSurface.value = index;
  }

  move({ dx, alt }: Pull): void {
    const plot = this.host.plot();
    if (!plot.scene.editable) return;
    const { toResult, fromResult, toSource } = state.stepTimes.value;
    const arrival = snapPull(plot, this.mark.arrival + dx / plot.time.scale, alt);
    const wish = fromResult(arrival) - farthestOf(this.mark.key);
    this.moved = this.mover.move(wish);
    const { time, refusal, lift } = this.moved;
    this.host.showDrag({
      index: this.index, room: this.mover.room.map(toResult) as [number, number], wish: refusal ? arrival : null,
    });
    const now = toResult(time + farthestOf(this.mark.key));
    const at = { x: plot.time.at(now), y: middleOf(plot) };
    this.host.chip.show([seconds(now), "shows", seconds(toSource(time))], at, []);
    if (refusal) this.host.card.show(refusal, at.x, lift);
    else this.host.card.hide();
  }

  finish(moved: boolean): void {
    this.host.showDrag(null);
    this.host.chip.hide();
    if (!moved || !this.moved) return selectSurface(this.index);
    this.mover.drag.commit();
    announceSurface(this.index, this.moved.refusal);
  }

  cancel(): void {
    this.mover.drag.discard();
    actions.seek(this.timeBefore);
    this.host.showDrag(null);
    this.host.chip.hide();
    this.host.card.hide();
    state.announcement.value = `Surface key ${this.index + 1} is back at ${seconds(this.mark.arrival)}.`;
  }
}
