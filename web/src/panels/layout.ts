/** The areas of the page, the edge between view and timeline, and the way from area to area by keyboard. */

import { signal } from "@preact/signals-core";
import { element } from "./dom";
import { keep, remembered } from "./memory";

/** Whether the inspector is drawn out, where the window is too narrow to hold it. */
export const inspectorOpen = signal(false);

export interface Areas {
  header: HTMLElement;
  left: HTMLElement;
  view: HTMLElement;
  inspector: HTMLElement;
  transport: HTMLElement;
  timeline: HTMLElement;
}

const LEAST_TIMELINE = 120;
const LEAST_VIEW = 280;
const KEY_STEP = 16;

export function arrangeAreas(app: HTMLElement, areas: Areas): void {
  app.replaceChildren(
    areas.header,
    areas.left,
    areas.view,
    edge(app),
    areas.transport,
    areas.timeline,
    areas.inspector,
  );
  const kept = Number(remembered("timeline"));
  if (kept > 0) setHeight(app, kept);
}

/** As tall as was wished, with room left for the view. */
export function timelineHeight(wished: number, windowHeight: number, bars: number): number {
  return Math.round(Math.max(LEAST_TIMELINE, Math.min(wished, windowHeight - bars - LEAST_VIEW)));
}

function setHeight(app: HTMLElement, wished: number): void {
  app.style.setProperty("--timeline-chosen", `${wished}px`);
}

function edge(app: HTMLElement): HTMLElement {
  const made = element(
    "div",
    { className: "edge", role: "separator", tabIndex: 0, title: "Drag to resize; double-click for the usual size" },
  );
  made.ariaOrientation = "horizontal";
  made.ariaLabel = "Height of the timeline";
  const timeline = (): HTMLElement | null => app.querySelector(".timeline-area");
  const set = (wished: number): void => {
    const bars = [...app.querySelectorAll(".header, .transport")].reduce((sum, bar) => sum + bar.clientHeight, 0);
    const height = timelineHeight(wished, app.clientHeight, bars);
    setHeight(app, height);
    made.ariaValueNow = String(height);
    keep("timeline", String(height));
  };
  made.onpointerdown = (press) => {
    const before = timeline()?.clientHeight ?? 0;
    made.setPointerCapture(press.pointerId);
    made.onpointermove = (event) => set(before + press.clientY - event.clientY);
  };
  made.onpointerup = made.onpointercancel = () => (made.onpointermove = null);
  made.ondblclick = () => {
    app.style.removeProperty("--timeline-chosen");
    keep("timeline", "");
  };
  made.onkeydown = (event) => {
    const by = { ArrowUp: KEY_STEP, ArrowDown: -KEY_STEP }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    set((timeline()?.clientHeight ?? 0) + by);
  };
  return made;
}

/** Move the focus to the next area that is on screen. */
export function nextArea(back: boolean): void {
  const all = [...document.querySelectorAll<HTMLElement>("[data-area]")];
  const areas = all.filter((area) => area.checkVisibility({ visibilityProperty: true }));
  const now = areas.findIndex((a) => a.contains(document.activeElement));
  areas.at((now + (back ? -1 : 1)) % areas.length)?.focus();
}
