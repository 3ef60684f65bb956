/** How near a joint came to its target, and why it did not come nearer. */

import { computed } from "@preact/signals";
import type { MotionHeader } from "../../protocol";
import { poseWhen, reachHelp } from "../../store/poses";
import * as state from "../../store/state";
import { editedJoint, placeAt, target } from "./pose_edit";
import { distance, type Point } from "./pose_math";

export interface Miss {
  /** Metres between the target and the joint. */
  by: number;
  /** What helps is stretched: the target is farther from the shoulder or the hip than the limb is long. */
  stretched: boolean;
  /** A contact with the ground holds the foot. */
  held: boolean;
  limb: string;
  when: "pose" | "extreme";
}

/** Metres up to which a joint is where it was wanted. */
const THERE = 0.005;
/** A limb is never quite straight: so near to its length it counts as stretched, as a share. */
const NEARLY = 0.995;

export function missInWords({ by, stretched, held, limb, when }: Miss): string {
  if (by < THERE) return `on target, ${(1000 * by).toFixed(1)} mm`;
  const far = by < 0.1 ? `${(1000 * by).toFixed(0)} mm` : `${by.toFixed(2)} m`;
  if (stretched) return `${far} short: the ${limb} is stretched`;
  if (held) return `${far} off: a contact holds the foot`;
  return when === "extreme" ? `${far} off at this time: its parts arrive at their own` : `${far} off`;
}

/** The joints of a limb from shoulder or hip to a joint, root first. */
export function chainTo({ parents, roles }: Pick<MotionHeader, "parents" | "roles">, joint: number): number[] {
  const chain: number[] = [];
  for (let j = joint; j >= 0; j = parents[j]!) {
    chain.unshift(j);
    if (/upper_(arm|leg)$/.test(roles[j] ?? "")) return chain;
  }
  return chain.slice(-3); // no role says where the limb begins: two bones
}

/** Where the joint came to, seen from where it was wanted. */
export const miss = computed<Miss | null>(() => {
  const edited = editedJoint.value;
  const header = state.source.value?.header;
  const wanted = target.value;
  if (!edited?.reaches || !header || !wanted) return null;
  const reached = placeAt(edited.joint, edited.at);
  if (!reached) return null;
  const places = chainTo(header, edited.joint).map((j) => placeAt(j, edited.at)).filter((p): p is Point => p !== null);
  const bones = places.slice(1).map((p, k) => distance(p, places[k]!));
  const long = bones.reduce((sum, bone) => sum + bone, 0);
  const alone = reachHelp.value === "limb";
  const limb = !alone ? reachHelp.value : (header.limbs[edited.joint] ?? "limb").replace(/^(left|right)_/, "");
  const contacts = state.result.value?.contacts ?? [];
  return {
    by: distance(reached, wanted),
    stretched: places.length > 1 && distance(places[0]!, wanted) > NEARLY * long,
    held: /leg$/.test(header.limbs[edited.joint] ?? "") && contacts.some(
      (bar) => header.limbs[header.joints.indexOf(bar.joint)] === header.limbs[edited.joint] &&
        bar.start <= edited.at && bar.end >= edited.at),
    limb,
    when: poseWhen.value,
  };
});

let lastWords = "";
/** The words for it; while a new result is on its way those of the last one stay. */
export const missWords = computed<string>(() => {
  const now = miss.value;
  if (!now) return (lastWords = "");
  if (state.computing.value && lastWords) return lastWords;
  return (lastWords = missInWords(now));
});
