/** Names of the rows left of the plot: limbs unfold, joints are chosen. It scrolls, and the plot along with it. */

import { element, watch } from "../../panels/dom";
import { icon } from "../../panels/icons";
import * as state from "../../store/state";
import type { PoseRow } from "./pose_rows";
import { cursorRow, poseScene, toggleLimb } from "./pose_scene";

export class PoseGutter {
  readonly element = element("div", { className: "pose-gutter", ariaLabel: "Rows" });

  constructor(root: HTMLElement, onScroll: (top: number) => void) {
    root.append(this.element);
    this.element.addEventListener("scroll", () => onScroll(this.element.scrollTop));
    let before = "";
    watch(() => {
      const { rows } = poseScene.value;
      const key = rows.map((row) => `${row.key}${row.open ? "+" : ""}`).join(" ");
      if (key !== before) this.fill(rows);
      before = key;
    });
    watch(() => {
      const { joint, hovered, cursor, view } = poseScene.value;
      for (const row of this.element.children as HTMLCollectionOf<HTMLElement>) {
        const own = row.dataset["joint"] === undefined ? null : Number(row.dataset["joint"]);
        const ofJoint = own !== null && own === joint && view !== null;
        row.classList.toggle("chosen", row.dataset["row"] === cursor || ofJoint);
        row.classList.toggle("hovered", own !== null && own === hovered);
      }
    });
  }

  place(top: number, height: number): void {
    this.element.style.top = `${top}px`;
    this.element.style.height = `${height - 1}px`;
  }

  /** Rows are made anew when they change; a limb's button that had the focus has it again. */
  private fill(rows: PoseRow[]): void {
    const focused = (document.activeElement as HTMLElement | null)?.dataset["row"];
    const had = this.element.contains(document.activeElement);
    this.element.replaceChildren(...rows.map((row) => this.make(row)));
    if (had && focused) this.element.querySelector<HTMLElement>(`[data-row="${CSS.escape(focused)}"]`)?.focus();
  }

  private make(row: PoseRow): HTMLElement {
    const view = poseScene.value.view!;
    const limb = row.kind === "limb";
    const title = row.kind === "joint" ? view.channels[row.channels[0]!]! : row.label;
    const made = element(
      "button",
      { type: "button", className: `pose-row ${row.kind}`, data: { row: row.key }, title },
      limb ? icon("right") : null,
      row.kind === "joint" ? null : element("span", { className: "swatch", data: { limb: row.limb ?? "root" } }),
      element("span", { className: "pose-row-name", textContent: row.label }),
    );
    if (limb) {
      made.ariaExpanded = String(row.open);
      made.onclick = () => toggleLimb(row.key);
      return made;
    }
    const joint = view.jointOf(row.channels[0]!);
    if (row.kind === "joint") made.dataset["joint"] = String(joint);
    made.onclick = () => {
      cursorRow.value = row.key;
      state.selectedJoint.value = joint;
    };
    made.onpointerenter = () => (state.hoveredJoint.value = joint);
    made.onpointerleave = () => (state.hoveredJoint.value = null);
    return made;
  }
}
