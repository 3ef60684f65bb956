/** The gutter of the layers: a row for each step, to select, weigh, mute and reorder. */

import { lineOf, stepTitle } from "../../panels/recipe/step";
import { StepEye, StepRows, StepWeight } from "../../panels/recipe/step_rows";
import * as state from "../../store/state";

/** Select a step and stay here: steps with an editor of their own would open its tab. */
export function chooseLayer(id: string): void {
  state.selectedStep.value = id;
  state.tab.value = "layers";
}

export const LayerRows = () => (
  <StepRows
    name="layer" label="Timing layers, in the order of the recipe" choose={chooseLayer}
    words={(step) => <span class="layer-name">{stepTitle(step)}</span>}
    row={(step, choose) => (
      <>
        <div class="layer-head">{choose}<StepEye step={step} /></div>
        <div class="layer-foot">
          <span class="layer-line">{step.mute ? "muted" : lineOf(step.id)}</span><StepWeight step={step} />
        </div>
      </>
    )}
  />
);
