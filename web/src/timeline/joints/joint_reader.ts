/** Surface keys and joints' times as lists, for those who do not see the canvas. */

import { ahead } from "../../words/surface_keys";
import { LIMB_TITLES } from "../../store/limbs";
import { aheadAt } from "../../store/surface";
import { fit, MarkList, readerList, say } from "../plot/mark_list";
import type { JointScene } from "./joint_scene";
import { sayMark, selectSurface } from "./surface_edits";

export class JointReader {
  private readonly keys = new MarkList("Surface keys", selectSurface);
  private readonly joints = readerList("Joint times at the playhead");

  constructor(root: HTMLElement) {
    root.append(this.keys.element, this.joints);
  }

  updateKeys({ marks, selected }: JointScene): void {
    this.keys.buttons(marks.length).forEach((button, k) =>
      this.keys.mark(button, k, selected, `Surface key ${k + 1}: ${sayMark(marks[k]!)}`),
    );
  }

  /** Joints that are ahead or behind where the playhead rests. */
  updateJoints({ curves, titles, limbs, solo }: JointScene, now: number): void {
    const found = (curves?.columns ?? [])
      .map((column, j) => ({ j, by: aheadAt(curves!.clip, column, now) }))
      .filter(({ j, by }) => Math.abs(by) >= 5e-4 && (solo === null || limbs[j] === solo));
    const lines = found.map(({ j, by }) => `${titles[j]}: ${ahead(by)}`);
    if (curves && !lines.length) lines.push("All joints are on time.");
    if (solo) lines.unshift(`${LIMB_TITLES[solo]} alone is shown.`);
    fit(this.joints, lines.length, () => document.createElement("li"));
    [...this.joints.children].forEach((item, k) => say(item, lines[k]!));
  }
}
