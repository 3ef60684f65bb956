/** When something is painted: with the next frame, or, while a drag's result is on its way, with that. */

import * as state from "./state";

/** Milliseconds that a frame waits for a result. */
const LONGEST_WAIT = 60;

export class Frames {
  private frame = 0;
  private timer = 0;
  private painted: unknown = null;
  /** The result that was waited for in vain: nothing waits again until another has come. */
  private late: unknown = undefined;

  /** `patient`: whether a frame may wait; where frames are dear, one that is old already holds up the new one. */
  constructor(private readonly paint: () => void, private readonly patient: boolean) {}

  ask(): void {
    if (this.frame) return;
    if (!this.mayWait()) {
      this.clear();
      this.frame = requestAnimationFrame(this.run);
      return;
    }
    this.timer ||= window.setTimeout(() => {
      this.timer = 0;
      this.late = state.result.peek();
      this.frame ||= requestAnimationFrame(this.run);
    }, LONGEST_WAIT);
  }

  /** Paint at once what was asked for. */
  now(): void {
    if (this.frame || this.timer) this.run();
  }

  /** What was asked for is not needed any more: it is painted, or will never be. */
  cancel(): void {
    this.clear();
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.painted = state.result.peek();
  }

  private mayWait(): boolean {
    const now = state.result.peek();
    const awaited = state.pending.peek() !== null && state.computing.peek();
    return this.patient && awaited && now === this.painted && now !== this.late;
  }

  private clear(): void {
    window.clearTimeout(this.timer);
    this.timer = 0;
  }

  private readonly run = (): void => {
    this.cancel();
    this.paint();
  };
}
