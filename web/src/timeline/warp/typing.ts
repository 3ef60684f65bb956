/** A small field over a keytime, to type its output and source seconds. */

import * as actions from "../../store/actions";
import type * as state from "../../store/state";
import { clockOf, parseTime, type Clock } from "../../store/times";
import { announceKey, movedKey, settleKey } from "./key_edits";
import { placeOf } from "./key_marks";
import { roomOf, scene } from "../plot/scene";
import { openField } from "../plot/small_field";
import type { GestureHost } from "../plot/gesture_host";

/** Two times, however they are parted; null where there are not two. */
export function parseKey(text: string, clock: Clock = clockOf(scene.value.step?.id ?? null)): state.Key | null {
  const joined = text.replaceAll(/\s+(?=(s|f|fr|frames?|%)(?![a-z]))/gi, ""); // a unit stays with its number
  const parts = joined.split(/[→=;,\s]+/).filter((part) => part !== "");
  const [output, source] = [parseTime(parts[0] ?? "", "output", clock), parseTime(parts[1] ?? "", "source", clock)];
  return parts.length !== 2 || output === null || source === null ? null : [output, source];
}

export function typeKey(host: GestureHost, index: number): void {
  const key = scene.value.keys[index];
  if (!key || !scene.value.editable) return;
  openField(host, {
    label: `Keytime ${index + 1}: output and source in seconds`,
    value: `${actions.round(key[0])} ${actions.round(key[1])}`,
    at: placeOf(host.plot(), key),
    parse: parseKey,
    keep: (wish) => placeKey(host, index, wish),
  });
}

function placeKey(host: GestureHost, index: number, wish: state.Key): void {
  const { time, source, scene: now } = host.plot();
  const room = roomOf(now, index);
  if (!room || !now.step) return;
  const { key, refusal } = settleKey(now, room, index, wish, [time.scale, source.scale], (t) => t);
  actions.change(now.step.id, { parameters: movedKey(now, index, now.keys[index]!, key) });
  actions.seek(now.times.toResult(key[0]));
  if (refusal) host.refuse(refusal, index, wish);
  announceKey(scene.value, index, refusal);
}
