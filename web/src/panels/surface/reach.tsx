/** How much of a key's shift each part of the body takes. */

import { Bars, Section } from "../../controls";
import type { MotionHeader } from "../../protocol";
import { LIMB_TITLES, LIMBS, limbsOf, type Limb } from "../../store/limbs";
import * as state from "../../store/state";
import { surfaceView } from "../../store/surface";
import { percent } from "../../words/numbers";

export function ReachSection({ index }: { index: number }) {
  const header = state.source.value?.header;
  const view = surfaceView(index)?.view;
  const found = header && view ? shares(header, view.weights) : [];
  const bars = found.map(({ title, ...rest }) => ({ name: title, value: percent(rest.share), ...rest }));
  return <Section id="surface-reach" title="Reach" caption="share of the shift"><Bars bars={bars} /></Section>;
}

export interface Share {
  title: string;
  share: number;
  limb: Limb;
}

/** Parts of a limb with their names, one and both. */
const ARM: [string, string, string][] = [
  ["hand", "hand", "Hands"], ["lower_arm", "forearm", "Forearms"], ["upper_arm", "upper arm", "Upper arms"],
];
const LEG: [string, string, string][] = [
  ["foot", "foot", "Feet"], ["lower_leg", "lower leg", "Lower legs"], ["upper_leg", "thigh", "Thighs"],
];
/** Both sides are one row where they differ by no more than this. */
const SAME = 0.015;

type Skeleton = Pick<MotionHeader, "joints" | "parents" | "roles" | "limbs">;

/** Shares by part, arms first; limbs that feel nothing are one row, as are both sides that feel the same. */
export function shares(header: Skeleton, weights: readonly number[]): Share[] {
  const share = (role: string): number | null => {
    const j = header.roles.indexOf(role);
    return j < 0 ? null : (weights[j] ?? 0);
  };
  const trunk = ([["head", "Head"], ["chest", "Chest"], ["hips", "Hips"]] as const).flatMap(([role, title]) => {
    const found = role === "chest" ? (share("chest") ?? share("spine")) : share(role);
    return found === null ? [] : [{ title, share: found, limb: "trunk" as const }];
  });
  const rows = [...limbRows("arm", "Arms", ARM, share), ...trunk, ...limbRows("leg", "Legs", LEG, share)];
  return rows.length ? rows : byLimb(header, weights);
}

function limbRows(
  kind: "arm" | "leg", all: string, parts: [string, string, string][], share: (role: string) => number | null,
): Share[] {
  const found = parts.flatMap(([part, one, both]) => {
    const [left, right] = [share(`left_${part}`), share(`right_${part}`)];
    if (left === null && right === null) return [];
    if (left !== null && right !== null && Math.abs(left - right) <= SAME)
      return [{ title: both, share: Math.max(left, right), limb: `right_${kind}` as Limb }];
    return [
      ...(right === null ? [] : [{ title: `Right ${one}`, share: right, limb: `right_${kind}` as Limb }]),
      ...(left === null ? [] : [{ title: `Left ${one}`, share: left, limb: `left_${kind}` as Limb }]),
    ];
  });
  const nothing = found.length > 0 && found.every((row) => Math.abs(row.share) < SAME);
  return nothing ? [{ title: all, share: 0, limb: `right_${kind}` }] : found;
}

/** A figure without roles still has limbs. */
function byLimb(header: Skeleton, weights: readonly number[]): Share[] {
  const limbs = limbsOf(header);
  return LIMBS.filter((limb) => limbs.includes(limb)).map((limb) => ({
    title: LIMB_TITLES[limb], limb, share: Math.max(...weights.filter((_, j) => limbs[j] === limb), 0),
  }));
}
