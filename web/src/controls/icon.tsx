/** Icons, drawn in the colour of the text around them. The control that holds one names it. */

import type { ComponentChildren } from "preact";
import { PATHS, type IconName } from "./icon_paths";

const SIZE = 16;

export const Icon = ({ name }: { name: IconName }) => (
  <Drawing class="icon"><path d={PATHS[name]} /></Drawing>
);

/** A method's icon; a method without one gets the warp's. */
export const MethodIcon = ({ method }: { method: string }) => (
  <Icon name={method in PATHS ? (method as IconName) : "warp"} />
);

/** The logo: from the source by a keytime to the result. */
export const Logo = () => (
  <Drawing size={20} class="logo">
    <path d="M2 17C8 17 8.5 14 10 10" class="logo-given" />
    <path d="M10 10C11.5 6 12 3 18 3" class="logo-made" />
    <path d="M10 6.8 13.2 10 10 13.2 6.8 10Z" class="logo-key" />
  </Drawing>
);

/** A keytime's diamond, a fixed end's square, or a suggestion's dashed diamond. */
export const KeyMark = ({ kind }: { kind: "key" | "end" | "suggested" }) => (
  <Drawing class={`key-mark key-mark-${kind}`}>
    {kind === "key" && <path d="M8 .8 15.2 8 8 15.2.8 8Z" class="key-ring" />}
    <path d={kind === "end" ? "M4 4h8v8H4Z" : "M8 2.5 13.5 8 8 13.5 2.5 8Z"} />
  </Drawing>
);

const Drawing = (
  { size = SIZE, ...rest }: { size?: number; class: string; children: ComponentChildren },
) => (
  <svg viewBox={`0 0 ${size} ${size}`} aria-hidden="true" {...rest} />
);
