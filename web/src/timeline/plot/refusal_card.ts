/** The card that says why a drag stopped, with a button that lets it go on. */

import { effect } from "@preact/signals";
import { solverStop } from "../../store/verdicts";
import type { Refusal } from "../warp/refusal";

const SVG = "http://www.w3.org/2000/svg";
const MARGIN = 8;

export class RefusalCard {
  private readonly element = document.createElement("div");
  private readonly title = document.createElement("strong");
  private readonly hint = document.createElement("span");
  private readonly button = document.createElement("button");
  private lift: (() => void) | null = null;
  /** Where the last card stood, and what the solver said last. */
  private at = 0;
  private said = "";

  constructor(private readonly root: HTMLElement) {
    this.element.className = "timeline-card";
    this.element.hidden = true;
    this.button.type = "button";
    const words = document.createElement("div");
    words.append(this.title, this.hint);
    this.element.append(warningSign(), words, this.button);
    this.button.addEventListener("click", () => {
      const lift = this.lift;
      this.hide();
      lift?.();
    });
    root.append(this.element);
    // What only the solver knows comes after the pointer has moved.
    effect(() => {
      if (solverStop.value !== null) this.show({ text: solverStop.value, lift: null }, this.at, null);
      else if (this.isOfSolver) this.hide();
    });
  }

  private get isOfSolver(): boolean {
    return this.shown && this.title.textContent === this.said;
  }

  get shown(): boolean {
    return !this.element.hidden;
  }

  show({ text, lift }: Pick<Refusal, "text" | "lift"> & Partial<Refusal>, x: number, go: (() => void) | null): void {
    this.lift = go;
    this.at = x;
    if (text === solverStop.peek()) this.said = text;
    this.title.textContent = text;
    this.hint.textContent = lift?.hint ?? "";
    this.hint.hidden = !lift;
    this.button.textContent = lift?.button ?? "";
    this.button.hidden = !lift || !go;
    this.element.hidden = false;
    const room = this.root.clientWidth - this.element.offsetWidth - MARGIN;
    this.element.style.left = `${Math.round(Math.max(Math.min(x - this.element.offsetWidth / 2, room), MARGIN))}px`;
  }

  hide(): void {
    if (solverStop.peek() !== null && this.isOfSolver) return; // it holds until the drag ends or goes elsewhere
    this.element.hidden = true;
    this.lift = null;
  }
}

function warningSign(): SVGElement {
  const sign = document.createElementNS(SVG, "svg");
  sign.setAttribute("viewBox", "0 0 16 16");
  sign.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", "M8 2.2 14.4 13.4H1.6ZM8 6.4V9.6M8 11.4V11.6");
  sign.append(path);
  return sign;
}
