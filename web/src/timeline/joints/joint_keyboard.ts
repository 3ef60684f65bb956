/** Keys that concern the Joint times tab. */

import * as actions from "../../store/actions";
import * as state from "../../store/state";
import { removeSurface } from "../../store/surface";
import type { Refusal } from "../refusal";
import type { JointPointer } from "./joint_pointer";
import { jointScene, soloLimb } from "./joint_scene";
import type { JointStage } from "./joint_stage";
import { announceSurface, KeyMover, selectSurface } from "./surface_edits";

const COMMIT_AFTER = 400; // milliseconds: presses in a row are one step of undo

export class JointKeyboard {
  private timer = 0;
  private nudged: { mover: KeyMover; index: number; wish: number; refusal: Refusal | null } | null = null;

  constructor(private readonly stage: JointStage, private readonly pointer: JointPointer) {}

  handle(event: KeyboardEvent): boolean {
    const used = this.use(event);
    if (used) event.preventDefault();
    return used;
  }

  /** Keep what was nudged so far. */
  settle(): void {
    window.clearTimeout(this.timer);
    const nudged = this.nudged;
    if (!nudged) return;
    this.nudged = null;
    actions.commit();
    announceSurface(nudged.index, nudged.refusal);
  }

  private use(event: KeyboardEvent): boolean {
    if (event.key === "Escape") return this.escape();
    if (this.pointer.dragging || event.ctrlKey || event.metaKey) return false;
    const active = document.activeElement;
    const focused = this.stage.root.contains(active);
    // Delete means the selected key after a drag in the view too: a press there gives its area the focus.
    const idle = active === null || active === document.body || active.matches("[data-area]");
    if (!focused && !idle) return false;
    const { selected, marks, base } = jointScene.value;
    if (selected === null || !base.editable) return false;
    if (event.key === "Delete" || event.key === "Backspace") {
      this.settle();
      removeSurface(selected);
      return true;
    }
    if (!focused || (active instanceof HTMLButtonElement && !active.dataset["key"])) return false;
    switch (event.key) {
      case "ArrowUp": return this.choose(selected - 1);
      case "ArrowDown": return this.choose(selected + 1);
      case "ArrowLeft":
      case "ArrowRight":
        return marks[selected] ? this.nudge(selected, event.key === "ArrowLeft" ? -1 : 1) : false;
      case "Enter": return this.type();
      default: return false;
    }
  }

  /** What is under way goes first, then the card, then the limb that is shown alone. */
  private escape(): boolean {
    if (this.pointer.cancel()) return true;
    if (this.nudged) {
      window.clearTimeout(this.timer);
      this.nudged = null;
      actions.discard();
      this.stage.card.hide();
      return true;
    }
    if (this.stage.card.shown) {
      this.stage.card.hide();
      return true;
    }
    if (soloLimb.value === null) return false;
    soloLimb.value = null;
    return true;
  }

  private choose(index: number): boolean {
    this.settle();
    const chosen = Math.min(Math.max(index, 0), jointScene.value.marks.length - 1);
    selectSurface(chosen);
    announceSurface(chosen, null);
    return true;
  }

  /** Move a key by a frame. */
  private nudge(index: number, way: number): boolean {
    const mark = jointScene.value.marks[index]!;
    if (this.nudged?.index !== index) {
      this.settle();
      this.nudged = { mover: new KeyMover(mark), index, wish: mark.key.time, refusal: null };
    }
    const { nudged } = this;
    const moved = nudged.mover.move(nudged.wish + way / state.fps.value);
    nudged.wish = moved.time;
    nudged.refusal = moved.refusal;
    if (moved.refusal) this.stage.card.show(moved.refusal, this.stage.plot().time.at(mark.arrival), moved.lift);
    else this.stage.card.hide();
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.settle(), COMMIT_AFTER);
    return true;
  }

  /** The shift is typed where it is shown: in the inspector. */
  private type(): boolean {
    this.settle();
    const field = document.querySelector<HTMLInputElement>("[data-surface=shift] .number input");
    field?.focus();
    return field !== null;
  }
}
