/** A small field over a pose to type its time, or over a mark to type how much later it arrives. */

import * as actions from "../../store/actions";
import { addEdits, sayLater } from "../../store/poses";
import * as state from "../../store/state";
import { timeReader } from "../../store/times";
import { openField } from "../plot/small_field";
import { typePoseTime } from "./pose_drag";
import { placeOfMark } from "./pose_names";
import { stepX, type PoseHost } from "./pose_plot";
import { markTime, type PoseRow } from "./pose_rows";
import { refine } from "./refining";

export function typePose(host: PoseHost, k: number, row: PoseRow | null): void {
  const plot = host.posePlot();
  const { view } = plot.poses;
  if (!view || !plot.scene.editable) return;
  if (!view.isFree(k)) return host.say(view.whyNot(k), stepX(plot, view.times[k]!));
  const late = row ? (markTime(view, row, k) ?? view.times[k]!) - view.times[k]! : 0;
  openField(host, {
    label: row ? `${row.label} at pose ${k + 1}: seconds later than the pose` : `Pose ${k + 1}: time in seconds`,
    value: String(actions.round(row ? late : plot.scene.times.toResult(view.times[k]!))),
    at: placeOfMark(plot, k, row) ?? placeOfMark(plot, k, null)!,
    parse: timeReader(row ? "length" : "output", () => view.step),
    keep: (value) => (row ? setLateness(host, k, row, value - late) : typePoseTime(host, k, value)),
  });
}

/** Let a row's parts arrive later by so much. */
function setLateness(host: PoseHost, k: number, row: PoseRow, by: number): void {
  const { view } = host.posePlot().poses;
  if (!view) return;
  const wanted = row.channels.map((c) => [k, c, view.refinement(k, c) + by] as const);
  const { documents, view: made, stopped } = refine(view, wanted, by > 0);
  if (documents.length) addEdits(view.step, ...documents);
  const late = (markTime(made, row, k) ?? 0) - made.times[k]!;
  const why = stopped ? " It stops at its mark of the neighbouring pose." : "";
  state.announcement.value = `${row.label} at pose ${k + 1}: ${sayLater(late)}.${why}`;
  if (why) host.say(state.announcement.value, stepX(host.posePlot(), made.times[k]!));
}
