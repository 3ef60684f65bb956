/** Layers of the stack: which one takes edits of value, and one more on top. */

import { Field, IconButton, Segments } from "../../controls";
import { addEdits, poseLayer, poses } from "../../store/poses";
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
    <Field label="Layer">
      <span class="pose-layers">
        <Segments
          label="Layer that takes edits" options={options} value={String(now)}
          onChange={(value) => (poseLayer.value = Number(value))}
        />
        <IconButton icon="plus" label="Add a layer" onClick={add} />
      </span>
    </Field>
  );
}
