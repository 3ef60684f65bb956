/** A number to type, to step with the arrow keys and to drag: `ew-resize`, Shift is ten times finer. */

import * as state from "../store/state";
import { clockOf, parseTime } from "../store/times";
import { assign, element, watch } from "./dom";
import { digitsFor, number as shownNumber, parseNumber } from "./format";
import type { Editing } from "./parameter";

export interface NumberOptions extends Editing<number> {
  label: string;
  value(): number | null;
  unit?: string;
  /** What one pixel of a drag and one press of an arrow key add. */
  step?: number;
  digits?: number;
  minimum?: number | null;
  maximum?: number | null;
  whole?: boolean;
  /** Shown while there is no value. */
  placeholder?: () => string;
  /** Reads what is typed, where it is more than a number. */
  parse?: (typed: string) => number | null;
  /** What an emptied field means; without it an empty field goes back to its value. */
  clear?: () => void;
  readOnly?: boolean;
}

/** Pixels before a press becomes a drag. */
const SLOP = 3;

export function numberField(options: NumberOptions): HTMLElement {
  const input = element("input", {
    type: "text",
    inputMode: "decimal",
    ariaLabel: options.unit ? `${options.label}, ${options.unit}` : options.label,
    autocomplete: "off",
    spellcheck: false,
    readOnly: options.readOnly ?? false,
  });
  const made = element(
    "span",
    { className: "number" },
    input,
    options.unit ? element("span", { className: "unit", textContent: options.unit }) : null,
  );
  const show = (): void => {
    input.value = written(options, options.value());
  };
  watch(() => {
    const text = written(options, options.value());
    assign(input, { placeholder: options.placeholder?.() ?? "" });
    if (!typing(input) || input.dataset["dragged"]) assign(input, { value: text });
  });
  if (options.readOnly) return made;

  input.onfocus = () => input.select();
  input.onblur = () => settle(input, options, show);
  input.oninput = () => (input.dataset["typed"] = "yes");
  input.onkeydown = (event) => type(event, input, options, show);
  input.onkeyup = (event) => {
    if (input.dataset["dragged"] && event.key.startsWith("Arrow")) finish(input, options);
  };
  scrub(made, input, options);
  return made;
}

const typing = (input: HTMLInputElement): boolean =>
  document.activeElement === input && input.dataset["typed"] === "yes";

function written(options: NumberOptions, value: number | null): string {
  if (value === null) return "";
  return shownNumber(value, options.whole ? 0 : digitsFor(value, options.digits ?? 2));
}

export function within(value: number, options: Pick<NumberOptions, "minimum" | "maximum" | "whole">): number {
  const low = Math.max(value, options.minimum ?? -Infinity);
  const kept = Math.min(low, options.maximum ?? Infinity);
  return options.whole ? Math.round(kept) : Math.round(kept * 1e6) / 1e6;
}

/** Read what was typed: a time where the unit is seconds; a percentage is a share where the unit is another. */
function read(typed: string, options: NumberOptions): number | null {
  if (options.parse) return options.parse(typed);
  if (options.unit === "s") return parseTime(typed, "length", clockOf(state.selectedStep.value));
  const value = parseNumber(typed);
  const isShare = value !== null && options.unit !== "%" && /%\s*$/.test(typed);
  return isShare ? value / 100 : value;
}

/** Keep what was typed, or go back where it is no number. */
function settle(input: HTMLInputElement, options: NumberOptions, show: () => void): void {
  if (input.dataset["dragged"]) finish(input, options);
  if (!input.dataset["typed"]) return;
  delete input.dataset["typed"];
  const value = read(input.value, options);
  if (value !== null) options.commit(within(value, options));
  else if (!input.value.trim()) options.clear?.();
  show();
}

function type(event: KeyboardEvent, input: HTMLInputElement, options: NumberOptions, show: () => void): void {
  if (event.key === "Enter") {
    settle(input, options, show);
    input.select();
  } else if (event.key === "Escape") {
    event.stopPropagation();
    if (input.dataset["dragged"]) options.discard();
    delete input.dataset["dragged"];
    delete input.dataset["typed"];
    show();
    input.blur();
  } else if (event.key === "ArrowUp" || event.key === "ArrowDown") {
    event.preventDefault();
    const fine = event.shiftKey && !options.whole ? 0.1 : 1;
    const step = (options.step ?? 0.01) * (event.key === "ArrowUp" ? fine : -fine);
    const value = within((read(input.value, options) ?? options.value() ?? 0) + step, options);
    delete input.dataset["typed"];
    input.dataset["dragged"] = String(value);
    options.preview(value);
    input.value = written(options, value);
  }
}

function finish(input: HTMLInputElement, options: NumberOptions): void {
  const value = Number(input.dataset["dragged"]);
  delete input.dataset["dragged"];
  options.commit(value);
}

/** Drag a number sideways; a press that does not move is a click into the field. */
function scrub(made: HTMLElement, input: HTMLInputElement, options: NumberOptions): void {
  made.onpointerdown = (press) => {
    if (press.button !== 0 || document.activeElement === input) return;
    press.preventDefault();
    const start = options.value() ?? parseNumber(input.placeholder) ?? 0;
    let value: number | null = null;
    let x = press.clientX;
    let travelled = 0;
    const move = (event: PointerEvent): void => {
      travelled += (event.clientX - x) * (event.shiftKey ? 0.1 : 1);
      x = event.clientX;
      if (value === null && Math.abs(travelled) < SLOP) return;
      value = within(start + travelled * (options.step ?? 0.01), options);
      input.dataset["dragged"] = String(value);
      options.preview(value);
    };
    const end = (): void => {
      made.releasePointerCapture(press.pointerId);
      made.removeEventListener("pointermove", move);
      made.removeEventListener("pointerup", release);
      made.removeEventListener("pointercancel", giveUp);
      window.removeEventListener("keydown", escape, true);
      delete input.dataset["dragged"];
    };
    const release = (): void => {
      end();
      if (value === null) input.focus();
      else options.commit(value);
    };
    const giveUp = (): void => {
      end();
      options.discard();
    };
    const escape = (event: KeyboardEvent): void => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      giveUp();
    };
    made.setPointerCapture(press.pointerId);
    made.addEventListener("pointermove", move);
    made.addEventListener("pointerup", release);
    made.addEventListener("pointercancel", giveUp);
    window.addEventListener("keydown", escape, true);
  };
}
