/** What takes less than a blink is not worth a sign: waiting shows after 150 ms. */

import { effect, signal, type ReadonlySignal } from "@preact/signals";
import * as state from "./state";

export const PATIENCE = 150;

/** A signal that turns true only after another has been true for a while, and false with it. */
export function afterWhile(source: ReadonlySignal<boolean>, ms = PATIENCE): ReadonlySignal<boolean> {
  const late = signal(false);
  effect(() => {
    if (!source.value) {
      late.value = false;
      return undefined;
    }
    const timer = setTimeout(() => (late.value = true), ms);
    return () => clearTimeout(timer);
  });
  return late;
}

/** Whether the result on screen has been out of date for long enough to say so. */
export const waiting = afterWhile(state.computing);

/** Call something once nothing has asked for it for a while. */
export function debounce(run: () => void, ms = PATIENCE): { ask(): void; stop(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    ask() {
      clearTimeout(timer);
      timer = setTimeout(run, ms);
    },
    stop: () => clearTimeout(timer),
  };
}
