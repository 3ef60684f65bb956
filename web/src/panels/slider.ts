/** A slider: the browser's own, with what is chosen filled. It previews while it is dragged; Esc restores. */

import { assign, element, watch } from "./dom";
import type { Editing } from "./parameter";

export interface SliderOptions extends Editing<number> {
  label: string;
  value(): number | null;
  bounds(): [number, number];
  step: number;
  /** As a screen reader says it. */
  spoken?: (value: number) => string;
}

export function slider(options: SliderOptions): HTMLInputElement {
  const input = element("input", { type: "range", className: "slider", ariaLabel: options.label });
  let held = false;
  let givenUp = false;
  const show = (): void => {
    // A value beyond the usual bounds widens them: a slider never lies about where it is.
    const [low, high] = options.bounds();
    const given = options.value();
    const value = given ?? low;
    input.classList.toggle("unset", given === null);
    assign(input, {
      min: String(Math.min(low, value)), max: String(Math.max(high, value)), step: String(options.step),
    });
    if (!held) assign(input, { value: String(value) });
    if (options.spoken) assign(input, { ariaValueText: options.spoken(Number(input.value)) });
    fill(input);
  };
  watch(show);
  input.oninput = () => {
    if (givenUp) {
      show();
      return;
    }
    held = true;
    fill(input);
    options.preview(Number(input.value));
  };
  input.onchange = () => {
    held = false;
    if (!givenUp) options.commit(Number(input.value));
    else show();
  };
  // In braces: a handler that returns false would keep the browser from dragging.
  input.onpointerdown = input.onpointerup = () => {
    givenUp = false;
  };
  input.onkeydown = (event) => {
    if (event.key !== "Escape") {
      givenUp = false;
    } else if (held) {
      event.stopPropagation();
      held = false;
      givenUp = true;
      options.discard();
      show();
    }
  };
  return input;
}

function fill(input: HTMLInputElement): void {
  const [low, high] = [Number(input.min), Number(input.max)];
  const share = high > low ? (Number(input.value) - low) / (high - low) : 0;
  input.style.setProperty("--share", String(share));
}
