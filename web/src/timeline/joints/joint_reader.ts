/** Surface keys and joints' times as lists, for those who do not see the canvas. */

import { ahead } from "../../panels/surface_words";
import { LIMB_TITLES } from "../../panels/limbs";
import { aheadAt } from "../../store/surface";
import type { JointScene } from "./joint_scene";
import { sayMark, selectSurface } from "./surface_edits";

export class JointReader {
  private readonly keys = list("Surface keys");
  private readonly joints = list("Joint times at the playhead");

  constructor(root: HTMLElement) {
    this.keys.addEventListener("focusin", ({ target }) => {
      const key = (target as HTMLElement).dataset["key"];
      if (key) selectSurface(Number(key));
    });
    root.append(this.keys, this.joints);
  }

  /** Buttons are changed in place: the focused one keeps the focus. */
  updateKeys({ marks, selected }: JointScene): void {
    fit(this.keys, marks.length, () => {
      const item = document.createElement("li");
      item.append(Object.assign(document.createElement("button"), { type: "button" }));
      return item;
    });
    [...this.keys.querySelectorAll("button")].forEach((button, k) => {
      button.dataset["key"] = String(k);
      button.tabIndex = k === (selected ?? 0) ? 0 : -1; // Up and Down go on from the one that Tab reaches
      button.setAttribute("aria-pressed", String(k === selected));
      say(button, `Surface key ${k + 1}: ${sayMark(marks[k]!)}`);
    });
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

function list(label: string): HTMLUListElement {
  const made = document.createElement("ul");
  made.className = "timeline-reader";
  made.setAttribute("aria-label", label);
  return made;
}

function fit(parent: HTMLElement, count: number, make: () => HTMLElement): void {
  while (parent.children.length > count) parent.lastElementChild!.remove();
  while (parent.children.length < count) parent.append(make());
}

/** Text that stays the same is left alone: readers follow changes. */
function say(host: Element, text: string): void {
  if (host.textContent !== text) host.textContent = text;
}
