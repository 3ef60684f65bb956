/** A small field over a pose to type its time, or over a mark to type how much later it arrives. */

import { parseNumber } from "../../panels/format";
import * as actions from "../../store/actions";
import { LiveEdits, sayLater } from "../../store/poses";
import * as state from "../../store/state";
import { typePoseTime } from "./pose_drag";
import { placeOfMark } from "./pose_names";
import { stepX, type PoseStage } from "./pose_plot";
import { markTime, type PoseRow } from "./pose_rows";
import { refine } from "./refining";

export function typePose(stage: PoseStage, k: number, row: PoseRow | null): void {
  const plot = stage.posePlot();
  const { view } = plot.poses;
  if (!view || !plot.scene.editable) return;
  if (!view.isFree(k)) return stage.say(view.whyNot(k), stepX(plot, view.times[k]!));
  const at = placeOfMark(plot, k, row) ?? placeOfMark(plot, k, null)!;
  const late = row ? (markTime(view, row, k) ?? view.times[k]!) - view.times[k]! : 0;
  const field = document.createElement("input");
  field.className = "timeline-field";
  field.value = String(actions.round(row ? late : plot.scene.times.toResult(view.times[k]!)));
  const label = row ? `${row.label} at pose ${k + 1}: seconds later than the pose` : `Pose ${k + 1}: time in seconds`;
  field.setAttribute("aria-label", label);
  field.title = label;
  stage.root.append(field);
  const [right, bottom] = [stage.root.clientWidth - field.offsetWidth, stage.root.clientHeight - field.offsetHeight];
  field.style.left = `${Math.min(Math.max(at.x - field.offsetWidth / 2, 0), right)}px`;
  field.style.top = `${Math.min(at.y + 14, bottom)}px`;
  field.select();
  field.focus({ preventScroll: true });
  const close = (): void => {
    field.removeEventListener("blur", close); // taking it away blurs it once more
    field.remove();
  };
  field.addEventListener("blur", close);
  field.addEventListener("keydown", (event) => {
    event.stopPropagation(); // typed digits are no short cuts
    if (event.key !== "Enter" && event.key !== "Escape") return;
    const value = parseNumber(field.value);
    if (event.key === "Enter" && value === null) return field.setAttribute("aria-invalid", "true");
    close();
    stage.canvas.focus({ preventScroll: true });
    if (event.key === "Escape" || value === null) return;
    if (row) setLateness(stage, k, row, value - late);
    else typePoseTime(stage, k, value);
  });
}

/** Let a row's parts arrive later by so much. */
function setLateness(stage: PoseStage, k: number, row: PoseRow, by: number): void {
  const { view } = stage.posePlot().poses;
  if (!view) return;
  const { documents, view: made, stopped } = refine(view, row.channels.map((c) => [k, c, view.refinement(k, c) + by]), by > 0);
  if (documents.length) new LiveEdits(view.step).commit(...documents);
  const late = (markTime(made, row, k) ?? 0) - made.times[k]!;
  const why = stopped ? " It stops at its mark of the pose beside." : "";
  state.announcement.value = `${row.label} at pose ${k + 1}: ${sayLater(late)}.${why}`;
  if (why) stage.say(state.announcement.value, stepX(stage.posePlot(), made.times[k]!));
}
