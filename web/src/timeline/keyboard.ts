/** Keys that concern the timeline. */

import * as actions from "../store/actions";
import * as state from "../store/state";
import { announceKey, movedKey, removeKey, selectKey, settleKey } from "./key_edits";
import { showReadout } from "./hover_name";
import type { Pointer } from "./pointer";
import type { Refusal } from "./refusal";
import { roomOf, scene } from "./scene";
import type { Stage } from "./stage";
import { typeKey } from "./typing";

const COMMIT_AFTER = 400; // milliseconds: presses in a row are one step of undo

export class Keyboard {
  private timer = 0;
  private nudged: { index: number; refusal: Refusal | null } | null = null;

  constructor(private readonly stage: Stage, private readonly pointer: Pointer) {}

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
    announceKey(scene.value, nudged.index, nudged.refusal);
  }

  private use(event: KeyboardEvent): boolean {
    if (event.key === "Escape") return this.escape();
    if (this.pointer.dragging || event.ctrlKey || event.metaKey) return false;
    const active = document.activeElement;
    const focused = this.stage.root.contains(active);
    // G and Delete mean the selected key wherever the focus is not in something else.
    if (!focused && active !== document.body && active !== null) return false;
    const { selected, keys } = scene.value;
    if (event.key === "Delete" || event.key === "Backspace") {
      if (selected === null) return false;
      this.settle();
      removeKey(scene.value, selected);
      return true;
    }
    if (event.key.toLowerCase() === "g" && !event.altKey) return this.pointer.grab();
    if (!focused) return false;
    const onCard = active instanceof HTMLButtonElement && !active.dataset["key"];
    switch (event.key) {
      case "ArrowUp":
        return this.choose(selected === null ? keys.length - 1 : selected - 1);
      case "ArrowDown":
        return this.choose(selected === null ? 0 : selected + 1);
      case "ArrowLeft":
      case "ArrowRight": {
        const way = event.key === "ArrowLeft" ? -1 : 1;
        if (selected === null) return false;
        return event.altKey ? this.choose(selected + way) : this.nudge(selected, way, event.shiftKey);
      }
      case "Enter":
        if (selected === null || onCard) return false;
        this.settle();
        typeKey(this.stage, selected);
        return true;
      default:
        return false;
    }
  }

  /** What is under way goes first, then the card, then the selection. */
  private escape(): boolean {
    if (this.pointer.cancel()) return true;
    if (this.nudged) {
      window.clearTimeout(this.timer);
      this.nudged = null;
      actions.discard();
      this.stage.chip.hide();
      this.stage.card.hide();
      return true;
    }
    if (this.stage.card.shown) {
      this.stage.card.hide();
      return true;
    }
    if (!this.stage.root.contains(document.activeElement) || state.selectedKey.value === null) return false;
    state.selectedKey.value = null;
    this.stage.chip.hide();
    return true;
  }

  private choose(index: number): boolean {
    const { keys } = scene.value;
    if (!keys.length) return false;
    this.settle();
    const chosen = Math.min(Math.max(index, 0), keys.length - 1);
    selectKey(chosen);
    showReadout(this.stage, chosen);
    announceKey(scene.value, chosen, null);
    return true;
  }

  /** Move a key by a frame of the output, or of the source. */
  private nudge(index: number, way: number, source: boolean): boolean {
    const plot = this.stage.plot();
    const { scene: now } = plot;
    const room = roomOf(now, index);
    const key = now.keys[index];
    if (!room || !key || !now.step || !now.editable) return false;
    const [start] = now.output;
    const wish: state.Key = source
      ? [key[0], key[1] + way / (now.source?.fps ?? now.fps)]
      : [start + (Math.round((key[0] - start) * now.fps) + way) / now.fps, key[1]];
    // A frame may be less than a pixel: judged by frames, a key that cannot take one is refused.
    const scale: state.Key = [4 * now.fps, 4 * now.fps];
    const { key: placed, refusal } = settleKey(now, room, index, wish, scale, () => (source ? key[0] : wish[0]));
    this.nudged = { index, refusal };
    actions.preview({ id: now.step.id, parameters: movedKey(now, index, key, placed) });
    actions.seek(now.times.toResult(placed[0]));
    if (refusal) this.stage.refuse(refusal, index, wish);
    else this.stage.card.hide();
    showReadout(this.stage, index);
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.settle(), COMMIT_AFTER);
    return true;
  }
}
