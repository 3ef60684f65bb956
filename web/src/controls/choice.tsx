/** Choices among few: a list, or buttons of which one is on. */

import { classes } from "./classes";
import { Icon } from "./icon";

export interface Option {
  value: string;
  label: string;
  disabled?: boolean;
}

interface ChoiceProps {
  label: string;
  value: string;
  onChange(value: string): void;
}

/** Options under a heading. */
export interface OptionGroup {
  heading: string;
  options: Option[];
}

/** The browser's own list: it works with every aid there is. */
export function Select(
  { label, value, onChange, options = [], groups = [] }: ChoiceProps & { options?: Option[]; groups?: OptionGroup[] },
) {
  const listed = (of: Option[]) =>
    of.map((option) => <option key={option.value} value={option.value}>{option.label}</option>);
  return (
    <span class="select">
      <select aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {listed(options)}
        {groups.map((group) => (
          <optgroup key={group.heading} label={group.heading}>{listed(group.options)}</optgroup>
        ))}
      </select>
      <Icon name="down" />
    </span>
  );
}

/** Two or more buttons of which one is on. */
export const Segments = (
  { label, value, onChange, options, class: name }: ChoiceProps & { options: readonly Option[]; class?: string },
) => (
  <div class={classes("segments", name)} role="group" aria-label={label}>
    {options.map((option) => (
      <button
        key={option.value} type="button" class="segment" aria-pressed={value === option.value}
        disabled={option.disabled} onClick={() => onChange(option.value)}
      >
        {option.label}
      </button>
    ))}
  </div>
);
