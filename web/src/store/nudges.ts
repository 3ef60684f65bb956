/** Changes by presses of a key in a row: previews that become one step of undo once the hand rests. */

import * as actions from "./actions";

const COMMIT_AFTER = 400; // milliseconds without a press

export class Nudges<T> {
  /** What the presses so far amount to; null where nothing is under way. */
  current: T | null = null;
  private timer = 0;

  /** `kept` is told what was kept: to announce it. */
  constructor(private readonly kept: (nudged: T) => void = () => undefined) {}

  /** A press was previewed: wait for the next one. */
  go(nudged: T): void {
    this.current = nudged;
    clearTimeout(this.timer);
    this.timer = Number(setTimeout(() => this.settle(), COMMIT_AFTER));
  }

  /** Keep what was nudged so far. */
  settle(): void {
    const nudged = this.end();
    if (nudged === null) return;
    actions.commit();
    this.kept(nudged);
  }

  /** Give up what was nudged; false where nothing was. */
  giveUp(): boolean {
    if (this.end() === null) return false;
    actions.discard();
    return true;
  }

  private end(): T | null {
    clearTimeout(this.timer);
    const nudged = this.current;
    this.current = null;
    return nudged;
  }
}
