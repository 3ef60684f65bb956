/** What the whole step does beside its keys: feet that keep their time, stretched limbs; and which way time goes. */

import * as actions from "../store/actions";
import * as state from "../store/state";
import { changeSurface, surfaceEditor, surfaceKeys, surfaceView, type Vector } from "../store/surface";
import { facingOf } from "../viewport/framing";
import { select, toggle } from "./controls";
import { element, live, shown } from "./dom";
import { numberField } from "./number";
import { parameterOf, type Parameter } from "./parameter";
import { keyField } from "./surface_field";

export function lockFeet(step: string): HTMLElement {
  const root = (): unknown => parameterOf(step, "surface", "root")?.value;
  const set = (on: boolean): void =>
    actions.change(step, {
      parameters: on ? { root: "lock", constraints: "hold" } : { root: "follow", constraints: "free" },
    });
  const locked = (): boolean => root() === "lock" || (root() === "auto" && !wholeBody());
  const free = (): string => (root() === "auto" ? "the whole body is dragged" : "root and legs go along");
  const caption = live(() => (locked() ? "root and legs keep time" : free()), "caption");
  return keyField(
    "feet", "Lock feet", "The root and the legs that are not dragged keep their time, and feet stay where they stood.",
    element("span", { className: "surface-flag" }, caption, toggle("Lock feet", locked, set)),
  );
}

/** Left to itself, a drag that takes the hips along is one of the whole body: its feet are not locked. */
function wholeBody(): boolean {
  const hips = state.source.value?.header.roles.indexOf("hips") ?? -1;
  return (surfaceEditor.value?.keys ?? []).some((key) => Math.abs(key.weights[hips] ?? 0) > 1e-6);
}

export function cartoonField(step: string): HTMLElement {
  const parameter = parameterOf(step, "surface", "cartoon") as Parameter;
  const share = (): number => parameter.number ?? 0;
  const amount = shown(
    () => share() > 0,
    numberField({
      label: "Share of the stretch", unit: "%", whole: true, step: 1, minimum: 0, maximum: 100,
      value: () => 100 * share(),
      preview: (value) => parameter.preview(value / 100),
      commit: (value) => parameter.commit(value / 100),
      discard: () => parameter.discard(),
    }),
  );
  return keyField(
    "cartoon", "Cartoon stretch", "Joints are where they were at their own time, and bones stretch to them.",
    element(
      "span", { className: "surface-flag" }, amount,
      toggle("Cartoon stretch", () => share() > 0, (on) => (on ? parameter.commit(1) : parameter.reset())),
    ),
  );
}

/** Which way the figure is seen along time: its heading, or turned from it. */
export function directionField(index: number): HTMLElement {
  const given = (): Vector | undefined => surfaceKeys.value[index]?.direction;
  const degrees = (): number => {
    const along = given();
    return along ? Math.round(turnBetween(heading(), along)) : 0;
  };
  const set = (value: number, preview = false): void =>
    changeSurface(index, { direction: turnedBy(heading(), value) }, preview);
  const options = [{ value: "heading", label: "Heading" }, { value: "turned", label: "Turned by" }];
  const chosen = (value: string): void =>
    value === "heading" ? changeSurface(index, { direction: null }) : set(90);
  return keyField(
    "direction", "Time direction",
    "Along which way the figure is seen. Turn it for motion that goes sideways or backwards.",
    element(
      "span", { className: "surface-direction" },
      select("Time direction", () => options, () => (given() ? "turned" : "heading"), chosen),
      numberField({
        label: "Turned from the heading", unit: "°", whole: true, step: 1, minimum: -180, maximum: 180,
        value: degrees,
        preview: (value) => set(value, true),
        commit: (value) => set(value),
        discard: () => actions.discard(),
      }),
    ),
  );
}

/** The figure's heading at first: as the server used it for any key without a direction, else by its hips. */
function heading(): Vector {
  const plain = surfaceKeys.value.findIndex((key) => !key.direction);
  const view = plain < 0 ? null : surfaceView(plain)?.view;
  if (view && surfaceEditor.value) return view.along as Vector;
  const clip = state.source.value;
  if (!clip?.frames) return [0, 0, 1];
  return facingOf(clip.header.roles, clip.positions.subarray(0, 3 * clip.points)) as Vector;
}

/** A level direction turned to its left, degrees; its numbers are kept short. */
export function turnedBy([x, , z]: Vector, degrees: number): Vector {
  const turn = (degrees * Math.PI) / 180;
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
  return [actions.round(x * cos + z * sin), 0, actions.round(z * cos - x * sin)];
}

/** Degrees from one level direction to another, to the left. */
export function turnBetween([a, , b]: Vector, [c, , d]: Vector): number {
  return (Math.atan2(b * c - a * d, a * c + b * d) * 180) / Math.PI;
}
