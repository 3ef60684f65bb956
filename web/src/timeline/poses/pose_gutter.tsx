/** Names of the rows left of the plot: limbs unfold, joints are chosen. It scrolls, and the plot along with it. */

import { computed } from "@preact/signals";
import { classes, Icon } from "../../controls";
import type { PosesView } from "../../store/poses";
import { selectLimb } from "../../store/selection";
import * as state from "../../store/state";
import type { PoseRow } from "./pose_rows";
import { cursorRow, poseScene, toggleLimb } from "./pose_scene";

/** Which rows there are: a drag of a pose changes the scene many times a second, and its rows not at all. */
const shownRows = computed(() => poseScene.value.rows.map((row) => `${row.key}${row.open ? "+" : ""}`).join(" "));

export function PoseGutter({ onScroll }: { onScroll(top: number): void }) {
  void shownRows.value;
  const { rows, view } = poseScene.peek();
  return (
    <div
      class="pose-gutter" role="group" aria-label="Rows" onScroll={(event) => onScroll(event.currentTarget.scrollTop)}
    >
      {view && rows.map((row) => <GutterRow key={row.key} {...{ row, view }} />)}
    </div>
  );
}

function GutterRow({ row, view }: { row: PoseRow; view: PosesView }) {
  const joint = view.jointOf(row.channels[0]!);
  const own = row.kind === "joint" ? joint : null;
  const isLimb = row.kind === "limb";
  const choose = (): void => {
    if (isLimb) {
      if (row.limb) selectLimb(row.limb);
      return toggleLimb(row.key);
    }
    cursorRow.value = row.key;
    state.selectedJoint.value = joint;
  };
  const hover = (over: boolean) => (): void => {
    if (!isLimb) state.hoveredJoint.value = over ? joint : null;
  };
  const chosen = row.key === cursorRow.value || (own !== null && own === state.selectedJoint.value);
  const lit = own !== null && own === state.hoveredJoint.value;
  return (
    <button
      type="button" class={classes("pose-row", row.kind, chosen && "chosen", lit && "hovered")}
      title={own === null ? row.label : view.channels[row.channels[0]!]} data-row={row.key}
      data-joint={own ?? undefined} aria-expanded={isLimb ? row.open : undefined} onClick={choose}
      onPointerEnter={hover(true)} onPointerLeave={hover(false)}
    >
      {isLimb && <Icon name="right" />}
      {own === null && <span class="swatch" data-limb={row.limb ?? "root"} />}
      <span class="pose-row-name">{row.label}</span>
    </button>
  );
}
