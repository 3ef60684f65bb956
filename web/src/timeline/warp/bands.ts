/** Rows of bars: what physics allows, and which joints stand still. */

import type { PhysicsView } from "../../store/clip";
import { hatch, labelRow, within, type Plot } from "../plot/plot";

export { drawContacts } from "./contact_bars";

type Feasibility = ReturnType<PhysicsView["stateAt"]>;
interface Run {
  state: Feasibility;
  start: number;
  end: number;
}

const BAND_HEIGHT = 7;
const DOT_GAP = 6;

export function drawFeasible(plot: Plot): void {
  const { rows, time, scene } = plot;
  const { result, physics } = scene;
  const row = rows.feasible;
  if (!row || !result || !physics) return;
  within(plot, row, () => {
    for (const { state, start, end } of runsOf(physics)) {
      const left = time.at(result.outputOf(start));
      const right = time.at(result.outputOf(end));
      const x = Math.min(left, right);
      drawRun(plot, state, x, row.top + (row.height - BAND_HEIGHT) / 2, Math.max(Math.abs(right - left) - 1, 1));
    }
  });
  labelRow(plot, row, "Feasible");
}

/** Never colour alone: plain, dotted, hatched. */
function drawRun(
  { context, theme, width: limit }: Plot, state: Feasibility, x: number, y: number, width: number,
): void {
  if (x > limit || x + width < theme.gutter) return;
  context.beginPath();
  context.roundRect(x, y, width, BAND_HEIGHT, 2);
  context.fillStyle = { feasible: theme.feasible, marginal: theme.marginal, infeasible: theme.infeasibleSoft }[state];
  context.fill();
  if (state === "feasible") return;
  context.save();
  context.clip();
  if (state === "infeasible") {
    context.strokeStyle = theme.infeasible;
    context.lineWidth = 2;
    hatch(context, Math.max(x, theme.gutter), y, Math.min(width, limit), BAND_HEIGHT, 5);
  } else {
    context.fillStyle = theme.panel;
    const count = Math.max(Math.floor((width - 2) / DOT_GAP), 1);
    const first = x + (width - (count - 1) * DOT_GAP) / 2;
    context.beginPath();
    for (let k = 0; k < count; k++) {
      context.moveTo(first + k * DOT_GAP + 1.25, y + BAND_HEIGHT / 2);
      context.arc(first + k * DOT_GAP, y + BAND_HEIGHT / 2, 1.25, 0, 2 * Math.PI);
    }
    context.fill();
  }
  context.restore();
}

const known = new WeakMap<PhysicsView, Run[]>();

/** Stretches of the source with one state. */
function runsOf(physics: PhysicsView): Run[] {
  const before = known.get(physics);
  if (before) return before;
  const runs: Run[] = [];
  physics.times.forEach((t, frame) => {
    const state = physics.stateAt(frame);
    const last = runs.at(-1);
    if (last) last.end = t;
    if (last?.state !== state) runs.push({ state, start: t, end: t });
  });
  known.set(physics, runs);
  return runs;
}
