/** Colours of limbs, from the design tokens. */

import type { Limb } from "../../store/limbs";

const TOKENS: Record<Limb, string> = {
  trunk: "--limb-trunk",
  left_arm: "--limb-left-arm",
  right_arm: "--limb-right-arm",
  left_leg: "--limb-left-leg",
  right_leg: "--limb-right-leg",
};

export type LimbColours = Record<Limb, string>;

export function limbColours(): LimbColours {
  const style = getComputedStyle(document.documentElement);
  const entries = Object.entries(TOKENS).map(([limb, token]) => [limb, style.getPropertyValue(token).trim()]);
  return Object.fromEntries(entries) as LimbColours;
}

/** Never colour alone: what is left is dashed. */
export const isLeft = (limb: Limb): boolean => limb.startsWith("left");
