/** Dragging the end: how long the step's result is. */

import type { StepEntry } from "../../protocol";
import * as actions from "../../store/actions";
import { accepts, askedOf, nearestTaken, shortestOf } from "../../store/solver";
import * as state from "../../store/state";
import { begin } from "../../store/transaction";
import { seconds, times } from "../plot/axis";
import { placeOf } from "./key_marks";
import { stopsAt, tooFast, tooSlow, type Refusal } from "./refusal";
import { endRange } from "./room";
import { scene } from "../plot/scene";
import { snapPull } from "../plot/snapping";
import type { Gesture, Pull, GestureHost } from "../plot/gesture_host";

/** The end nearest to a wish that the step's solver takes. */
function taken(step: StepEntry, start: number, from: number, wish: number): number {
  const ends = (end: number): boolean => {
    const asked = askedOf(step, { duration: actions.round(end - start) });
    return asked === null || accepts(asked);
  };
  return nearestTaken(from, wish, (share) => from + share * (wish - from), ends);
}

export class EndDrag implements Gesture {
  readonly cursor = "ew-resize";
  readonly holdsView = true;
  private readonly before = scene.value;
  private readonly drag = begin(this.before.step?.id ?? "");
  constructor(private readonly host: GestureHost) {}

  move(pull: Pull): void {
    const { ends, keys, limits, step, fps, form } = this.before;
    const plot = this.host.plot();
    if (!ends || !step || !plot.scene.editable) return;
    const [start, [output, source]] = ends;
    const { times: own } = this.before;
    const pulled = plot.time.value(plot.time.at(own.toResult(output)) + pull.dx);
    // Beyond the result's end no step's time is known: there it goes on as it does on the axis.
    const beyond = Math.max(pulled - this.before.output[1], 0);
    const wish = snapPull(plot, own.fromResult(pulled - beyond) + beyond, pull.alt);
    const last = keys.at(-1) ?? start;
    const [least, high] = endRange(last, source, limits, 1 / fps);
    const asked = askedOf(step);
    const body = asked && !asked.keys.length ? shortestOf(asked) : null;
    const low = Math.max(least, body ? start[0] + body.solved : least);
    const stop = taken(step, start[0], output, Math.min(Math.max(wish, low), high));
    this.drag.update({ parameters: { duration: actions.round(stop - start[0]) } });
    const place = placeOf(this.host.plot(), [stop, source]);
    const speed = (source - last[1]) / (stop - last[0]);
    this.host.chip.show([seconds(stop - start[0]), "long, ends at", times(speed, 2)], place, []);
    if (Math.abs(stop - wish) < 1e-6) return this.host.card.hide();
    const needed = wish > last[0] ? (source - last[1]) / (wish - last[0]) : Infinity;
    const refusal: Refusal =
      body && wish < start[0] + body.solved ? stopsAt(stop, `the body needs ${seconds(body.feasible)}`)
      : wish > high ? tooSlow(stop, limits.slowest, needed, form)
      : needed > limits.fastest ? tooFast(stop, limits, needed, form)
      : stopsAt(stop, `the keytime before is at ${seconds(last[0])}`);
    const { lift } = refusal;
    this.host.card.show(refusal, place.x, lift && (() => {
      actions.change(step.id, { parameters: { [lift.name]: lift.value, duration: actions.round(wish - start[0]) } });
    }));
  }
  finish(moved: boolean): void {
    this.host.chip.hide();
    if (!moved) return;
    const duration = state.step.value?.parameters?.["duration"];
    this.drag.commit();
    if (typeof duration === "number") state.announcement.value = `The result is ${seconds(duration)} long.`;
  }
  cancel(): void {
    this.drag.discard();
    this.host.chip.hide();
    this.host.card.hide();
  }
}
