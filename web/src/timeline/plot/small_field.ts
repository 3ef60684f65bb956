/** A small field over a mark, to type what it says: Enter keeps it; Esc, or a focus elsewhere, leaves it. */

import type { Place } from "./chip";
import type { GestureHost } from "./gesture_host";

export interface SmallField<T> {
  label: string;
  value: string;
  /** Where the mark is. */
  at: Place;
  /** What was typed means; null where it means nothing. */
  parse(text: string): T | null;
  keep(typed: T): void;
}

export function openField<T>(
  host: Pick<GestureHost, "root" | "canvas">, { label, value, at, parse, keep }: SmallField<T>,
): void {
  const field = document.createElement("input");
  field.className = "timeline-field";
  field.value = value;
  field.setAttribute("aria-label", label);
  field.title = label;
  host.root.append(field);
  const [right, bottom] = [host.root.clientWidth - field.offsetWidth, host.root.clientHeight - field.offsetHeight];
  field.style.left = `${Math.min(Math.max(at.x - field.offsetWidth / 2, 0), right)}px`;
  field.style.top = `${Math.min(at.y + 14, bottom)}px`;
  field.select();
  field.focus({ preventScroll: true });
  const close = (): void => {
    field.removeEventListener("blur", close); // taking it away blurs it once more
    field.remove();
  };
  field.addEventListener("blur", close);
  field.addEventListener("keydown", (event) => {
    event.stopPropagation(); // typed digits are no short cuts
    if (event.key !== "Enter" && event.key !== "Escape") return;
    const typed = event.key === "Enter" ? parse(field.value) : null;
    if (event.key === "Enter" && typed === null) return field.setAttribute("aria-invalid", "true");
    close();
    host.canvas.focus({ preventScroll: true });
    if (typed !== null) keep(typed);
  });
}
