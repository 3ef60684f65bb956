/** Whose moment a surface key moves, and by how much. */

import { Captions, Field, Select } from "../../controls";
import * as state from "../../store/state";
import {
  changeSurface, jointIndex, shiftOf, surfaceKeys, surfaceView, withJoint, withShift,
} from "../../store/surface";
import { seconds, titled } from "../../words/numbers";
import { arrives, shifted } from "../../words/surface_keys";
import { KeyNumberField, type KeyNumber } from "./field";
import { chosen, jointOptions, withPair } from "./joints";

const SHIFT: KeyNumber = {
  name: "shift", label: "Shift", unit: "s", bounds: [-0.5, 0.5], value: shiftOf, change: withShift, spoken: shifted,
  help: "Time shift; negative is earlier.",
};

export function DragFields({ index }: { index: number }) {
  const key = surfaceKeys.value[index];
  const { toSource, toResult } = state.stepTimes.value;
  const middle = key
    ? `pose of ${seconds(toSource(key.time))} arrives at ${seconds(toResult(key.time + shiftOf(key)))}`
    : "";
  const measured = arrives(surfaceView(index)?.view);
  return (
    <>
      <Field label="Joints" help="Joint to move in time. Neighbouring joints follow." data-surface="joint">
        <Select label="Joints" options={jointOptions()} value={chosen(key)} onChange={(to) => choose(index, to)} />
      </Field>
      <KeyNumberField index={index} of={SHIFT} captions={<Captions words={["Earlier", middle, "Later"]} />} />
      {measured && <p class="caption surface-arrival">{titled(measured)}.</p>}
    </>
  );
}

function choose(index: number, value: string): void {
  const key = surfaceKeys.value[index];
  const header = state.source.value?.header;
  if (!key || !header) return;
  const pair = /^pair (\w+)$/.exec(value)?.[1];
  state.selectedJoint.value = jointIndex(pair ? `right_${pair}` : value);
  changeSurface(index, pair ? withPair(header, key, pair) : withJoint(key, value));
}
