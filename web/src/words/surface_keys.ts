/** Surface keys in words: whose moment, by how much, and which way. */

import type { MotionHeader, SurfaceKeyView } from "../protocol";
import { dragsOf, farthestOf, type SurfaceKey } from "../store/surface";
import { number, titled } from "./numbers";
import { lengthText } from "./units";

type Named = Pick<MotionHeader, "joints" | "roles">;

/** A joint as people call it: by its role where it has one. */
export function jointTitle(header: Named | null | undefined, name: string): string {
  const at = header ? header.joints.indexOf(name) : -1;
  return titled((at >= 0 ? header!.roles[at] : null) ?? name);
}

const PLURALS: Record<string, string> = { foot: "feet" };
const plural = (word: string): string => PLURALS[word] ?? `${word}s`;

/** "Right hand", "Hands" for both of them, else the first and how many more. */
export function dragged(header: Named | null | undefined, key: SurfaceKey): string {
  // A joint that is held at its own time is not what the key moves.
  const moved = dragsOf(key).filter((d) => d.shift !== 0);
  const drags = moved.length ? moved : dragsOf(key);
  const titles = drags.map((d) => (d.joint === undefined ? "The point" : jointTitle(header, d.joint)));
  if (titles.length < 2) return titles[0] ?? "Nothing";
  const parts = titles.map((title) => /^(Left|Right) (.+)$/.exec(title));
  if (titles.length === 2 && parts[0] && parts[1] && parts[0][2] === parts[1][2] && parts[0][1] !== parts[1][1])
    return titled(plural(parts[0][2]!));
  return `${titles[0]} and ${titles.length - 1} more`;
}

/** "0.16 s earlier"; nothing is moved by less than half a millisecond. */
export function shifted(seconds: number): string {
  if (Math.abs(seconds) < 5e-4) return "at its own time";
  const size = Math.abs(seconds);
  const digits = Math.abs(size - Number(size.toFixed(2))) < 5e-4 ? 2 : 3;
  return `${lengthText(size, digits)} ${seconds < 0 ? "earlier" : "later"}`;
}

/** "arrives 0.16 s earlier, 0.4 cm off": what was measured of a drag; empty where nothing was dragged. */
export function arrives(view: Pick<SurfaceKeyView, "shift" | "made" | "arrived" | "off"> | null | undefined): string {
  if (!view || Math.abs(view.made) < 5e-4) return "";
  return `arrives ${shifted(view.arrived)}, ${number(100 * view.off, 1)} cm off`;
}

/** "Hands 0.16 s earlier". */
export const keyWords = (header: Named | null | undefined, key: SurfaceKey): string =>
  `${dragged(header, key)} ${shifted(farthestOf(key))}`;

/** How far ahead of the output a joint is. */
export function ahead(seconds: number): string {
  if (Math.abs(seconds) < 5e-4) return "on time";
  return `${lengthText(Math.abs(seconds), Math.abs(seconds) < 0.01 ? 3 : 2)} ${seconds > 0 ? "ahead" : "behind"}`;
}
