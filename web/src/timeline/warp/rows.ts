/** Heights of the rows, and which of them give way when there is little room. */

export type RowName = "ruler" | "film" | "film2" | "heat" | "warp" | "rate" | "force" | "feasible" | "contacts" | "waveform";

export interface Row {
  top: number;
  height: number;
}
export type Rows = Partial<Record<RowName, Row>> & { ruler: Row; warp: Row };

export interface Wanted {
  film: boolean;
  force: boolean;
  feasible: boolean;
  /** Joints with a bar of contacts. */
  contacts: number;
  waveform: boolean;
  /** Two versions are compared: a second strip, and where they differ. */
  compared?: boolean;
}

const ORDER: readonly RowName[] = ["ruler", "film", "film2", "heat", "warp", "rate", "force", "feasible", "contacts", "waveform"];
const FILM_NEEDS = 108; // the curve must keep this much for the film strip to stay
const CURVE_NEEDS = 90;
export const CONTACT_BAR = 15;
const MOST_CONTACT_BARS = 6;

export function layOut(height: number, wanted: Wanted): Rows {
  const strip = height < 260 ? 42 : 52;
  const heights: Record<RowName, number> = {
    ruler: 23,
    film: wanted.film ? 60 : 0,
    film2: wanted.film && wanted.compared ? 60 : 0,
    heat: wanted.compared ? 18 : 0,
    warp: 0,
    rate: strip,
    force: wanted.force ? strip : 0,
    feasible: wanted.feasible ? 19 : 0,
    contacts: wanted.contacts ? Math.min(wanted.contacts, MOST_CONTACT_BARS) * CONTACT_BAR + 5 : 0,
    waveform: wanted.waveform ? 36 : 0,
  };
  const rest = (): number => height - ORDER.reduce((sum, name) => sum + heights[name], 0);
  if (rest() < FILM_NEEDS && heights.film2) heights.film = heights.film2 = 44;
  if (rest() < CURVE_NEEDS) heights.film2 = 0;
  if (rest() < FILM_NEEDS) heights.film = heights.film2 ? heights.film : 0;
  if (rest() < CURVE_NEEDS) heights.rate = Math.min(heights.rate, 38);
  if (rest() < CURVE_NEEDS && heights.force) heights.force = 38;
  heights.warp = Math.max(rest(), 48);

  const rows: Partial<Record<RowName, Row>> = {};
  let top = 0;
  for (const name of ORDER) {
    if (heights[name]) rows[name] = { top, height: heights[name] };
    top += heights[name];
  }
  return rows as Rows;
}
