/** Changes of keytimes as parameters of their step. */

import * as actions from "../../store/actions";
import { accepts, askedOf, nearestTaken } from "../../store/solver";
import * as state from "../../store/state";
import { sayKey, times } from "../plot/axis";
import { givenRate, rateWords } from "./key_marks";
import { refuse, type Lift, type Refusal } from "./refusal";
import { settle, type Room } from "./room";
import { roomOf, type Scene } from "../plot/scene";
import { timeText } from "../../words/units";

export const rounded = ([output, source]: state.Key): state.Key => [actions.round(output), actions.round(source)];

/** Parameters with one key elsewhere; a speed that is asked for at it goes along. */
export function movedKey(scene: Scene, index: number, from: state.Key, to: state.Key): Record<string, unknown> {
  const keytimes = scene.keys.map((key, k) => (k === index ? rounded(to) : key));
  const rate = givenRate(scene, from);
  if (!rate || !scene.rates) return { keytimes };
  return { keytimes, rates: scene.rates.map((pair) => (pair === rate ? [actions.round(to[1]), rate[1]] : pair)) };
}

export function removeKey(scene: Scene, index: number): void {
  const key = scene.keys[index];
  if (!key || !scene.step || !scene.editable) return;
  const rate = givenRate(scene, key);
  state.announcement.value = `Keytime at ${timeText(key[0])} deleted.`;
  if (!rate) return actions.deleteKey(index);
  const keytimes = scene.keys.filter((_, k) => k !== index);
  const rates = scene.rates!.filter((pair) => pair !== rate);
  state.selectedKey.value = null;
  actions.change(scene.step.id, {
    parameters: { keytimes: keytimes.length ? keytimes : null, rates: rates.length ? rates : null },
  });
}

export function setRate(scene: Scene, key: state.Key, rate: number | null): Record<string, unknown> {
  const old = givenRate(scene, key);
  const rates = (scene.rates ?? []).filter((pair) => pair !== old);
  if (rate !== null) rates.push([actions.round(key[1]), Math.round(rate * 1000) / 1000]);
  rates.sort((a, b) => a[0] - b[0]);
  return { rates: rates.length ? rates : null };
}

/** Select a key and show the pose that it holds. */
export function selectKey(index: number): void {
  const key = state.keys.value[index];
  if (!key) return;
  state.selectedKey.value = index;
  actions.seek(state.stepTimes.value.toResult(key[0]));
}

/** Add a keytime at a time of the result, and say so. */
export function addKey(output: number, given?: number): void {
  actions.addKeyAt(output, given);
  const shown = given ?? state.result.value?.sourceAt(output) ?? output;
  state.announcement.value = `Keytime added: ${sayKey([output, shown])}.`;
}

export function announceKey(scene: Scene, index: number, refusal: Refusal | null): void {
  const key = scene.keys[index];
  if (!key) return;
  const said = `Keytime ${index + 1}: ${sayKey(key)}, ${rateWords(scene, key)}.`;
  state.announcement.value = refusal ? `${said} ${refusal.text}` : said;
}

/** The key nearest to a wish, on the way from where it is, that the step's solver takes. */
function taken({ step, keys }: Scene, index: number, wish: state.Key): state.Key {
  const from = keys[index];
  if (!step || !from) return wish;
  const isTaken = (key: state.Key): boolean => {
    const asked = askedOf(step, { keytimes: keys.map((old, k) => (k === index ? rounded(key) : old)) });
    return asked === null || accepts(asked);
  };
  const between = (share: number): state.Key => [
    from[0] + share * (wish[0] - from[0]),
    from[1] + share * (wish[1] - from[1]),
  ];
  return nearestTaken(from, wish, between, isTaken);
}

export interface Settled {
  key: state.Key;
  refusal: Refusal | null;
}

/** Put a key as near to a wish as there is room; `scale` is pixels per second across and up. */
export function settleKey(
  scene: Scene, room: Room, index: number, wish: state.Key, scale: state.Key, snap: (output: number) => number,
): Settled {
  const key = taken(scene, index, settle(room, wish, scale, snap));
  const [dx, dy] = [(key[0] - wish[0]) * scale[0], (key[1] - wish[1]) * scale[1]];
  if (Math.hypot(dx, dy) < 2) return { key, refusal: null };
  const near = { beforeIsEnd: index === 0, afterIsEnd: index === scene.keys.length - 1 };
  return { key, refusal: refuse(room, wish, key, near, scene.form) };
}

/** Widen a limit and let the key go where it was wanted: one step of undo. */
export function liftLimit(scene: Scene, index: number, wish: state.Key, lift: Lift): void {
  const room = roomOf(scene, index);
  if (!room || !scene.step || !scene.editable) return;
  const limits = { ...room.limits, [lift.name === "max_speed" ? "fastest" : "slowest"]: lift.value };
  const key = settle({ ...room, limits }, wish, [1, 1], (output) => output);
  actions.change(scene.step.id, {
    parameters: { ...movedKey(scene, index, scene.keys[index]!, key), [lift.name]: lift.value },
  });
  actions.seek(scene.times.toResult(key[0]));
  state.announcement.value = `The limit is ${times(lift.value)}. Keytime ${index + 1}: ${sayKey(key)}.`;
}
