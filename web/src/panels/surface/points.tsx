/** Further drags of a key at the same moment: a joint and its own shift each. */

import { IconButton, NumberField, Section, Select } from "../../controls";
import * as state from "../../store/state";
import {
  changeSurface, jointIndex, surfaceKeys, type ControlPoint, type SurfaceChanges, type SurfaceKey,
} from "../../store/surface";
import { ofKey } from "./field";
import { chosen, heldJoint, singleOptions, withDrag } from "./joints";

const pointsOf = (key: SurfaceKey | undefined): ControlPoint[] => key?.control_points ?? [];

export function PointsSection({ index }: { index: number }) {
  const key = surfaceKeys.value[index];
  const points = pointsOf(key);
  if (!key || !points.length || chosen(key).startsWith("pair ")) return null;
  const add = (): void => {
    const joint = heldJoint(key);
    if (joint) changeSurface(index, withDrag(key, joint));
  };
  return (
    <Section
      id="surface-points" title="Further drags" caption="at the same moment"
      actions={<IconButton icon="plus" label="Drag one more joint at this moment" onClick={add} />}
    >
      <div class="surface-points" role="list">
        {points.map((point, p) => <PointRow key={p} {...{ index, point, p }} />)}
      </div>
    </Section>
  );
}

function PointRow({ index, point, p }: { index: number; point: ControlPoint; p: number }) {
  const header = state.source.value?.header;
  const change = (key: SurfaceKey | undefined, changes: Partial<ControlPoint>): SurfaceChanges =>
    ({ control_points: pointsOf(key).map((old, k) => (k === p ? { ...old, ...changes } : old)) });
  return (
    <div class="surface-point" role="listitem">
      <Select
        label={`Joint of drag ${p + 2}`} options={header ? singleOptions(header) : []}
        value={header?.joints[jointIndex(point.joint)] ?? ""}
        onChange={(joint) => changeSurface(index, change(surfaceKeys.value[index], { joint, point: undefined }))}
      />
      <NumberField
        label={`Shift of drag ${p + 2}`} unit="s" edit={ofKey(index, point.shift, (key, shift) => change(key, { shift }))}
      />
      <IconButton icon="close" label={`Remove drag ${p + 2}`} onClick={() => removePoint(index, p)} />
    </div>
  );
}

/** A polynomial takes any number of drags: its shape and degree stay. */
function removePoint(index: number, p: number): void {
  const left = pointsOf(surfaceKeys.value[index]).filter((_, k) => k !== p);
  changeSurface(index, { control_points: left.length ? left : null });
}
