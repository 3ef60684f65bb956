/** Long curves thinned to what pixels can show. */

import { bisect } from "../../store/clip";

/**
 * Indices of the points that draw a curve over rising x between two x as all of them would: of each pixel's column
 * the first, the lowest, the highest and the last, and one point beyond either end.
 */
export function thin(x: ArrayLike<number>, y: ArrayLike<number>, from: number, to: number, columns: number): number[] {
  if (x.length === 0) return [];
  const first = bisect(x, from);
  const last = Math.min(bisect(x, to) + 1, x.length - 1);
  const kept: number[] = [];
  if (last - first <= 4 * columns) {
    for (let k = first; k <= last; k++) kept.push(k);
    return kept;
  }
  const perColumn = columns / Math.max(to - from, 1e-9);
  let k = first;
  while (k <= last) {
    const column = Math.floor((x[k]! - from) * perColumn);
    let [low, high, end] = [k, k, k];
    while (end < last && Math.floor((x[end + 1]! - from) * perColumn) === column) {
      end++;
      if (y[end]! < y[low]!) low = end;
      if (y[end]! > y[high]!) high = end;
    }
    for (const index of [k, Math.min(low, high), Math.max(low, high), end])
      if (kept[kept.length - 1] !== index) kept.push(index);
    k = end + 1;
  }
  return kept;
}
