/** A bar that shows how much is done; of an unknown share it only shows that something is. */

import { classes } from "./classes";

export const Progress = (
  { label, share, class: name }: { label: string; share: number | null; class: string },
) => (
  <span
    class={classes(name, share === null && "unknown")} role="progressbar" aria-label={label}
    aria-valuenow={share === null ? undefined : Math.round(100 * share)} style={{ "--share": share ?? 0 }}
  />
);
