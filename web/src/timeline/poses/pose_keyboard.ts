/** Keys of the pose editor. */

import * as actions from "../../store/actions";
import { deletePose, EditsDrag, placePose, sayLater, selectPose } from "../../store/poses";
import * as state from "../../store/state";
import { seconds } from "../plot/axis";
import { PlotKeyboard } from "../plot/plot_keyboard";
import { KnotDrag } from "./knot_drag";
import { placeOfMark } from "./pose_names";
import type { PoseHost } from "./pose_plot";
import { carryPoses, startBox, type PosePointer } from "./pose_pointer";
import { markTime, type PoseRow } from "./pose_rows";
import { cursorRow, inHand, knotsOfRow, poseScene, selection } from "./pose_scene";
import { typePose } from "./pose_typing";

/** A move by presses in a row: how far so far, what there is to say of it, and how it goes on. */
interface Nudging {
  frames: number;
  said: string;
  go: Move;
}

/** Move by frames within one drag; what there is to say of it. */
interface Move {
  (frames: number): string;
  drag: EditsDrag;
}

export class PoseKeyboard extends PlotKeyboard<PoseHost, PosePointer, Nudging, EditsDrag> {
  protected override kept({ said }: Nudging): void {
    state.announcement.value = said;
  }

  // Letters mean the poses wherever the focus is not in something else.
  protected override key(event: KeyboardEvent, focused: boolean, active: Element | null): boolean {
    return this.letter(event) || (focused && active === this.host.canvas && this.arrow(event));
  }

  private letter(event: KeyboardEvent): boolean {
    const { selected, view } = poseScene.value;
    if (!view) return false;
    switch (event.key.length === 1 ? event.key.toLowerCase() : event.key) {
      case "a":
        return event.altKey ? this.selectNone() : this.selectAll();
      case "b":
        return startBox(this.host, this.hand);
      case "g":
        this.settle();
        return carryPoses(this.host, this.hand, "move");
      case "s":
        this.settle();
        return carryPoses(this.host, this.hand, "scale");
      case "Delete":
      case "Backspace":
        if (selected === null) return false;
        this.settle();
        selection.value = new Set();
        if (!deletePose(selected)) this.say(view.whyNot(selected), selected);
        return true;
      default:
        return false;
    }
  }

  private arrow(event: KeyboardEvent): boolean {
    const { selected } = poseScene.value;
    const way = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (event.key === "Enter" && selected !== null) {
      this.settle();
      typePose(this.host, selected, this.row);
      return true;
    }
    if (!way) return false;
    if (event.key === "ArrowUp" || event.key === "ArrowDown") return this.toRow(way);
    return event.altKey ? this.nudge(way) : this.toPose(way);
  }

  private get row(): PoseRow | null {
    return poseScene.value.rows.find((row) => row.key === cursorRow.value) ?? null;
  }

  private selectAll(): boolean {
    const { view, rows } = poseScene.value;
    const poses = Array.from({ length: view!.count }, (_, k) => k).filter((k) => view!.isFree(k));
    selection.value = new Set(poses.flatMap((k) => rows.flatMap((row) => knotsOfRow(view!, row, k))));
    state.announcement.value = `All ${selection.value.size} parts are selected.`;
    return true;
  }

  private selectNone(): boolean {
    selection.value = new Set();
    cursorRow.value = null;
    state.announcement.value = "Nothing is selected.";
    return true;
  }

  private toPose(way: number): boolean {
    const { view, selected } = poseScene.value;
    if (!view?.count) return false;
    this.settle();
    const atPlayhead = (): number => view.at(state.stepTimes.value.fromResult(state.time.value), Infinity) ?? 0;
    const next = selected === null ? atPlayhead() : selected + way;
    selectPose(Math.min(Math.max(next, 0), view.count - 1));
    this.followCursor();
    return true;
  }

  /** Up and down go through the rows; above the first are whole poses. */
  private toRow(way: number): boolean {
    const { rows, selected } = poseScene.value;
    if (selected === null) return this.toPose(0);
    this.settle();
    const closed = rows.filter((row) => !row.open);
    const now = closed.findIndex((row) => row.key === cursorRow.value);
    const next = Math.min(now + way, closed.length - 1);
    cursorRow.value = closed[next]?.key ?? null;
    this.host.revealRow(rows.findIndex((row) => row.key === cursorRow.value));
    this.followCursor();
    return true;
  }

  /** Select the mark that the cursor is on, and say what it is. */
  private followCursor(): void {
    const { view, selected } = poseScene.value;
    const row = this.row;
    if (!view || selected === null) return;
    selection.value = new Set(row ? knotsOfRow(view, row, selected) : []);
    if (row?.kind === "joint") state.selectedJoint.value = view.jointOf(row.channels[0]!);
    const late = row ? (markTime(view, row, selected) ?? view.times[selected]!) - view.times[selected]! : 0;
    const part = row ? `, ${row.label} ${sayLater(late)}` : "";
    state.announcement.value = `Pose ${selected + 1} of ${view.count}, ${seconds(view.times[selected]!)}${part}.`;
  }

  private nudge(way: number): boolean {
    const { view, selected, base } = poseScene.value;
    if (!view || selected === null || !base.editable) return false;
    if (!view.isFree(selected)) {
      this.say(view.whyNot(selected), selected);
      return true;
    }
    const go = this.nudges.current?.go ?? (this.row ? this.movesParts(selected, this.row) : this.movesPose(selected));
    const frames = (this.nudges.current?.frames ?? 0) + way;
    this.nudges.go(go.drag, { frames, said: go(frames), go });
    return true;
  }

  private movesPose(k: number): Move {
    const view = poseScene.value.view!;
    const drag = new EditsDrag(view.step);
    return Object.assign((frames: number) => {
      const { time, refusal } = placePose(view, k, view.times[k]! + frames / state.fps.value);
      inHand.value = view.moved(k, time);
      drag.update({ do: "retime", pose: k, time: actions.round(time) });
      actions.seek(state.stepTimes.value.toResult(time));
      if (refusal) this.say(refusal, k);
      return `Pose ${k + 1} at ${seconds(time)}.${refusal ? ` ${refusal}` : ""}`;
    }, { drag });
  }

  private movesParts(pose: number, row: PoseRow): Move {
    const view = poseScene.value.view!;
    if (!knotsOfRow(view, row, pose).some((id) => selection.value.has(id)))
      selection.value = new Set(knotsOfRow(view, row, pose));
    const drag = new KnotDrag(this.host, { pose, row }, () => undefined);
    return Object.assign((frames: number) => {
      drag.moveBy(frames / state.fps.value);
      return drag.said();
    }, { drag: drag.edits });
  }

  private say(text: string, k: number): void {
    state.announcement.value = text;
    const at = placeOfMark(this.host.posePlot(), k, null);
    this.host.say(text, at?.x ?? 0);
  }

  protected override gaveUp(): void {
    inHand.value = null;
  }

  protected override deselect(): boolean {
    if (!this.host.root.contains(document.activeElement)) return false;
    if (!selection.value.size && state.selectedPose.value === null) return false;
    if (selection.value.size) this.selectNone();
    else state.selectedPose.value = null;
    return true;
  }
}
