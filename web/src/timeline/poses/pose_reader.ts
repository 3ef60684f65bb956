/** The poses as a list, for those who do not see the canvas. */

import { sayLater, selectPose } from "../../store/poses";
import { seconds } from "../plot/axis";
import { MarkList } from "../plot/mark_list";
import { markTime } from "./pose_rows";
import type { PoseScene } from "./pose_scene";

export class PoseReader {
  private readonly list = new MarkList("Poses", selectPose);

  constructor(root: HTMLElement) {
    root.append(this.list.element);
  }

  update({ view, rows, selected }: PoseScene): void {
    const count = view?.count ?? 0;
    this.list.buttons(count).forEach((button, k) => {
      const t = view!.times[k]!;
      // All rows of the one that is chosen, the time alone of the others: a long clip has hundreds.
      const parts = k !== selected ? [] : rows.map((row) => {
        const at = markTime(view!, row, k);
        return at === null ? `${row.label} left out` : `${row.label} ${sayLater(at - t)}`;
      });
      const fixed = view!.isFree(k) ? "" : ", fixed";
      this.list.mark(button, k, selected, [`Pose ${k + 1} of ${count}, ${seconds(t)}${fixed}`, ...parts].join("; "));
    });
  }
}
