/** The colours of the theme as three.js needs them; all come from tokens.css. */

import { Color } from "three";

const TOKENS = {
  viewTop: "--view-top",
  viewBottom: "--view-bottom",
  app: "--app",
  ground: "--ground",
  original: "--original",
  originalBody: "--original-body",
  retimed: "--retimed",
  retimedBody: "--retimed-body",
  contact: "--contact",
  marginal: "--marginal",
  infeasible: "--infeasible",
} as const;

export type Palette = Record<keyof typeof TOKENS, Color> & { shadow: Color; dark: boolean };

export function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const entries = Object.entries(TOKENS).map(([name, token]) => {
    const value = style.getPropertyValue(token).trim();
    return [name, value ? new Color(value) : new Color()];
  });
  const colors = Object.fromEntries(entries) as Record<keyof typeof TOKENS, Color>;
  const dark = brightness(colors.viewTop) < brightness(colors.ground);
  // A shadow must be darker than the ground of either theme, and neither has a token of its own for that.
  return { ...colors, dark, shadow: dark ? colors.app : colors.ground };
}

const brightness = (c: Color): number => 0.21 * c.r + 0.72 * c.g + 0.07 * c.b;
