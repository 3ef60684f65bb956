/** The poses as a list, for those who do not see the canvas. */

import { sayLater, selectPose } from "../../store/poses";
import { seconds } from "../axis";
import { markTime } from "./pose_rows";
import type { PoseScene } from "./pose_scene";

export class PoseReader {
  private readonly list = document.createElement("ul");

  constructor(root: HTMLElement) {
    this.list.className = "timeline-reader";
    this.list.setAttribute("aria-label", "Poses");
    this.list.addEventListener("focusin", ({ target }) => {
      const pose = (target as HTMLElement).dataset["pose"];
      if (pose) selectPose(Number(pose));
    });
    root.append(this.list);
  }

  /** Buttons are changed in place: the focused one keeps the focus. */
  update({ view, rows, selected }: PoseScene): void {
    const count = view?.count ?? 0;
    while (this.list.children.length > count) this.list.lastElementChild!.remove();
    while (this.list.children.length < count) this.list.append(newItem());
    const buttons = this.list.querySelectorAll("button");
    buttons.forEach((button, k) => {
      const t = view!.times[k]!;
      button.dataset["pose"] = String(k);
      button.tabIndex = k === (selected ?? 0) ? 0 : -1;
      button.setAttribute("aria-pressed", String(k === selected));
      // All rows of the one that is chosen, the time alone of the others: a long clip has hundreds.
      const parts = k !== selected ? [] : rows.map((row) => {
        const at = markTime(view!, row, k);
        return at === null ? `${row.label} left out` : `${row.label} ${sayLater(at - t)}`;
      });
      const fixed = view!.isFree(k) ? "" : ", fixed";
      const text = [`Pose ${k + 1} of ${count}, ${seconds(t)}${fixed}`, ...parts].join("; ");
      if (button.textContent !== text) button.textContent = text;
    });
  }
}

function newItem(): HTMLLIElement {
  const item = document.createElement("li");
  const button = document.createElement("button");
  button.type = "button";
  item.append(button);
  return item;
}
