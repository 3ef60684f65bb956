/** Of surface steps: the selected key, whose moment it moves, how it is felt, and the list of keys. */

import { computed } from "@preact/signals";
import { Button, IconButton, Section } from "../../controls";
import * as state from "../../store/state";
import { addSurfaceAt, removeSurface, surfaceIndex, surfaceKeys } from "../../store/surface";
import type { MethodPanel } from "../form/form";
import { CartoonField, DirectionField, LockFeet } from "./body";
import { DragFields } from "./drag";
import { KeysSection } from "./list";
import { PointsSection } from "./points";
import { ReachSection } from "./reach";
import { ShapeSection } from "./shape";
import "./surface.css";

const add = (): void => addSurfaceAt(state.time.value);
const AddButton = () => <IconButton icon="plus" label="Add a surface at the playhead (T)" onClick={add} />;

export const surfacePanel: MethodPanel = {
  replaces: ["keys", "cartoon", "root"],
  Above: ({ step }) => (
    <>
      <KeysSection add={<AddButton />} />
      <div class="surface-form"><KeyForm step={step} /></div>
      <div class="field-group"><LockFeet step={step} /><CartoonField step={step} /></div>
    </>
  ),
};

const isAlone = computed(() => surfaceKeys.value.length === 1);

/** The form of the selected key. */
function KeyForm({ step }: { step: string }) {
  const index = surfaceIndex.value;
  if (index === null) return <NoKey />;
  const remove = (
    <IconButton icon="close" label={`Remove surface key ${index + 1}`} onClick={() => removeSurface(index)} />
  );
  return (
    <>
      <Section id="surface-key" title="Drag" actions={<>{isAlone.value && <AddButton />}{remove}</>}>
        <DragFields index={index} />
      </Section>
      <PointsSection index={index} />
      <ShapeSection key={`${step} ${index}`} index={index} />
      <ReachSection index={index} />
      <div class="field-group"><DirectionField index={index} /></div>
    </>
  );
}

const NoKey = () => (
  <div class="inspector-empty">
    <p class="caption">
      A surface moves one joint's moment earlier or later; what is near it in the body follows.
    </p>
    <div><Button onClick={add}>Add a surface at the playhead</Button></div>
  </div>
);
