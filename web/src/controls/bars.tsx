/** Shares as bars: a name, a bar and the value of each. */

import { classes } from "./classes";

export interface Bar {
  name: string;
  share: number;
  value: string;
  /** Whether it is the one that the others are compared with. */
  own?: boolean;
  /** The limb whose colour it has. */
  limb?: string;
}

export const Bars = ({ bars }: { bars: Bar[] }) => (
  <div class="bars" role="list">
    {bars.map(({ name, share, value, own, limb }) => (
      <div key={name} class={classes("bar-row", own && "own")} role="listitem">
        <span>{name}</span>
        <span class="bar" data-limb={limb} style={{ "--share": Math.min(Math.abs(share), 1).toFixed(2) }}>
          <span class="bar-fill" />
        </span>
        <span class="bar-value">{value}</span>
      </div>
    ))}
  </div>
);
