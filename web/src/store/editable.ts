/** A value that a control edits: set at once, or dragged as one transaction. */

import * as actions from "./actions";
import { begin, type Change } from "./transaction";

/** A drag of one value: updated as often as the pointer moves, then committed or discarded. */
export interface Drag<T> {
  update(value: T): void;
  commit(): void;
  discard(): void;
}

export interface Editable<T> {
  readonly value: T | null;
  /** Keep a value: one undo step. */
  set(value: T): void;
  drag(): Drag<T>;
  /** What an emptied field means; without it the field shows its value again. */
  clear?(): void;
}

/**
 * A value of a step. `changeOf` makes the change that a value means, from the document as it is then; null where it
 * means none. `kept` is told a value that was kept: to announce it.
 */
export function ofStep<T>(
  step: string, value: T | null, changeOf: (value: T) => Change | null, kept?: (value: T) => void,
): Editable<T> {
  return {
    value,
    set(to) {
      const change = to === value ? null : changeOf(to);
      if (!change) return;
      actions.change(step, change);
      kept?.(to);
    },
    drag() {
      const transaction = begin(step);
      let last: T | null = null;
      return {
        update(to) {
          const change = changeOf(to);
          if (!change) return;
          last = to;
          transaction.update(change);
        },
        commit() {
          transaction.commit();
          if (last !== null) kept?.(last);
        },
        discard: () => transaction.discard(),
      };
    },
  };
}

/** A value of this window, which no undo step brings back. */
export function ofWindow<T>(value: T, set: (value: T) => void): Editable<T> {
  return {
    value,
    set,
    drag: () => ({ update: set, commit: () => undefined, discard: () => set(value) }),
  };
}
