/** The read-out beside a joint or a handle: its name, and how near it came to its target. */

import "./pose.css";
import { ChipSize } from "../chip_size";
import type { Spot } from "./pose_screen";

/** Pixels at the top of the view that its own legend and switches take. */
const LEGEND = 48;

export class PoseChip {
  private readonly element = document.createElement("div");
  private readonly name = document.createElement("strong");
  private readonly detail = document.createElement("span");
  private readonly size = new ChipSize(this.element, () => this.place());
  private place = (): void => {};

  constructor() {
    this.element.className = "beside-chip pose-chip";
    this.element.setAttribute("aria-hidden", "true"); // the panel says the same
    this.element.hidden = true;
    this.element.append(this.name, this.detail);
  }

  /** Show words `away` pixels above a place, or beside it where there is no room above. */
  show(host: HTMLElement, box: DOMRect, name: string, detail: string, { x, y }: Spot, away: number): void {
    if (this.element.parentElement !== host) host.append(this.element);
    this.element.hidden = false;
    if (this.name.textContent !== name) this.name.textContent = name;
    if (this.detail.textContent !== detail) this.detail.textContent = detail;
    this.detail.hidden = !detail;
    this.place = () => {
      const { width, height } = this.size;
      const above = y - box.top - away - height;
      const fits = above >= LEGEND;
      const beside = x - box.left + away + width <= box.width ? x - box.left + away : x - box.left - away - width;
      const left = Math.min(Math.max(fits ? x - box.left - width / 2 : beside, 4), box.width - width - 4);
      const top = fits ? above : Math.max(y - box.top - height / 2, LEGEND);
      this.element.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
    };
    this.place();
  }

  hide(): void {
    this.element.hidden = true;
  }

  dispose(): void {
    this.size.dispose();
    this.element.remove();
  }
}
