/** Layers of the stack: which one takes edits of value, one more on top, how much one counts, and its removal. */

import { AmountField, Field, IconButton, Segments } from "../../controls";
import { ofStep } from "../../store/editable";
import { addEdits, editChange, poseLayer, poses, type PoseEdit } from "../../store/poses";
import * as state from "../../store/state";

export function LayerRow({ step }: { step: string }) {
  const layers = poses.value?.editor.layers ?? 1;
  const now = poseLayer.value < layers ? poseLayer.value : 0;
  const options = Array.from({ length: layers }, (_, n) => ({ value: String(n), label: n ? `Layer ${n}` : "Motion" }));
  const add = (): void => {
    addEdits(step, { do: "add_layer" });
    poseLayer.value = layers;
    state.announcement.value = `Layer ${layers} is added; edits of value go to it.`;
  };
  return (
    <>
      <Field label="Layer">
        <span class="pose-layers">
          <Segments
            label="Layer that takes edits" options={options} value={String(now)}
            onChange={(value) => (poseLayer.value = Number(value))}
          />
          <IconButton icon="plus" label="Add a layer" onClick={add} />
          {now > 0 && <IconButton icon="close" label={`Remove layer ${now}`} onClick={() => remove(step, now)} />}
        </span>
      </Field>
      {now > 0 && <WeightField {...{ step, layer: now }} />}
    </>
  );
}

function remove(step: string, layer: number): void {
  addEdits(step, { do: "remove_layer", layer });
  poseLayer.value = 0;
  state.announcement.value = `Layer ${layer} is removed, with its edits.`;
}

/** How much of a layer counts. */
function WeightField({ step, layer }: { step: string; layer: number }) {
  const percent = Math.round(100 * (poses.value?.editor.weights[layer] ?? 1));
  const weighing = (to: number): PoseEdit => ({ do: "weigh_layer", layer, weight: to / 100 });
  const edit = ofStep(step, percent, (to) => editChange(step, weighing(to)), (to) => {
    state.announcement.value = `Weight of layer ${layer}: ${to} %.`;
  });
  return (
    <AmountField
      name="Weight" label={`Weight of layer ${layer}`} unit="%" whole step={1} minimum={0} maximum={200}
      bounds={[0, 100]} edit={edit} spoken={(value) => `${value} %`}
    />
  );
}
