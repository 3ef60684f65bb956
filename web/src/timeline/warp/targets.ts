/** What is under the pointer. Targets are 24 px, whatever is drawn; of several the nearest wins. */

import { contactAt, type ContactTarget } from "./contact_bars";
import { handlePlaces, placeOf } from "./key_marks";
import { fieldOf } from "./limits";
import type { Plot } from "../plot/plot";

export type Target =
  | { kind: "key"; index: number }
  | { kind: "suggestion"; index: number }
  | { kind: "handle"; side: 0 | 1 }
  | { kind: "end" }
  | { kind: "range"; edge: 0 | 1 }
  | { kind: "ruler" }
  | { kind: "curve" }
  | { kind: "empty" }
  | ContactTarget;

const REACH = 12;

export function targetAt(plot: Plot, x: number, y: number): Target | null {
  const contact = contactAt(plot, x, y);
  if (contact) return contact;
  if (x < plot.theme.gutter || x > plot.width) return markAt(plot, x, y); // half of a mark at the edge is outside
  if (y < plot.rows.ruler.height) return rangeEdgeAt(plot, x) ?? { kind: "ruler" };
  return markAt(plot, x, y) ?? (onCurve(plot, x, y) ? { kind: "curve" } : { kind: "empty" });
}

function markAt(plot: Plot, x: number, y: number): Target | null {
  const { scene } = plot;
  let best: Target | null = null;
  let least = Infinity;
  const offer = (target: Target, place: { x: number; y: number }): void => {
    const [dx, dy] = [Math.abs(place.x - x), Math.abs(place.y - y)];
    if (dx > REACH || dy > REACH || Math.hypot(dx, dy) >= least) return;
    [best, least] = [target, Math.hypot(dx, dy)];
  };
  scene.keys.forEach((key, index) => offer({ kind: "key", index }, placeOf(plot, key)));
  handlePlaces(plot)?.forEach((place, side) => offer({ kind: "handle", side: side as 0 | 1 }, place));
  scene.suggestions.forEach((key, index) => offer({ kind: "suggestion", index }, placeOf(plot, key)));
  if (scene.ends && fieldOf(scene.form, "duration")) offer({ kind: "end" }, placeOf(plot, scene.ends[1]));
  return best;
}

function rangeEdgeAt({ scene, time }: Plot, x: number): Target | null {
  if (!scene.range) return null;
  const [near, far] = scene.range.map((t) => Math.abs(time.at(t) - x)) as [number, number];
  if (Math.min(near, far) > REACH) return null;
  return { kind: "range", edge: near <= far ? 0 : 1 };
}

function onCurve({ scene, rows, time, source }: Plot, x: number, y: number): boolean {
  if (!scene.result || y < rows.warp.top || y > rows.warp.top + rows.warp.height) return false;
  const t = time.value(x);
  const inside = t >= scene.output[0] && t <= scene.output[1];
  return inside && Math.abs(source.at(scene.result.sourceAt(t)) - y) <= REACH;
}

export function sameTarget(a: Target | null, b: Target | null): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
