/** Changes by presses of a key in a row: one drag, committed as one undo step when no press follows. */

import type { Transaction } from "./transaction";

const COMMIT_AFTER = 400; // milliseconds without a press

type Open = Pick<Transaction, "commit" | "discard">;

export class Nudges<T, D extends Open = Open> {
  /** What the presses so far amount to; null where nothing is under way. */
  current: T | null = null;
  /** The drag that the presses update. */
  drag: D | null = null;
  private timer = 0;

  /** `kept` is told what was kept: to announce it. */
  constructor(private readonly kept: (nudged: T) => void = () => undefined) {}

  /** A press updated a drag: wait for the next one. */
  go(drag: D, nudged: T): void {
    this.drag = drag;
    this.current = nudged;
    clearTimeout(this.timer);
    this.timer = Number(setTimeout(() => this.settle(), COMMIT_AFTER));
  }

  /** Keep what was nudged so far. */
  settle(): void {
    const { drag, current } = this;
    this.end();
    drag?.commit();
    if (current !== null) this.kept(current);
  }

  /** Give up what was nudged; false where nothing was. */
  giveUp(): boolean {
    const { drag } = this;
    this.end();
    drag?.discard();
    return drag !== null;
  }

  private end(): void {
    clearTimeout(this.timer);
    this.current = this.drag = null;
  }
}
