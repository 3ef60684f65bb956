/** A drag as one transaction: updated as often as the pointer moves, then committed as one undo step or discarded. */

import { batch } from "@preact/signals";
import type { ChangeStep } from "../protocol";
import { nextRequest, run, send, want } from "./connection";
import { isCertain, isRefused } from "./solver";
import * as state from "./state";
import { inUnit } from "../words/sentence";
import { between, hearVerdicts, isBeyond, solverStop, type Verdict } from "./verdicts";

/** What changes in a step: parameters, weight, mute or label. */
export type Change = Omit<ChangeStep, "type" | "id">;

/** How often the way to a limit is halved while the pointer rests beyond it. */
const HALVINGS = 5;

/** The transaction whose change is shown; only one is at a time. */
let current: Transaction | null = null;

export class Transaction {
  private shown: ChangeStep | null = null;
  /** What was sent to be judged, by request; only where the solver alone knows whether it takes it. */
  private readonly asked = new Map<number, ChangeStep>();
  private taken: ChangeStep | null = null;
  private refused: ChangeStep | null = null;
  private why = "";
  private halvings = 0;
  private isEnding = false;
  private stopHearing: (() => void) | null = null;

  /** A commit joins the undo step that made the revision `joins`, if nothing else has changed since. */
  constructor(readonly step: string, private readonly joins: number | null = null) {}

  /** Show a change; nothing is kept until `commit`. A drag that was still open is discarded. */
  update(change: Change): void {
    if (current !== this) current?.giveWay();
    current = this;
    const command: ChangeStep = { type: "change_step", id: this.step, ...change };
    this.halvings = HALVINGS;
    // Beyond what was refused, only the way there is asked about.
    if (this.refused && isBeyond(this.from(), this.refused.parameters, command.parameters)) return;
    batch(() => {
      solverStop.value = null;
      this.show(command);
    });
  }

  /**
   * Keep the last update: one undo step. What the solver refuses is not kept: the last that it took is; no update, no
   * step. Where only the solver knows, its answer is waited for.
   */
  commit(): void {
    if (!this.shown || !this.isOpen) return this.end();
    if (isRefused(this.step, this.shown.parameters ?? {})) discardShown();
    else if (this.isDoubtful) {
      this.isEnding = true;
      return;
    } else if (this.refused && this.shown === this.refused) this.keepTaken();
    else this.keep(this.shown);
    this.end();
  }

  /** Restore what was there before the first update. */
  discard(): void {
    if (this.isOpen) discardShown();
    this.end();
  }

  /** Another change begins: what waits for the solver's answer is kept, what is still dragged is not. */
  giveWay(): void {
    if (this.isEnding && this.isOpen && this.shown) {
      this.keep(this.shown);
      this.end();
    } else this.discard();
  }

  /** False before the first update, after the end, and when the server or another window dropped the change. */
  get isOpen(): boolean {
    return this.shown !== null && state.pending.peek() === this.shown;
  }

  /** Whether it was let go and waits for the solver's answer. */
  get isSettling(): boolean {
    return this.isEnding && this.isOpen;
  }

  /** Whether the solver has still to say if it takes what is shown. */
  private get isDoubtful(): boolean {
    return [...this.asked.values()].includes(this.shown!);
  }

  private show(command: ChangeStep): void {
    // In one batch: a view that sees the change also sees that its result is being computed.
    batch(() => {
      this.shown = command;
      state.pending.value = command;
      const request = nextRequest();
      if (!send({ type: "preview", request, command })) return;
      want(request, false);
      if (isCertain(this.step, command.parameters ?? {})) return;
      this.asked.set(request, command);
      this.stopHearing ??= hearVerdicts((verdict) => this.hear(verdict));
    });
  }

  private hear({ request, refused }: Verdict): void {
    if (request === Infinity && this.isSettling) return this.giveWay();
    const judged = this.asked.get(request);
    if (!judged) return;
    // Earlier ones that were passed over have no answer.
    for (const number of this.asked.keys()) if (number <= request) this.asked.delete(number);
    if (!this.isOpen) return this.end();
    if (refused === null) this.taken = judged;
    else [this.refused, this.why] = [judged, refused];
    if (judged !== this.shown) return;
    if (this.isEnding) {
      if (refused === null) this.keep(judged);
      else this.keepTaken();
      return this.end();
    }
    this.approach();
  }

  /** Go on towards the limit between what was taken and what was refused. */
  private approach(): void {
    const { refused } = this;
    if (!refused?.parameters) return;
    batch(() => {
      solverStop.value = `Stops here: ${inUnit(this.why)}`;
      const parameters = between(this.from(), refused.parameters, 0.5) as Record<string, unknown>;
      const isBetween = JSON.stringify(parameters) !== JSON.stringify(refused.parameters);
      if (this.halvings-- > 0 && isBetween) {
        this.show({ ...refused, parameters });
      } else if (this.taken && this.shown !== this.taken) this.show(this.taken);
    });
  }

  /** The values nearest to the limit that are known to be taken: of the drag, else those before it. */
  private from(): Record<string, unknown> {
    if (this.taken?.parameters) return this.taken.parameters;
    const before = committedStep(this.step)?.parameters ?? {};
    return Object.fromEntries(Object.keys(this.refused?.parameters ?? {}).map((name) => [name, before[name] ?? null]));
  }

  private keep(command: ChangeStep): void {
    run(command, this.joins);
  }

  private keepTaken(): void {
    if (this.taken) this.keep(this.taken);
    else discardShown();
    const title = this.taken ? "It stops at the limit" : "It was not kept";
    state.problems.value = [...state.problems.value, { type: "problem", title, text: this.why }];
  }

  private end(): void {
    this.shown = null;
    this.isEnding = false;
    this.asked.clear();
    this.stopHearing?.();
    this.stopHearing = null;
    if (solverStop.peek() !== null) solverStop.value = null;
    if (current === this) current = null;
  }
}

const committedStep = (id: string) => state.committed.peek()?.versions[state.version.peek()].find((s) => s.id === id);

/** Begin a drag of a step. */
export const begin = (step: string, joins: number | null = null): Transaction => new Transaction(step, joins);

/** The drag that is open; another one where it is of another step. */
export function openDrag(step?: string): Transaction {
  return current && (step === undefined || current.step === step) ? current : begin(step ?? "");
}

/** Keep what was let go and waits for the solver: another change comes. */
export function settle(): void {
  if (current?.isSettling) current.giveWay();
}

/** Take back what was let go and waits for the solver; false where nothing does. */
export function takeBackSettling(): boolean {
  if (!current?.isSettling) return false;
  current.discard();
  return true;
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
