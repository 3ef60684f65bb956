/** A labelled row of a form: what it is, its control, and its help. */

import type { ComponentChildren, HTMLAttributes } from "preact";
import { IconButton } from "./button";
import { classes } from "./classes";

interface LabelProps {
  label: string;
  help?: string | undefined;
  /** Brings the default back; left out while the value is the default. */
  reset?: (() => void) | null | undefined;
  /** A mark before the label. */
  mark?: ComponentChildren;
}

interface FieldProps extends LabelProps, Omit<HTMLAttributes<HTMLDivElement>, "label" | "class"> {
  wide?: boolean;
  class?: string;
}

export const FieldLabel = ({ label, help, reset, mark }: LabelProps) => (
  <span class="field-label">
    {mark}
    <span class="field-name" title={help}>{label}</span>
    {reset && <IconButton icon="reset" label={`Reset ${label}`} onClick={reset} />}
  </span>
);

export const Field = (
  { label, help, reset, mark, wide, class: name, children, ...rest }: FieldProps,
) => (
  <div class={classes("field", wide && "wide", name)} {...rest}>
    <FieldLabel {...{ label, help, reset, mark }} />
    {children}
    <FieldHelp>{help}</FieldHelp>
  </div>
);

/** Help under a field, shown when the inspector's help is on. */
export const FieldHelp = ({ children }: { children?: ComponentChildren }) =>
  children ? <p class="field-help">{children}</p> : null;
