/** What stands over the view while a surface is edited: the read-out beside the handle, and what the tint means. */

import "./surface.css";
import { ChipSize } from "../chip_size";

const ASIDE = 26;
const MARGIN = 8;
/** Over the view are its legend and its switches, pixels. */
const OVERLAY = 48;

export class SurfaceReadout {
  private readonly chip = document.createElement("div");
  private readonly name = document.createElement("span");
  private readonly shift = document.createElement("strong");
  private readonly legend = document.createElement("div");
  private readonly size = new ChipSize(this.chip, () => this.place());
  private place = (): void => {};

  constructor() {
    this.chip.className = "surface-readout";
    this.chip.setAttribute("aria-hidden", "true"); // the inspector and the announcements say the same
    this.chip.append(this.name, this.shift);
    this.legend.className = "surface-legend";
    const bar = document.createElement("span");
    bar.className = "surface-legend-bar";
    this.legend.append("Pull on surface", bar, "0 – 100 %");
    this.hide();
  }

  /** Show words beside the handle; all in client coordinates, and the handle's are kept for tests. */
  show(canvas: HTMLElement, box: DOMRect, { x, y }: { x: number; y: number }, name: string, shift: string): void {
    const host = canvas.parentElement;
    if (!host) return;
    if (this.chip.parentElement !== host) host.append(this.chip, this.legend);
    this.chip.hidden = this.legend.hidden = false;
    if (this.name.textContent !== name) this.name.textContent = name;
    if (this.shift.textContent !== shift) this.shift.textContent = shift;
    this.chip.dataset["x"] = String(x);
    this.chip.dataset["y"] = String(y);
    this.place = () => {
      const { width, height } = this.size;
      const right = x - box.left + ASIDE;
      // Over the handle where the right edge is near: the arrows are left and right of it.
      const fits = right + width + MARGIN <= box.width;
      const left = fits ? right : Math.max(Math.min(x - box.left - width / 2, box.width - width - MARGIN), MARGIN);
      const above = y - box.top - (fits ? height + 4 : height + ASIDE);
      // Under the handle where there is no room over it.
      const top = above >= OVERLAY ? above : Math.max(y - box.top + ASIDE, OVERLAY);
      this.chip.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
    };
    this.place();
  }

  hide(): void {
    this.chip.hidden = this.legend.hidden = true;
  }

  dispose(): void {
    this.size.dispose();
    this.chip.remove();
    this.legend.remove();
  }
}
