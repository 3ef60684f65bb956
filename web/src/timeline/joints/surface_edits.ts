/** Moving surface keys in time: as far as there is room, and in words. */

import * as actions from "../../store/actions";
import * as state from "../../store/state";
import {
  changeSurface, dragsOf, farthestOf, gammaOf, givenSpan, LEAST_FADE, surfaceChange, surfaceKeys, type SurfaceKey,
} from "../../store/surface";
import { begin } from "../../store/transaction";
import { seconds } from "../plot/axis";
import type { Refusal } from "../warp/refusal";
import { jointScene, roomOf, type KeyMark } from "./joint_scene";

export interface MovedKey {
  time: number;
  refusal: Refusal | null;
  /** Lets the key go where it was wanted. */
  lift: (() => void) | null;
}

/** What holds a key while it is dragged: its room is that of the moment it was taken. */
export class KeyMover {
  readonly room: [number, number];
  readonly drag = begin(state.step.value?.id ?? "");
  private readonly times: [number, number];

  constructor(readonly mark: KeyMark) {
    const { room, times } = roomOf(mark);
    this.room = room;
    this.times = times;
  }

  /** Show the key at a time of the step's input, or where it stops short of it. */
  move(wish: number): MovedKey {
    const [low, high] = this.times;
    const time = actions.round(Math.min(Math.max(wish, low), high));
    const change = surfaceChange(this.mark.index, { time });
    if (change) this.drag.update(change);
    actions.seek(state.stepTimes.value.toResult(time + farthestOf(this.mark.key)));
    const beyond = wish > high + 1e-6 ? 1 : wish < low - 1e-6 ? -1 : 0;
    if (!beyond) return { time, refusal: null, lift: null };
    return { time, ...this.refuse(time, wish, beyond) };
  }

  private refuse(time: number, wish: number, beyond: 1 | -1): Pick<MovedKey, "refusal" | "lift"> {
    const { index, key } = this.mark;
    const { toResult } = state.stepTimes.value;
    const [start, end] = givenSpan();
    const edge = this.room[beyond > 0 ? 1 : 0];
    const free = beyond > 0 ? edge >= end - 1e-6 : edge <= start + 1e-6;
    const at = seconds(toResult(edge));
    const why = free
      ? `the motion ${beyond > 0 ? "ends" : "starts"} at ${at}`
      : beyond > 0 ? `the next key reaches from ${at} on` : `the key before reaches until ${at}`;
    const gamma = free ? null : shorterFade(key, wish, edge, beyond);
    const refusal: Refusal = {
      text: `Stops at ${seconds(toResult(time + farthestOf(key)))}: ${why}.`,
      lift: gamma === null ? null : {
        name: "gamma", value: gamma, button: `Fade over ${seconds(gamma)}`,
        hint: `Shorten Fade in time to ${seconds(gamma)} to go there.`,
      },
      bound: "neighbour",
    };
    return { refusal, lift: gamma === null ? null : () => changeSurface(index, { time: actions.round(wish), gamma }) };
  }
}

/** The fade with which a key at a time ends at an edge; null where it would be a jerk, or is no shorter. */
export function shorterFade(key: SurfaceKey, time: number, edge: number, beyond: 1 | -1): number | null {
  const shifts = dragsOf(key).map((d) => d.shift);
  const reach = beyond > 0 ? edge - (time + Math.max(0, ...shifts)) : time + Math.min(0, ...shifts) - edge;
  const gamma = Math.floor(100 * reach + 1e-6) / 100;
  return gamma >= LEAST_FADE && gamma < gammaOf(key) ? gamma : null;
}

export function selectSurface(index: number): void {
  const mark = jointScene.value.marks[index];
  if (!mark) return;
  state.selectedSurface.value = index;
  state.playing.value = false;
  actions.seek(mark.arrival);
}

export function announceSurface(index: number, refusal: Refusal | null): void {
  const mark = jointScene.value.marks[index];
  if (!mark) return;
  const count = surfaceKeys.value.length;
  const said = `Surface key ${index + 1} of ${count}: ${sayMark(mark)}`;
  state.announcement.value = refusal ? `${refusal.text} ${said}` : said;
}

/** A key for those who do not see it. */
export function sayMark({ words, key, arrival, span }: KeyMark): string {
  const { toSource } = state.stepTimes.value;
  const felt = `effect from ${seconds(span[0])} to ${seconds(span[1])}`;
  return `${words}, pose of ${seconds(toSource(key.time))} arrives at ${seconds(arrival)}, ${felt}.`;
}
