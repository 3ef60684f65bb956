/** What the solver says of a change while it is dragged: taken, or refused and why. */

import { signal } from "@preact/signals";

export interface Verdict {
  /** Infinite where no answer will come: the server is gone. */
  request: number;
  /** Why the solver refuses it; null where it takes it. */
  refused: string | null;
}

type Hear = (verdict: Verdict) => void;
const listeners = new Set<Hear>();

/** Why the change that is dragged stops short of the pointer, where only the solver knows. */
export const solverStop = signal<string | null>(null);

export function hearVerdicts(hear: Hear): () => void {
  listeners.add(hear);
  return () => listeners.delete(hear);
}

export function tellVerdict(verdict: Verdict): void {
  for (const hear of [...listeners]) hear(verdict);
}

/** A value between two of the same shape: numbers part of the way, to a tenth of a millisecond; else the second. */
export function between(from: unknown, to: unknown, share: number): unknown {
  if (typeof from === "number" && typeof to === "number")
    return Math.round((from + share * (to - from)) * 1e4) / 1e4;
  if (Array.isArray(from) && Array.isArray(to) && from.length === to.length)
    return to.map((value, k) => between(from[k], value, share));
  if (isRecord(from) && isRecord(to))
    return Object.fromEntries(Object.entries(to).map(([name, value]) => [name, between(from[name], value, share)]));
  return to;
}

/** Whether a wish lies beyond a value that was refused, seen from one that was taken. */
export function isBeyond(taken: unknown, refused: unknown, wish: unknown): boolean {
  const [a, b, c] = [taken, refused, wish].map(leaves) as [number[], number[], number[]];
  if (a.length !== b.length || b.length !== c.length) return false;
  const [way, asked] = [b.map((x, k) => x - a[k]!), c.map((x, k) => x - a[k]!)];
  const length = way.reduce((sum, x) => sum + x * x, 0);
  if (length === 0) return false;
  const share = way.reduce((sum, x, k) => sum + x * asked[k]!, 0) / length;
  const aside = asked.reduce((sum, x, k) => sum + (x - share * way[k]!) ** 2, 0);
  return share >= 1 && aside <= 0.25 * share * share * length;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function leaves(value: unknown): number[] {
  if (typeof value === "number") return [value];
  if (Array.isArray(value)) return value.flatMap(leaves);
  return isRecord(value) ? Object.keys(value).sort().flatMap((name) => leaves(value[name])) : [];
}
