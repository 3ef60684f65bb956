/** A slider: the browser's own, with what is chosen filled. It previews while it is dragged; Esc restores. */

import { useSignal } from "@preact/signals";
import type { TargetedInputEvent } from "preact";
import { useRef } from "preact/hooks";
import type { Drag, Editable } from "../store/editable";
import { classes } from "./classes";

export interface SliderProps {
  label: string;
  edit: Editable<number>;
  bounds: readonly [number, number];
  step?: number;
  /** As a screen reader says it. */
  spoken?: (value: number) => string;
}

export function Slider({ label, edit, bounds, step = 0.01, spoken }: SliderProps) {
  const held = useSignal<number | null>(null);
  const drag = useRef<Drag<number> | null>(null);
  const givenUp = useRef(false);
  const value = held.value ?? edit.value ?? bounds[0];
  // A value beyond the usual bounds widens them, so that the knob is always where the value is.
  const [low, high] = [Math.min(bounds[0], value), Math.max(bounds[1], value)];

  const onInput = ({ currentTarget }: TargetedInputEvent<HTMLInputElement>): void => {
    if (givenUp.current) {
      currentTarget.value = String(value); // the pointer is still down, and the browser goes on dragging
      return;
    }
    held.value = Number(currentTarget.value);
    drag.current ??= edit.drag();
    drag.current.update(held.value);
  };
  const end = (how: "commit" | "discard"): void => {
    drag.current?.[how]();
    drag.current = held.value = null;
  };
  const begin = (): void => {
    givenUp.current = false;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Escape") return begin();
    if (!drag.current) return;
    event.stopPropagation();
    givenUp.current = true;
    end("discard");
  };
  return (
    <input
      type="range" class={classes("slider", edit.value === null && "unset")} aria-label={label}
      aria-valuetext={spoken?.(value)} min={low} max={high} step={step} value={value}
      style={{ "--share": high > low ? (value - low) / (high - low) : 0 }}
      onInput={onInput} onChange={() => end("commit")} onKeyDown={onKeyDown}
      onPointerDown={begin} onPointerUp={begin}
    />
  );
}
