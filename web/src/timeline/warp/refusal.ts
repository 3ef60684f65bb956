/** Why a dragged key stops, in one sentence, and what would let it go on. */

import type { MethodForm } from "../../protocol";
import type { Key } from "../../store/state";
import { seconds, times } from "../plot/axis";
import { fieldOf, type Limits } from "./limits";
import { outputRange, type Room } from "./room";

export interface Lift {
  /** The parameter to change, and its value. */
  name: string;
  value: number;
  button: string;
  hint: string;
}

export interface Refusal {
  text: string;
  lift: Lift | null;
  /** Which bound it ran into. */
  bound: "fastest" | "slowest" | "neighbour";
}

/** What the neighbours are: keytimes, or the fixed ends. */
export interface Neighbours {
  beforeIsEnd: boolean;
  afterIsEnd: boolean;
}

export function refuse(room: Room, wish: Key, stop: Key, near: Neighbours, form: MethodForm | null): Refusal {
  const speed = speedRefusal(room, wish, stop, form);
  if (speed?.lift) return speed;
  return crossing(room, wish, stop, near) ?? speed ?? stopsAt(stop[0], "there is no room for a keytime");
}

function speedRefusal(room: Room, wish: Key, stop: Key, form: MethodForm | null): Refusal | null {
  const { before, after, limits } = room;
  const [low, high] = outputRange(room);
  const output = Math.min(Math.max(wish[0], low), high);
  const source = Math.min(Math.max(wish[1], before[1]), after[1]);
  const speeds = [(source - before[1]) / (output - before[0]), (after[1] - source) / (after[0] - output)];
  if (Math.max(...speeds) > limits.fastest) return tooFast(stop[0], limits, Math.max(...speeds), form);
  if (Math.min(...speeds) < limits.slowest) return tooSlow(stop[0], limits.slowest, Math.min(...speeds), form);
  return null;
}

export const tooFast = (stop: number, limits: Limits, needed: number, form: MethodForm | null): Refusal => ({
  text: `Stops at ${seconds(stop)}: the speed would pass ${times(limits.fastest)}.`,
  lift: lift("max_speed", Math.ceil(10 * needed + 1e-6) / 10, "Raise", form),
  bound: "fastest",
});

export const tooSlow = (stop: number, limit: number, needed: number, form: MethodForm | null): Refusal => ({
  text: `Stops at ${seconds(stop)}: the speed would fall below ${times(limit, 2)}.`,
  lift: lift("min_speed", Math.floor(100 * needed - 1e-6) / 100, "Lower", form),
  bound: "slowest",
});

/** A way out, where the method has the field and takes the value. */
function lift(name: string, value: number, verb: "Raise" | "Lower", form: MethodForm | null): Lift | null {
  const field = fieldOf(form, name);
  if (!field || !Number.isFinite(value)) return null;
  if (value > (field.maximum ?? Infinity) || value < (field.minimum ?? 0)) return null;
  const speed = times(value, verb === "Raise" ? 1 : 2);
  return { name, value, button: `${verb} to ${speed}`, hint: `${verb} ${field.label} to ${speed} to go there.` };
}

function crossing({ before, after, gap }: Room, wish: Key, [stop]: Key, near: Neighbours): Refusal | null {
  const { beforeIsEnd, afterIsEnd } = near;
  if (wish[0] > after[0] - gap)
    return stopsAt(stop, `${afterIsEnd ? "the motion ends at" : "the next keytime is at"} ${seconds(after[0])}`);
  if (wish[0] < before[0] + gap)
    return stopsAt(stop, `${beforeIsEnd ? "the motion starts at" : "the keytime before is at"} ${seconds(before[0])}`);
  if (wish[1] > after[1] - gap)
    return stopsAt(stop, `${afterIsEnd ? "the source ends at" : "the next keytime shows"} ${seconds(after[1])}`);
  if (wish[1] < before[1] + gap)
    return stopsAt(stop, `${beforeIsEnd ? "the source starts at" : "the keytime before shows"} ${seconds(before[1])}`);
  return null;
}

/** A stop that no parameter can lift. */
export const stopsAt = (stop: number, reason: string): Refusal => ({
  text: `Stops at ${seconds(stop)}: ${reason}.`,
  lift: null,
  bound: "neighbour",
});
