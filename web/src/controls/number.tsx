/** A number to type, to step with the arrow keys and to drag: `ew-resize`, Shift is ten times finer. */

import { useSignal } from "@preact/signals";
import type { TargetedPointerEvent } from "preact";
import { useRef } from "preact/hooks";
import type { Drag, Editable } from "../store/editable";
import { isTimeReader, lengthReader, readNumber, type TimeReader } from "../store/times";
import { digitsFor, number, parseNumber } from "../words/numbers";
import { timeUnit } from "../words/units";
import { classes } from "./classes";
import { followPress } from "./press";

export interface Limits {
  minimum?: number | null | undefined;
  maximum?: number | null | undefined;
  whole?: boolean;
}

export interface NumberProps extends Limits {
  label: string;
  edit: Editable<number>;
  unit?: string | undefined;
  /** What one pixel of a drag and one press of an arrow key add. */
  step?: number;
  digits?: number;
  /** Shown while there is no value. */
  placeholder?: string;
  /** Reads what is typed, where it is more than a number of the unit. */
  parse?: ((typed: string) => number | null) | TimeReader | undefined;
  /** Show seconds, whatever unit was chosen for times. */
  seconds?: boolean;
  class?: string;
  title?: string;
}

/** Pixels before a press becomes a drag. */
const SLOP = 3;

export function NumberField(
  { label, edit, unit, step = 0.01, digits = 2, placeholder = "", parse, seconds, class: name, title, ...limits }: NumberProps,
) {
  const input = useRef<HTMLInputElement>(null);
  const typed = useSignal<string | null>(null);
  const nudging = useRef<Drag<number> | null>(null);
  const read = parse ?? ((entered: string) => readNumber(entered, unit));
  const times = unit !== "s" || seconds ? null : isTimeReader(read) ? read : lengthReader;
  const written = edit.value === null ? null : times?.write(edit.value);
  const plain = edit.value === null ? "" : number(edit.value, limits.whole ? 0 : digitsFor(edit.value, digits));
  const text = written ?? plain;
  const shownUnit = !times || timeUnit.value === "seconds" ? unit : timeUnit.value === "frames" ? "f" : "";
  const hint = times && placeholder && parseNumber(placeholder) !== null
    ? (times.write(parseNumber(placeholder)!) ?? placeholder) : placeholder;
  // Times that are shown in frames go from frame to frame.
  const stride = times && timeUnit.value !== "seconds" ? times.frame() : step;

  /** Keep what was typed or nudged; what is no number goes back. */
  const settle = (): void => {
    nudging.current?.commit();
    nudging.current = null;
    if (typed.value === null) return;
    const value = read(typed.value);
    if (value !== null) edit.set(within(value, limits));
    else if (!typed.value.trim()) edit.clear?.();
    typed.value = null;
  };
  const nudge = (by: number): void => {
    const now = read(typed.value ?? text) ?? edit.value ?? 0;
    typed.value = null;
    nudging.current ??= edit.drag();
    nudging.current.update(within(now + by, limits));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Enter") {
      settle();
      requestAnimationFrame(() => input.current?.select());
    } else if (event.key === "Escape") {
      event.stopPropagation();
      nudging.current?.discard();
      nudging.current = typed.value = null;
      input.current?.blur();
    } else if (event.key === "ArrowUp" || event.key === "ArrowDown") {
      event.preventDefault();
      const fine = event.shiftKey && !limits.whole ? 0.1 : 1;
      nudge(event.key === "ArrowUp" ? fine * stride : -fine * stride);
    }
  };
  /** Drag sideways; a press that does not move is a click into the field. */
  const onPointerDown = (press: TargetedPointerEvent<HTMLElement>): void => {
    if (press.button !== 0 || document.activeElement === input.current) return;
    press.preventDefault();
    const start = edit.value ?? parseNumber(placeholder) ?? 0;
    let [x, travelled] = [press.clientX, 0];
    let drag: Drag<number> | null = null;
    followPress(press.currentTarget, press, {
      move(event) {
        travelled += (event.clientX - x) * (event.shiftKey ? 0.1 : 1);
        x = event.clientX;
        if (!drag && Math.abs(travelled) < SLOP) return;
        drag ??= edit.drag();
        const by = stride === step ? travelled * step : Math.round((travelled * step) / stride) * stride;
        drag.update(within(start + by, limits));
      },
      release: () => (drag ? drag.commit() : input.current?.focus()),
      giveUp: () => drag?.discard(),
    });
  };
  return (
    <span class={classes("number", name)} title={title} onPointerDown={onPointerDown}>
      <input
        ref={input} type="text" inputMode="decimal" autocomplete="off" spellcheck={false}
        aria-label={shownUnit ? `${label}, ${shownUnit}` : label} placeholder={hint}
        value={typed.value ?? text} data-typed={typed.value === null ? undefined : "yes"}
        onInput={(event) => (typed.value = event.currentTarget.value)}
        onFocus={(event) => event.currentTarget.select()}
        onBlur={settle}
        onKeyDown={onKeyDown}
        onKeyUp={(event) => nudging.current && event.key.startsWith("Arrow") && settle()}
      />
      {shownUnit && <span class="unit">{shownUnit}</span>}
    </span>
  );
}

export function within(value: number, { minimum, maximum, whole }: Limits): number {
  const kept = Math.min(Math.max(value, minimum ?? -Infinity), maximum ?? Infinity);
  return whole ? Math.round(kept) : Math.round(kept * 1e6) / 1e6;
}
