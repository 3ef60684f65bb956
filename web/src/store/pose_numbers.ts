/** Numbers of poses in later edits, when an edit before them that inserts or deletes a pose comes or goes. */

import type { PoseEdit } from "./pose_edits";

/** Arguments that name poses; a text names them by their time, which stays. */
const NAMES = ["pose", "poses", "after", "relative_to", "toward"] as const;

/** What the list becomes, or why it cannot: a later edit is of the very pose that would be gone. */
export type Renumbered = { edits: PoseEdit[] } | { refused: string };

/** The list without an edit; those after it keep their poses. */
export function withoutEdit(edits: readonly PoseEdit[], n: number, counted: readonly (number | null)[]): Renumbered {
  const rest = (list: readonly PoseEdit[]): PoseEdit[] => list.filter((_, k) => k !== n);
  if (edits[n]?.mute) return { edits: rest(edits) }; // it was not made
  const found = renumbered(edits, n, counted, "without");
  return "refused" in found ? found : { edits: rest(found.edits) };
}

/** The list with an edit muted, or made again; those after it keep their poses. */
export function withMute(edits: readonly PoseEdit[], n: number, counted: readonly (number | null)[]): Renumbered {
  const edit = edits[n];
  if (!edit) return { edits: [...edits] };
  const { mute, ...made } = edit;
  const found = renumbered(edits, n, counted, mute ? "with" : "without");
  if ("refused" in found) return found;
  return { edits: found.edits.map((e, k) => (k === n ? (mute ? (made as PoseEdit) : { ...edit, mute: true }) : e)) };
}

/** Edits that insert a pose: an ease does so for its own knot, unless it is of no amount. */
const inserts = (edit: PoseEdit): boolean => edit.do === "insert" || (edit.do === "ease" && edit["amount"] !== 0);

function renumbered(
  edits: readonly PoseEdit[], n: number, counted: readonly (number | null)[], change: "with" | "without",
): Renumbered {
  const edit = edits[n];
  // What starts over leaves two poses, whatever was there: numbers after it mean others.
  if (edit?.do === "blank") {
    const k = edits.findIndex((later, at) => at > n && numbersOf(later).length > 0);
    return k < 0 ? { edits: [...edits] } : { refused: `Edit ${k + 1} names poses by numbers that would change.` };
  }
  if (!edit || (!inserts(edit) && edit.do !== "delete")) return { edits: [...edits] };
  // An insertion that goes takes its pose away, a deletion that goes brings its pose back; and the other way round.
  const comes = inserts(edit) === (change === "with");
  let place = counted[n] ?? null;
  const out = [...edits];
  for (let k = n + 1; k < edits.length; k++) {
    const later = edits[k]!;
    const names = NAMES.some((name) => numbersIn(later[name]).length);
    if (place === null || numbersOf(later).some((pose) => pose < 0)) {
      if (names) return { refused: `Edit ${k + 1} names poses by numbers that would change.` };
      continue;
    }
    if (!comes && numbersOf(later).includes(place)) return { refused: gone(edit, n, k) };
    out[k] = shifted(later, place, comes ? 1 : -1);
    if (!later.mute) place = placeAfter(later, counted[k] ?? null, place, comes ? edit : null);
  }
  return { edits: out };
}

/**
 * The number of the pose that comes or goes after a later edit, null where it cannot be told. `at` numbers the later
 * edit's own pose as the list is now: with the pose where it goes, without it where it comes.
 */
function placeAfter(later: PoseEdit, at: number | null, place: number, coming: PoseEdit | null): number | null {
  if (later.do === "blank") return null;
  if (!inserts(later) && later.do !== "delete") return place;
  if (at === null) return null;
  if (later.do === "delete") return at < place ? place - 1 : place;
  if (at !== place || !coming) return at <= place ? place + 1 : place;
  // Both stand in the same gap: only their times tell which is first.
  const [own, other] = [coming["time"], later["time"]];
  if (coming.do !== "insert" || typeof own !== "number" || typeof other !== "number") return null;
  return other < own ? place + 1 : place;
}

const gone = (edit: PoseEdit, n: number, k: number): string =>
  inserts(edit)
    ? `Edit ${k + 1} changes the pose that edit ${n + 1} inserts: remove or change edit ${k + 1} first.`
    : `Edit ${k + 1} changes the pose that edit ${n + 1} deletes: remove or change edit ${k + 1} first.`;

const numbersIn = (value: unknown): number[] =>
  [value].flat().filter((pose): pose is number => typeof pose === "number");

const numbersOf = (edit: PoseEdit): number[] => NAMES.flatMap((name) => numbersIn(edit[name]));

/** An edit whose poses from a place on have another number. */
function shifted(edit: PoseEdit, place: number, by: 1 | -1): PoseEdit {
  const one = (pose: unknown): unknown =>
    typeof pose === "number" && (by > 0 ? pose >= place : pose > place) ? pose + by : pose;
  const changed = NAMES.filter((name) => numbersIn(edit[name]).length).map((name) => {
    const value = edit[name];
    return [name, Array.isArray(value) ? value.map(one) : one(value)] as const;
  });
  return changed.length ? { ...edit, ...Object.fromEntries(changed) } : edit;
}
