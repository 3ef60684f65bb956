/** Rows of the pose editor: one a limb, one a joint of those that are unfolded, and the way of the root. */

import { LIMB_TITLES, LIMBS, type Limb } from "../../store/limbs";
import type { PosesView } from "../../store/poses_view";

export interface PoseRow {
  /** Stays the same while rows come and go. */
  key: string;
  kind: "limb" | "joint" | "root";
  limb: Limb | null;
  label: string;
  channels: number[];
  /** A limb whose joints have rows of their own: its mean is only looked at. */
  open: boolean;
}

export const ROW_HEIGHT = 20;

/** What a joint is called in its limb's rows: its role without the side, else its own name. */
export function jointLabel(name: string, role: string | null | undefined): string {
  if (!role) return name;
  const words = role.replace(/^(left|right)_/, "").replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function makeRows(
  view: PosesView, limbs: readonly Limb[], roles: readonly (string | null)[], unfolded: ReadonlySet<string>,
): PoseRow[] {
  const channels = view.channels.map((_, c) => c);
  const rows: PoseRow[] = [];
  for (const limb of LIMBS) {
    const own = channels.filter((c) => !view.isTranslation(c) && limbs[view.jointOf(c)] === limb);
    if (!own.length) continue;
    const open = unfolded.has(limb);
    rows.push({ key: limb, kind: "limb", limb, label: LIMB_TITLES[limb], channels: own, open });
    if (!open) continue;
    for (const c of own) {
      const label = jointLabel(view.channels[c]!, roles[view.jointOf(c)]);
      rows.push({ key: `joint:${view.channels[c]}`, kind: "joint", limb, label, channels: [c], open: false });
    }
  }
  const ways = channels.filter((c) => view.isTranslation(c));
  if (ways.length)
    rows.push({ key: "root", kind: "root", limb: null, label: "Root path", channels: ways, open: false });
  return rows;
}

/** When a row's mark of a pose is: a joint's knot, or the mean of a limb's; null where the pose has none. */
export function markTime(view: PosesView, row: PoseRow, k: number): number | null {
  const r = row.channels.length === 1
    ? view.has(k, row.channels[0]!) ? view.refinement(k, row.channels[0]!) : null
    : view.mean(k, row.channels);
  return r === null ? null : view.times[k]! + r;
}

export interface Band {
  top: number;
  height: number;
}

export interface PoseBands {
  ruler: Band;
  likely: Band;
  rows: Band;
  contacts: Band | null;
}

const CONTACT_BAR = 15;

/** Heights of the parts; the probability gives way before rows do. */
export function poseBands(height: number, contacts: number): PoseBands {
  const ruler = 23;
  const likely = height < 260 ? 44 : 62;
  const below = contacts && height >= 180 ? Math.min(contacts, 4) * CONTACT_BAR + 5 : 0;
  const rows = Math.max(height - ruler - likely - below, ROW_HEIGHT);
  return {
    ruler: { top: 0, height: ruler },
    likely: { top: ruler, height: likely },
    rows: { top: ruler + likely, height: rows },
    contacts: below ? { top: ruler + likely + rows, height: below } : null,
  };
}

/** First and last row that can be seen, one past the end. */
export function visibleRows(count: number, band: Band, scroll: number): [number, number] {
  const first = Math.max(Math.floor(scroll / ROW_HEIGHT), 0);
  return [Math.min(first, count), Math.min(Math.ceil((scroll + band.height) / ROW_HEIGHT), count)];
}

export const rowMiddle = (index: number, band: Band, scroll: number): number =>
  band.top - scroll + (index + 0.5) * ROW_HEIGHT;
