/** Further drags of a key at the same moment: a joint and its own shift each. */

import * as actions from "../store/actions";
import * as state from "../store/state";
import { changeSurface, jointIndex, surfaceKeys, type ControlPoint, type SurfaceKey } from "../store/surface";
import { iconButton, section, select } from "./controls";
import { element, rebuild, shown } from "./dom";
import { numberField } from "./number";
import { chosen, degreeFor, heldJoint, singleOptions, withDrag } from "./surface_drag";

const pointsOf = (index: number): ControlPoint[] => surfaceKeys.value[index]?.control_points ?? [];
const isPair = (index: number): boolean => chosen(surfaceKeys.value[index]).startsWith("pair ");

export function pointsSection(index: number): HTMLElement {
  const list = element("div", { className: "surface-points", role: "list" });
  rebuild(list, () => pointsOf(index).length, (count) => Array.from({ length: count }, (_, p) => pointRow(index, p)));
  const add = iconButton("plus", "Drag one more joint at this moment", () => {
    const key = surfaceKeys.value[index];
    const joint = key && heldJoint(key);
    if (key && joint) changeSurface(index, withDrag(key, joint));
  });
  const options = { id: "surface-points", title: "Further drags", caption: "at the same moment", actions: [add] };
  const made = section(options, list);
  return shown(() => !isPair(index) && pointsOf(index).length > 0, made);
}

function pointRow(index: number, p: number): HTMLElement {
  const change = (changes: Partial<ControlPoint>, preview = false): void => {
    const made = pointsOf(index).map((point, k) => (k === p ? { ...point, ...changes } : point));
    changeSurface(index, { control_points: made }, preview);
  };
  const joint = (): string => state.source.value?.header.joints[jointIndex(pointsOf(index)[p]?.joint)] ?? "";
  return element(
    "div",
    { className: "surface-point", role: "listitem" },
    select(
      `Joint of drag ${p + 2}`,
      () => (state.source.value ? singleOptions(state.source.value.header) : []),
      joint,
      (value) => change({ joint: value, point: undefined }),
    ),
    numberField({
      label: `Shift of drag ${p + 2}`, unit: "s", step: 0.01,
      value: () => pointsOf(index)[p]?.shift ?? null,
      preview: (shift) => change({ shift: actions.round(shift) }, true),
      commit: (shift) => change({ shift: actions.round(shift) }),
      discard: () => actions.discard(),
    }),
    iconButton("close", `Remove drag ${p + 2}`, () => removePoint(index, p)),
  );
}

/** A polynomial needs one drag more than its degree: it becomes simpler, and a Gaussian in the end. */
function removePoint(index: number, p: number): void {
  const key = surfaceKeys.value[index] as SurfaceKey;
  const left = pointsOf(index).filter((_, k) => k !== p);
  const polynomial = key.shape === "polynomial";
  changeSurface(index, {
    control_points: left.length ? left : null,
    shape: polynomial && !left.length ? null : (key.shape ?? null),
    degree: polynomial && left.length ? degreeFor(key, left.length + 1) : (key.degree ?? null),
  });
}
