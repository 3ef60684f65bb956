/** Words to type: Enter or leaving the field keeps them, Esc goes back. */

import { useSignal } from "@preact/signals";
import type { TargetedKeyboardEvent } from "preact";

interface TextProps {
  label: string;
  value: string;
  onChange(text: string): void;
  placeholder?: string;
  title?: string;
  /** Id of a list of words to choose from. */
  list?: string;
}

export function TextField({ label, value, onChange, ...rest }: TextProps) {
  const typed = useSignal<string | null>(null);
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLInputElement>): void => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    event.currentTarget.value = value; // so that leaving the field changes nothing
    event.currentTarget.blur();
    typed.value = null;
  };
  return (
    <input
      type="text" class="text" aria-label={label} value={typed.value ?? value} {...rest}
      onInput={(event) => (typed.value = event.currentTarget.value)}
      onChange={(event) => onChange(event.currentTarget.value.trim())}
      onBlur={() => (typed.value = null)} onKeyDown={onKeyDown}
    />
  );
}
