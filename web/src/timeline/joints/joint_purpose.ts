/** What stands in the plot's place where a step has no joint times: what the tab is for, and a way to begin. */

import * as state from "../../store/state";
import { addSurfaceAt } from "../../store/surface";
import { purpose, type JointScene } from "./joint_scene";

export class Purpose {
  private readonly element = document.createElement("div");
  private readonly words = document.createElement("p");
  private readonly button = document.createElement("button");

  constructor(root: HTMLElement) {
    this.element.className = "joint-purpose";
    this.button.type = "button";
    this.button.className = "button";
    const key = document.createElement("kbd");
    key.textContent = "T";
    this.button.append("Add a surface at the playhead", key);
    this.button.addEventListener("click", () => addSurfaceAt(state.time.value));
    this.element.append(this.words, this.button);
    root.append(this.element);
  }

  show(scene: JointScene): void {
    const text = purpose(scene);
    this.element.hidden = text === null;
    if (text === null) return;
    if (this.words.textContent !== text) this.words.textContent = text;
    const { step, source } = scene.base;
    const muted = scene.surfaces && step?.mute === true;
    this.button.hidden = !source || step?.method === "stagger" || muted;
    this.button.disabled = !scene.base.editable;
  }
}
