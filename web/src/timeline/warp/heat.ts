/** Where two versions differ: a band over output time, the stronger the farther the bodies are from each other. */

import { difference } from "../../store/compare";
import { labelRow, within, type Plot } from "../plot/plot";

const BAND = 8;
/** Metres below which two bodies look the same. */
const SAME = 0.005;
/** Pixels that the longer label needs. */
const WIDE_GUTTER = 120;

export function drawHeat(plot: Plot): void {
  const { context, theme, rows, time } = plot;
  const row = rows.heat;
  if (!row) return;
  const found = difference.value;
  const most = found?.most ?? 0;
  const apart = `${Math.round(100 * most)} cm apart`;
  const words = theme.gutter < WIDE_GUTTER ? apart : `Up to ${apart}`;
  labelRow(plot, row, !found ? "Difference" : most < SAME ? "No difference" : words);
  if (!found || most < SAME) return;
  within(plot, row, () => {
    const y = row.top + (row.height - BAND) / 2;
    context.fillStyle = theme.text; // a difference is no fault: it has no colour of its own
    found.times.forEach((t, k) => {
      const [left, right] = [time.at(t), time.at(found.times[k + 1] ?? t)];
      context.globalAlpha = 0.08 + 0.92 * (found.metres[k]! / most);
      context.fillRect(left, y, Math.max(right - left + 0.5, 1), BAND);
    });
    context.globalAlpha = 1;
  });
}
