/** The way a figure is seen along time: its heading, and turns away from it. */

import * as actions from "../../store/actions";
import * as state from "../../store/state";
import { surfaceEditor, surfaceKeys, surfaceView, type Vector } from "../../store/surface";
import { facingOf } from "../../viewport/camera/framing";

/** The figure's heading at first: as the server used it for any key without a direction, else by its hips. */
export function heading(): Vector {
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
