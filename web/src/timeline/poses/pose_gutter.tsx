/** Names of the rows left of the plot: limbs unfold, joints are chosen. It scrolls, and the plot along with it. */

import { classes, Icon } from "../../controls";
import * as state from "../../store/state";
import type { PoseRow } from "./pose_rows";
import { cursorRow, poseScene, toggleLimb } from "./pose_scene";

export const PoseGutter = ({ onScroll }: { onScroll(top: number): void }) => (
  <div
    class="pose-gutter" role="group" aria-label="Rows" onScroll={(event) => onScroll(event.currentTarget.scrollTop)}
  >
    {poseScene.value.rows.map((row) => <GutterRow key={row.key} row={row} />)}
  </div>
);

function GutterRow({ row }: { row: PoseRow }) {
  const { view, cursor, joint: selected, hovered } = poseScene.value;
  const joint = view!.jointOf(row.channels[0]!);
  const own = row.kind === "joint" ? joint : null;
  const isLimb = row.kind === "limb";
  const choose = (): void => {
    if (isLimb) return toggleLimb(row.key);
    cursorRow.value = row.key;
    state.selectedJoint.value = joint;
  };
  const hover = (over: boolean) => (): void => {
    if (!isLimb) state.hoveredJoint.value = over ? joint : null;
  };
  const chosen = row.key === cursor || (own !== null && own === selected);
  const lit = own !== null && own === hovered;
  return (
    <button
      type="button" class={classes("pose-row", row.kind, chosen && "chosen", lit && "hovered")}
      title={own === null ? row.label : view!.channels[row.channels[0]!]} data-row={row.key}
      data-joint={own ?? undefined}
      aria-expanded={isLimb ? row.open : undefined} onClick={choose} onPointerEnter={hover(true)}
      onPointerLeave={hover(false)}
    >
      {isLimb && <Icon name="right" />}
      {own === null && <span class="swatch" data-limb={row.limb ?? "root"} />}
      <span class="pose-row-name">{row.label}</span>
    </button>
  );
}
