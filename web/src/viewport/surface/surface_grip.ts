/** Dragging a joint of a sheet along time: its moment follows the hand, to whole frames. */

import * as actions from "../../store/actions";
import * as state from "../../store/state";
import {
  changeSurface, givenSpan, shiftOf, shiftRoom, surfaceChange, surfaceKeys, withChanges, withJoint, withShift,
  type SurfaceChanges, type SurfaceKey,
} from "../../store/surface";
import { begin } from "../../store/transaction";
import { dragged, shifted } from "../../words/surface_keys";
import type { SurfaceKeyView } from "../../protocol";
import { alongLine, onFrame, type Point } from "./surface_geometry";
import type { Grip, ToolPointer } from "../tools";

/** Less is a click with an unsteady hand, pixels. */
const DRAG_STARTS = 3;

export interface Held {
  /** Of the step's keys. */
  index: number;
  view: SurfaceKeyView;
  /** The joint that was taken hold of; null is the key's own drag, as it is. */
  joint: string | null;
  /** Where it is, and how far its moment was moved then. */
  place: Point;
  shift: number;
}

export class SurfaceGrip implements Grip {
  /** Which way the hand went: earlier is -1. */
  towards = 0;
  /** The drag ran out of room. */
  stopped = false;
  private readonly key: SurfaceKey;
  /** What makes the joint that was taken the dragged one. */
  private readonly taken: SurfaceChanges;
  private readonly drag = begin(state.step.value?.id ?? "");
  private readonly timeBefore = state.time.value;
  private readonly room: [number, number];
  private readonly start: { x: number; y: number };
  private last: number;
  private travelled = 0;
  private dragging = false;
  private wanted: { shift: number; alt: boolean } | null = null;
  private frame = 0;

  constructor(private readonly held: Held, pointer: ToolPointer, private readonly done: () => void) {
    const key = surfaceKeys.value[held.index]!;
    // The joint's own moment is where its drag begins: nothing jumps when another joint is taken.
    this.taken = held.joint === null ? {} : withJoint(key, held.joint);
    this.key = withChanges(key, { ...this.taken, shift: held.shift });
    this.room = shiftRoom(this.key, held.view.room, givenSpan());
    this.start = { x: pointer.x, y: pointer.y };
    this.last = this.along(pointer);
  }

  /** Shift makes the pull ten times finer from here on, so it is summed up and not measured from the start. */
  move(pointer: ToolPointer): void {
    const now = this.along(pointer);
    this.travelled += (pointer.shift ? 0.1 : 1) * (now - this.last);
    this.last = now;
    const far = Math.hypot(pointer.x - this.start.x, pointer.y - this.start.y);
    if (!this.dragging && far < DRAG_STARTS) return;
    this.dragging = true;
    this.wanted = { shift: shiftOf(this.key) + this.travelled / this.held.view.pace, alt: pointer.alt };
    this.frame ||= requestAnimationFrame(() => this.apply());
  }

  drop(): void {
    if (this.frame) this.apply();
    this.done();
    const { index, joint } = this.held;
    if (!this.dragging) {
      if (joint !== null) changeSurface(index, this.taken);
      return;
    }
    this.drag.commit();
    const key = surfaceKeys.value[index];
    if (!key) return;
    const words = `${dragged(state.source.value?.header, key)} ${shifted(shiftOf(key))}`;
    state.announcement.value = this.stopped ? `${words}. There is no room beyond.` : `${words}.`;
  }

  cancel(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.done();
    if (!this.dragging) return;
    this.drag.discard();
    actions.seek(this.timeBefore);
    state.announcement.value = "The surface is back where it was.";
  }

  private apply(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    if (!this.wanted || state.link.value !== "open") return;
    const { shift: wish, alt } = this.wanted;
    const [low, high] = this.room;
    const kept = Math.min(Math.max(wish, low), high);
    this.stopped = Math.abs(kept - wish) > 1e-6;
    this.towards = Math.sign(kept - shiftOf(this.key));
    const shift = actions.round(alt || this.stopped ? kept : this.snapped(kept));
    const change = surfaceChange(this.held.index, { ...this.taken, ...withShift(this.key, shift) });
    if (change) this.drag.update(change);
    actions.seek(state.stepTimes.value.toResult(this.key.time + shift));
  }

  /** The arrival falls on a whole frame of the result. */
  private snapped(shift: number): number {
    const { toResult, fromResult } = state.stepTimes.value;
    const [start] = state.domain.value;
    return fromResult(onFrame(toResult(this.key.time + shift), start, state.fps.value)) - this.key.time;
  }

  private along({ ray: { ray } }: ToolPointer): number {
    const { place, view } = this.held;
    const { origin: o, direction: d } = ray;
    return alongLine([o.x, o.y, o.z], [d.x, d.y, d.z], place, view.along as unknown as Point);
  }
}
