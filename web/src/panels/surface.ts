/** Of surface steps: the selected key, whose moment it moves, how it is felt, and the list of keys. */

import * as state from "../store/state";
import { addSurfaceAt, removeSurface, surfaceIndex, surfaceKeys } from "../store/surface";
import { button, iconButton, section } from "./controls";
import { element, rebuild, type Child } from "./dom";
import type { MethodExtra } from "./form";
import "./surface.css";
import { cartoonField, directionField, lockFeet } from "./surface_body";
import { jointField, shiftField } from "./surface_drag";
import { keysSection } from "./surface_list";
import { pointsSection } from "./surface_points";
import { reachSection } from "./surface_reach";
import { shapeSection } from "./surface_shape";

export const surfaceExtra: MethodExtra = {
  replaces: ["keys", "cartoon", "root"],
  above: (step) => [keysSection(addButton()), keyForm(), wholeStep(step)],
};

const addButton = (): HTMLElement =>
  iconButton("plus", "Add a surface at the playhead (T)", () => addSurfaceAt(state.time.value));

/** The form of the selected key; made anew when another is selected. */
function keyForm(): HTMLElement {
  const made = element("div", { className: "surface-form" });
  const shown = (): string | null => {
    const index = surfaceIndex.value;
    return index === null ? null : `${state.selectedStep.value} ${index} ${surfaceKeys.value.length}`;
  };
  rebuild(made, shown, (key) => (key === null ? [noKey()] : parts(surfaceIndex.value!, surfaceKeys.value.length)));
  return made;
}

function parts(index: number, count: number): Child[] {
  const remove = iconButton("close", `Remove surface key ${index + 1}`, () => removeSurface(index));
  const title = section(
    {
      id: "surface-key", title: "Drag",
      actions: count > 1 ? [remove] : [addButton(), remove],
    },
    jointField(index),
    shiftField(index),
  );
  return [title, pointsSection(index), shapeSection(index), reachSection(index), directionGroup(index)];
}

const directionGroup = (index: number): HTMLElement =>
  element("div", { className: "field-group" }, directionField(index));

const wholeStep = (step: string): HTMLElement =>
  element("div", { className: "field-group" }, lockFeet(step), cartoonField(step));

const noKey = (): HTMLElement =>
  element(
    "div",
    { className: "inspector-empty" },
    element("p", {
      className: "caption",
      textContent: "A surface moves one joint's moment earlier or later; what is near it in the body follows.",
    }),
    element("div", {}, button("Add a surface at the playhead", () => addSurfaceAt(state.time.value))),
  );
