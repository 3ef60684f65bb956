/** The gutter of the layers: a row for each step, to select, weigh, mute and reorder. */

import { element, live } from "../../panels/dom";
import { stepTitle } from "../../panels/step";
import { lineOf, stepEntry, stepEye, stepRows, stepWeight } from "../../panels/step_rows";
import * as state from "../../store/state";

/** Select a step and stay here: steps with an editor of their own would open its tab. */
export function chooseLayer(id: string): void {
  state.selectedStep.value = id;
  state.tab.value = "layers";
}

export function layerRows(): HTMLElement {
  return stepRows({
    name: "layer",
    label: "Timing layers, in the order of the recipe",
    choose: chooseLayer,
    words: (id) => [live(() => stepTitle(stepEntry(id)), "layer-name")],
    arrange: (id, choose) => ({
      children: [
        element("div", { className: "layer-head" }, choose, stepEye(id)),
        element("div", { className: "layer-foot" }, live(() => describe(id), "layer-line"), stepWeight(id)),
      ],
      grip: choose,
    }),
  });
}

const describe = (id: string): string => (stepEntry(id)?.mute ? "muted" : lineOf(id));
