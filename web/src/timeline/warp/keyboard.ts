/** Keys that concern the timeline. */

import * as actions from "../../store/actions";
import { deleteContact, selectedContact } from "../../store/contacts";
import * as state from "../../store/state";
import { begin, type Transaction } from "../../store/transaction";
import { announceKey, movedKey, removeKey, selectKey, settleKey } from "./key_edits";
import { showReadout } from "./hover_name";
import { PlotKeyboard } from "../plot/plot_keyboard";
import { grabKey, type Pointer } from "./pointer";
import type { Refusal } from "./refusal";
import { roomOf, scene } from "../plot/scene";
import type { GestureHost } from "../plot/gesture_host";
import { typeKey } from "./typing";

interface Nudged {
  index: number;
  refusal: Refusal | null;
}

export class Keyboard extends PlotKeyboard<GestureHost, Pointer, Nudged, Transaction> {
  protected override kept({ index, refusal }: Nudged): void {
    announceKey(scene.value, index, refusal);
  }

  // G and Delete mean the selected key wherever the focus is not in something else.
  protected override key(event: KeyboardEvent, focused: boolean, active: Element | null): boolean {
    const { selected, keys } = scene.value;
    if (event.key === "Delete" || event.key === "Backspace") {
      const contact = selectedContact.value;
      if (contact) {
        deleteContact(contact);
        state.announcement.value = "The contact is deleted.";
        return true;
      }
      if (selected === null) return false;
      this.settle();
      removeKey(scene.value, selected);
      return true;
    }
    if (event.key.toLowerCase() === "g" && !event.altKey) return grabKey(this.host, this.hand);
    if (!focused) return false;
    const onCard = active instanceof HTMLButtonElement && !active.dataset["mark"];
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
        typeKey(this.host, selected);
        return true;
      default:
        return false;
    }
  }

  protected override gaveUp(): void {
    this.host.chip.hide();
    this.host.card.hide();
  }

  protected override deselect(): boolean {
    if (!this.host.root.contains(document.activeElement) || state.selectedKey.value === null) return false;
    state.selectedKey.value = null;
    this.host.chip.hide();
    return true;
  }

  private choose(index: number): boolean {
    const { keys } = scene.value;
    if (!keys.length) return false;
    this.settle();
    const chosen = Math.min(Math.max(index, 0), keys.length - 1);
    selectKey(chosen);
    showReadout(this.host, chosen);
    announceKey(scene.value, chosen, null);
    return true;
  }

  /** Move a key by a frame of the output, or of the source. */
  private nudge(index: number, way: number, source: boolean): boolean {
    const plot = this.host.plot();
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
    const drag = this.nudges.drag ?? begin(now.step.id);
    drag.update({ parameters: movedKey(now, index, key, placed) });
    actions.seek(now.times.toResult(placed[0]));
    if (refusal) this.host.refuse(refusal, index, wish);
    else this.host.card.hide();
    showReadout(this.host, index);
    this.nudges.go(drag, { index, refusal });
    return true;
  }
}
