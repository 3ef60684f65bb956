/** Where a keytime may stand: after the one before, before the one after, and within the allowed speeds. */

import type { Key } from "../../store/state";
import type { Limits } from "./limits";

export interface Room {
  before: Key;
  after: Key;
  limits: Limits;
  /** Least distance to either neighbour, seconds. */
  gap: number;
}

/** Keys are rounded when they are kept, so they stay this share inside a limit. */
const SAFETY = 1e-3;

/** Corners of the free room in order: the key before, the fast corner, the key after, the slow corner. */
export function corners({ before, after, limits }: Room): [Key, Key, Key, Key] {
  const [width, rise] = [after[0] - before[0], after[1] - before[1]];
  const { slowest, fastest } = limits;
  if (!Number.isFinite(fastest))
    return [before, [before[0], after[1] - slowest * width], after, [after[0], before[1] + slowest * width]];
  const spread = Math.max(fastest - slowest, 1e-9);
  const early = Math.min(Math.max((rise - slowest * width) / spread, 0), width);
  return [
    before,
    [before[0] + early, before[1] + fastest * early],
    after,
    [after[0] - early, after[1] - fastest * early],
  ];
}

/** Lowest and highest source time that a key may show at an output time; crossed where there is none. */
export function sourceRange({ before, after, limits, gap }: Room, output: number): [number, number] {
  const slowest = limits.slowest * (1 + SAFETY);
  const fastest = limits.fastest * (1 - SAFETY);
  const [since, left] = [output - before[0], after[0] - output];
  return [
    Math.max(before[1] + Math.max(slowest * since, gap), after[1] - fastest * left),
    Math.min(after[1] - Math.max(slowest * left, gap), before[1] + fastest * since),
  ];
}

/** First and last output time that a key may have, whatever it shows; their middle where there is no room. */
export function outputRange({ before, after, gap }: Room): [number, number] {
  const [low, high] = [before[0] + gap, after[0] - gap];
  const middle = (before[0] + after[0]) / 2;
  return low <= high ? [low, high] : [middle, middle];
}

/** First and last output time of a fixed end that shows `source`, after the last key. */
export function endRange(last: Key, source: number, { slowest, fastest }: Limits, gap: number): [number, number] {
  const rise = source - last[1];
  const earliest = last[0] + Math.max(gap, (rise / fastest) * (1 + SAFETY));
  return [earliest, Math.max(slowest > 0 ? last[0] + (rise / slowest) * (1 - SAFETY) : Infinity, earliest)];
}

const clamp = (value: number, low: number, high: number): number =>
  low <= high ? Math.min(Math.max(value, low), high) : (low + high) / 2;

/**
 * The allowed key that is nearest on screen to a wish. `scale` is pixels per second across and up; `snap` draws an
 * output time to a frame, and is followed where there is room.
 */
export function settle(room: Room, wish: Key, scale: Key, snap: (output: number) => number): Key {
  const at = (output: number): Key => [output, clamp(wish[1], ...sourceRange(room, output))];
  let [low, high] = outputRange(room);
  const direct = clamp(wish[0], low, high);
  if (direct === wish[0] && at(direct)[1] === wish[1]) return [direct, wish[1]];
  // The room is convex, so the distance has one valley; where it is crossed the crossing itself is the distance.
  const distance = (output: number): number => {
    const [from, to] = sourceRange(room, output);
    const [, source] = at(output);
    const missing = Math.max(from - to, 0) * 1e6;
    return ((output - wish[0]) * scale[0]) ** 2 + ((source - wish[1]) * scale[1]) ** 2 + missing;
  };
  for (let k = 0; k < 60; k++) {
    const third = (high - low) / 3;
    if (distance(low + third) <= distance(high - third)) high -= third;
    else low += third;
  }
  const nearest = (low + high) / 2;
  const snapped = clamp(snap(nearest), ...outputRange(room));
  const [from, to] = sourceRange(room, snapped);
  return at(from <= to ? snapped : nearest);
}
