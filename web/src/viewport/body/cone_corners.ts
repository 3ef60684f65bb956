/** The corners and triangles of a rounded cone, whose size and place are given to it later. */

import { drawsInSoftware } from "../software";

/** Sides that a cone keeps when it is drawn with few corners. */
const FEWEST_SIDES = 6;

/** The corners of one cone (place, and which end it belongs to), and its triangles: all, and few for quick frames. */
export interface ConeCorners {
  places: number[];
  caps: number[];
  fine: number[];
  few: number[];
}

/** A cone that can be seen from everywhere; a processor that draws gets half the corners each way. */
export function roundCone(detail: { around: number; rings: number }): ConeCorners {
  const coarse = drawsInSoftware() ? 2 : 1;
  const [around, rings] = [detail.around / coarse, Math.ceil(detail.rings / coarse)];
  return { ...coneCorners(around, rings), ...coneTriangles(around, rings) };
}

/** A cone that always turns its broad side to the eye: two corners at either end. */
export function flatCone(): ConeCorners {
  const triangles = [0, 2, 1, 1, 2, 3];
  return { places: [-1, 0, 0, 1, 0, 0, -1, 0, 0, 1, 0, 0], caps: [0, 0, 1, 1], fine: triangles, few: triangles };
}

/** Corners in rows from pole to pole: cosine and sine round the axis, share of the cap's latitude; and which cap. */
export function coneCorners(around: number, rings: number): { places: number[]; caps: number[] } {
  const places: number[] = [];
  const caps: number[] = [];
  for (let row = 0; row < 2 * (rings + 1); row++) {
    const cap = row > rings ? 1 : 0;
    const share = (row - cap * (rings + 1)) / rings;
    for (let k = 0; k <= around; k++) {
      const turn = (2 * Math.PI * k) / around;
      places.push(Math.cos(turn), Math.sin(turn), share);
      caps.push(cap);
    }
  }
  return { places, caps };
}

/** Triangles between all corners, and between few of them, for frames that must not take long. */
export function coneTriangles(around: number, rings: number): { fine: number[]; few: number[] } {
  const last = 2 * rings + 1;
  const all = Array.from({ length: last + 1 }, (_, row) => row);
  const round = rings > 2 ? [Math.round(rings / 3)] : []; // without it, a large ball would end in a point
  const rows = [0, ...round, rings, rings + 1, ...round.map((row) => last - row), last];
  return { fine: between(all, around, 1), few: between(rows, around, around >= 2 * FEWEST_SIDES ? 2 : 1) };
}

/** Triangles between rows of which every `step`th corner is taken; the first and the last row are one point each. */
function between(rows: readonly number[], around: number, step: number): number[] {
  const index: number[] = [];
  for (let n = 1; n < rows.length; n++) {
    for (let k = 0; k < around; k += step) {
      const below = rows[n - 1]! * (around + 1) + k;
      const here = rows[n]! * (around + 1) + k;
      if (n > 1) index.push(below, here, below + step);
      if (n < rows.length - 1) index.push(here, here + step, below + step);
    }
  }
  return index;
}
