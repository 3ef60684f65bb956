/** Colours and fonts of the canvas, read from the design tokens. */

const COLOURS = {
  app: "--app",
  panel: "--surface-1",
  card: "--surface-2",
  line: "--line",
  lineStrong: "--line-strong",
  edge: "--edge",
  text: "--text",
  text2: "--text-2",
  text3: "--text-3",
  original: "--original",
  retimed: "--retimed",
  soft: "--accent-soft",
  keytime: "--keytime",
  selection: "--selection",
  focus: "--focus",
  playhead: "--playhead",
  contact: "--contact",
  feasible: "--feasible",
  marginal: "--marginal",
  infeasible: "--infeasible",
  infeasibleSoft: "--infeasible-soft",
  tick: "--type-tick",
  label: "--type-control",
} as const;

export type Theme = Record<keyof typeof COLOURS, string> & { gutter: number };

/** Below this the gutter gives way. */
const NARROW_WINDOW = 1200;
const NARROW_GUTTER = 84;

export function readTheme(): Theme {
  const style = getComputedStyle(document.documentElement);
  const entries = Object.entries(COLOURS).map(([name, token]) => [name, style.getPropertyValue(token).trim()]);
  const wide = Number.parseFloat(style.getPropertyValue("--gutter-width"));
  const gutter = window.innerWidth < NARROW_WINDOW ? NARROW_GUTTER : wide || NARROW_GUTTER;
  return { ...(Object.fromEntries(entries) as Record<keyof typeof COLOURS, string>), gutter };
}
