/** Dragging a pose: its parts go with it, as far as its neighbours leave room. */

import * as actions from "../../store/actions";
import { addEdits, EditsDrag, placePose, type PlacedPose, type PosesView } from "../../store/poses";
import * as state from "../../store/state";
import { seconds } from "../plot/axis";
import { snapToFrame, snapToMoments } from "../plot/snapping";
import type { Gesture, Pull } from "../plot/gesture_host";
import { dotY } from "./likelihood";
import { stepX, type PosePlot, type PoseHost } from "./pose_plot";
import { inHand } from "./pose_scene";
import { lengthText } from "../../words/units";

/** Where a time of the result lands: on a contact's end with Ctrl, else on a frame unless Alt frees it. */
export function snapResult({ scene, time }: PosePlot, t: number, { alt, ctrl }: Pick<Pull, "alt" | "ctrl">): number {
  if (ctrl) {
    const moments = scene.contacts.flatMap(({ bars }) => bars.flatMap((bar) => [bar.start, bar.end]));
    const found = snapToMoments(t, moments, time.scale);
    if (found !== t) return found;
  }
  return alt ? t : snapToFrame(t, scene.fps, scene.output[0], time.scale);
}

export class PoseDrag implements Gesture {
  readonly cursor = "grabbing";
  readonly holdsView = true;
  private readonly edits: EditsDrag;
  private readonly before: PosesView;
  private readonly timeBefore = state.time.value;
  private placed: PlacedPose | null = null;

  constructor(private readonly host: PoseHost, private readonly k: number, private readonly click: () => void) {
    this.before = host.posePlot().poses.view!;
    this.edits = new EditsDrag(this.before.step);
    state.selectedPose.value = k;
  }

  move(pull: Pull): void {
    const plot = this.host.posePlot();
    if (!plot.scene.editable) return;
    const start = stepX(plot, this.before.times[this.k]!);
    const wish = plot.scene.times.fromResult(snapResult(plot, plot.time.value(start + pull.dx), pull));
    this.placed = placePose(this.before, this.k, wish);
    const { time, refusal } = this.placed;
    if (this.before.isFree(this.k)) {
      inHand.value = this.before.moved(this.k, time);
      this.edits.update({ do: "retime", pose: this.k, time: actions.round(time) });
    }
    actions.seek(plot.scene.times.toResult(time));
    const at = { x: stepX(plot, time), y: dotY(plot, this.k) };
    this.host.showPoseWish(refusal ? { from: at, x: stepX(plot, wish) } : null);
    if (refusal) this.host.say(refusal, at.x);
    else this.host.card.hide();
    const by = time - this.before.times[this.k]!;
    this.host.chip.show([seconds(time), sayBy(by)], at, []);
  }

  finish(moved: boolean): void {
    this.host.showPoseWish(null);
    this.host.chip.hide();
    if (!moved || !this.placed) return this.click();
    const { time, refusal } = this.placed;
    if (this.before.isFree(this.k) && Math.abs(time - this.before.times[this.k]!) > 5e-5) this.edits.commit();
    else this.edits.discard();
    state.announcement.value = `Pose ${this.k + 1} at ${seconds(time)}.${refusal ? ` ${refusal}` : ""}`;
  }

  cancel(): void {
    inHand.value = null;
    this.edits.discard();
    actions.seek(this.timeBefore);
    this.host.showPoseWish(null);
    this.host.chip.hide();
    this.host.card.hide();
    state.announcement.value = `Pose ${this.k + 1} is back at ${seconds(this.before.times[this.k]!)}.`;
  }
}

/** A way in time in words. */
export function sayBy(by: number): string {
  if (Math.abs(by) < 5e-4) return "as it was";
  return `${lengthText(Math.abs(by), 3)} ${by > 0 ? "later" : "earlier"}`;
}

/** Put a pose at a typed time of the result. */
export function typePoseTime(host: PoseHost, k: number, output: number): void {
  const plot = host.posePlot();
  const view = plot.poses.view;
  if (!view || !plot.scene.editable) return;
  const { time, refusal } = placePose(view, k, plot.scene.times.fromResult(output));
  if (refusal) host.say(refusal, stepX(plot, time));
  state.announcement.value = refusal ?? `Pose ${k + 1} at ${seconds(time)}.`;
  if (!view.isFree(k)) return;
  addEdits(view.step, { do: "retime", pose: k, time: actions.round(time) });
  actions.seek(plot.scene.times.toResult(time));
}

