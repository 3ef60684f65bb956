/** Keys of a plot: what every tab with marks does alike, round the keys that are its own. */

import { Nudges } from "../../store/nudges";
import type { Transaction } from "../../store/transaction";
import type { RefusalCard } from "./refusal_card";

/** What the keys work on. */
export interface KeyHost {
  root: HTMLElement;
  card: RefusalCard;
}

/** What the hand has under way. */
export interface KeyHand {
  readonly dragging: boolean;
  cancel(): boolean;
}

type Open = Pick<Transaction, "commit" | "discard">;

/** `N` is what presses in a row amount to, `D` the drag that they update. */
export abstract class PlotKeyboard<S extends KeyHost, H extends KeyHand, N, D extends Open = Open> {
  protected readonly nudges: Nudges<N, D>;

  constructor(protected readonly host: S, protected readonly hand: H) {
    this.nudges = new Nudges<N, D>((nudged) => this.kept(nudged));
  }

  handle(event: KeyboardEvent): boolean {
    const used = this.use(event);
    if (used) event.preventDefault();
    return used;
  }

  /** Keep what was nudged so far. */
  settle(): void {
    this.nudges.settle();
  }

  /** A key while no drag is under way, and the focus is here or in nothing else; true where it was used. */
  protected abstract key(event: KeyboardEvent, focused: boolean, active: Element | null): boolean;
  /** Say what was nudged. */
  protected abstract kept(nudged: N): void;
  /** What was nudged is back where it was. */
  protected gaveUp(): void {}
  /** Give the selection up; false where there is none. */
  protected abstract deselect(): boolean;

  /** Whether the focus is in nothing that has keys of its own. */
  protected isIdle(active: Element | null): boolean {
    return active === null || active === document.body;
  }

  private use(event: KeyboardEvent): boolean {
    if (event.key === "Escape") return this.escape();
    if (this.hand.dragging || event.ctrlKey || event.metaKey) return false;
    const active = document.activeElement;
    const focused = this.host.root.contains(active);
    return (focused || this.isIdle(active)) && this.key(event, focused, active);
  }

  /** What is under way goes first, then the card, then the selection. */
  private escape(): boolean {
    if (this.hand.cancel()) return true;
    if (this.nudges.giveUp()) {
      this.gaveUp();
      return true;
    }
    if (!this.host.card.shown) return this.deselect();
    this.host.card.hide();
    return true;
  }
}
