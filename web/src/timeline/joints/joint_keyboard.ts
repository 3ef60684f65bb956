/** Keys that concern the Joint times tab. */

import * as state from "../../store/state";
import { removeSurface } from "../../store/surface";
import { PlotKeyboard } from "../plot/plot_keyboard";
import type { Refusal } from "../warp/refusal";
import type { JointPointer } from "./joint_pointer";
import { jointScene, soloLimb } from "./joint_scene";
import type { JointHost } from "./joint_host";
import { announceSurface, KeyMover, selectSurface } from "./surface_edits";

interface Nudged {
  mover: KeyMover;
  index: number;
  wish: number;
  refusal: Refusal | null;
}

export class JointKeyboard extends PlotKeyboard<JointHost, JointPointer, Nudged> {
  protected override kept({ index, refusal }: Nudged): void {
    announceSurface(index, refusal);
  }

  /** Delete means the selected key after a drag in the view too: a press there gives its area the focus. */
  protected override isIdle(active: Element | null): boolean {
    return super.isIdle(active) || active!.matches("[data-area]");
  }

  protected override key(event: KeyboardEvent, focused: boolean, active: Element | null): boolean {
    const { selected, marks, base } = jointScene.value;
    if (selected === null || !base.editable) return false;
    if (event.key === "Delete" || event.key === "Backspace") {
      this.settle();
      removeSurface(selected);
      return true;
    }
    if (!focused || (active instanceof HTMLButtonElement && !active.dataset["mark"])) return false;
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

  protected override gaveUp(): void {
    this.host.card.hide();
  }

  /** The limb that is shown alone goes; a key stays selected. */
  protected override deselect(): boolean {
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
    if (this.nudges.current?.index !== index) this.settle();
    const { mover, wish } = this.nudges.current ?? { mover: new KeyMover(mark), wish: mark.key.time };
    const moved = mover.move(wish + way / state.fps.value);
    if (moved.refusal) this.host.card.show(moved.refusal, this.host.plot().time.at(mark.arrival), moved.lift);
    else this.host.card.hide();
    this.nudges.go(mover.drag, { mover, index, wish: moved.time, refusal: moved.refusal });
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
