/** Buttons. One that shows only an icon has a name, for the pointer that rests on it and for screen readers. */

import type { ButtonHTMLAttributes } from "preact";
import { classes } from "./classes";
import { Icon } from "./icon";
import type { IconName } from "./icon_paths";

export type ButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, "type" | "icon" | "label" | "class"> & {
  class?: string;
};

export const Button = ({ class: name = "button", ...rest }: ButtonProps) => (
  <button type="button" class={name} {...rest} />
);

export const IconButton = (
  { icon, label, class: name, ...rest }: ButtonProps & { icon: IconName; label: string },
) => (
  <button type="button" class={classes("icon-button", name)} aria-label={label} title={label} {...rest}>
    <Icon name={icon} />
  </button>
);

/** An icon that is on or off. */
export const IconToggle = (
  { on, ...rest }: { icon: IconName; label: string; on: boolean; onClick(): void },
) => <IconButton class="icon-toggle" aria-pressed={on} {...rest} />;

/** A flag, as a switch. */
export const Switch = (
  { label, on, onChange }: { label: string; on: boolean; onChange(on: boolean): void },
) => (
  <button type="button" class="switch" role="switch" aria-label={label} aria-checked={on} onClick={() => onChange(!on)}>
    <span class="switch-knob" />
  </button>
);
