/** The colours of a pose's handles, from the theme's tokens; read again when the theme's palette is another one. */

import { Color } from "three";
import type { Palette } from "../palette";
import { AXES, type Axis } from "./pose_handles";

export interface PoseColors {
  axes: Record<Axis, Color>;
  /** The box of free movement, and the ring round the joint that is chosen. */
  box: Color;
  joint: Color;
  /** What far parts of a ring fade to. */
  faded: Color;
}

let known: { of: Palette; colors: PoseColors } | null = null;

export function poseColors(palette: Palette): PoseColors {
  if (known?.of === palette) return known.colors;
  const style = getComputedStyle(document.documentElement);
  const read = (token: string): Color => new Color(style.getPropertyValue(token).trim() || undefined);
  const axes = Object.fromEntries(AXES.map((a) => [a, read(`--axis-${a}`)])) as Record<Axis, Color>;
  const colors = { axes, box: read("--selection"), joint: read("--joint"), faded: palette.viewBottom };
  known = { of: palette, colors };
  return colors;
}
