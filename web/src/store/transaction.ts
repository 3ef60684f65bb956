/** A drag as one transaction: updated as often as the pointer moves, then committed as one undo step or discarded. */

import { batch } from "@preact/signals";
import type { ChangeStep } from "../protocol";
import { nextRequest, run, send, want } from "./connection";
import { isRefused } from "./solver";
import * as state from "./state";

/** What changes in a step: parameters, weight, mute or label. */
export type Change = Omit<ChangeStep, "type" | "id">;

/** The transaction whose change is shown; only one is at a time. */
let current: Transaction | null = null;

export class Transaction {
  private shown: ChangeStep | null = null;

  constructor(readonly step: string) {}

  /** Show a change; nothing is kept until `commit`. A drag that was still open is discarded. */
  update(change: Change): void {
    if (current !== this) current?.discard();
    current = this;
    const command: ChangeStep = { type: "change_step", id: this.step, ...change };
    this.shown = command;
    // In one batch: a view that sees the change also sees that its result is being computed.
    batch(() => {
      state.pending.value = command;
      const request = nextRequest();
      if (send({ type: "preview", request, command })) want(request, false);
    });
  }

  /** Keep the last update: one undo step. Keytimes that the solver refuses are discarded; no update, no step. */
  commit(): void {
    if (this.shown && this.isOpen) {
      if (isRefused(this.step, this.shown.parameters ?? {})) discardShown();
      else run(this.shown);
    }
    this.end();
  }

  /** Restore what was there before the first update. */
  discard(): void {
    if (this.isOpen) discardShown();
    this.end();
  }

  /** False before the first update, after the end, and when the server or another window dropped the change. */
  get isOpen(): boolean {
    return this.shown !== null && state.pending.peek() === this.shown;
  }

  private end(): void {
    this.shown = null;
    if (current === this) current = null;
  }
}

/** Begin a drag of a step. */
export const begin = (step: string): Transaction => new Transaction(step);

/** The drag that is open; another one where it is of another step. */
export function openDrag(step?: string): Transaction {
  return current && (step === undefined || current.step === step) ? current : begin(step ?? "");
}

/** Drop any change that is shown and not kept. */
export function discardShown(): void {
  if (!state.pending.peek()) return;
  batch(() => {
    state.pending.value = null;
    const request = nextRequest();
    if (send({ type: "discard", request })) want(request, true);
  });
}
