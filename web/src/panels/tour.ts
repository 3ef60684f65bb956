/** A first look round: five short words, each beside what it is about. Offered once; Esc ends it. */

import * as actions from "../store/actions";
import * as state from "../store/state";
import { button } from "./controls";
import { element, watch } from "./dom";
import { keep, remembered } from "./memory";

interface Stop {
  at: string; // the element that it points at
  title: string;
  text: string;
}

const STOPS: Stop[] = [
  {
    at: ".view",
    title: "Two bodies, one motion",
    text: "Cyan is the motion as it was given, purple is yours. Drag to look round it, and press play below.",
  },
  {
    at: ".timeline-area",
    title: "The warp",
    text: "Output time runs across, the source's time up. Press K for a key, and drag it to move a moment in time.",
  },
  {
    at: ".left",
    title: "The recipe",
    text: "Steps act one after the other. Add one with +, drag its weight, or mute it with the eye.",
  },
  {
    at: ".inspector",
    title: "Parameters",
    text: "What the selected step can do. Drag a number or a slider: the motion follows your hand.",
  },
  {
    at: ".header",
    title: "Compare and take along",
    text: "A and B are two versions of the recipe. Undo goes all the way back, and Export takes the result out.",
  },
];

const SEEN = "tour";
const GAP = 12;
let endTour: (() => void) | null = null;

/** Offer the tour where this browser has not seen it. */
export function offerTour(): void {
  if (remembered(SEEN)) return;
  let offered = false;
  watch(() => {
    if (offered || state.link.value !== "open" || !state.welcome.value || !state.committed.value) return;
    offered = true;
    offer();
  });
}

function offer(): void {
  const close = (): void => {
    keep(SEEN, "seen");
    card.remove();
  };
  const start = button("Take the tour", () => {
    close();
    startTour();
  }, "button filled");
  const card = element(
    "section",
    { className: "tour-card tour-offer", ariaLabel: "Tour" },
    element("h2", { textContent: "New here?" }),
    element("p", { textContent: "Five short steps show what is where, on a bundled jump." }),
    element("div", { className: "card-actions" }, start, button("Not now", close, "button quiet")),
  );
  document.body.append(card);
}

export function startTour(): void {
  endTour?.();
  const samples = state.welcome.value?.samples ?? {};
  if (!state.project.value?.source && "jump" in samples) actions.openSample("jump");
  const ring = element("div", { className: "tour-ring" });
  const card = element("section", { className: "tour-card", role: "dialog", ariaLabel: "Tour", tabIndex: -1 });
  document.body.append(ring, card);
  let place = 0;
  const show = (): void => {
    const stop = STOPS[place]!;
    const last = place === STOPS.length - 1;
    card.replaceChildren(
      element("h2", { textContent: stop.title }),
      element("p", { textContent: stop.text }),
      element(
        "div",
        { className: "card-actions" },
        button(last ? "Done" : "Next", () => (last ? end() : go(1)), "button filled"),
        place ? button("Back", () => go(-1), "button quiet") : button("Skip", end, "button quiet"),
        element("span", { className: "caption", textContent: `${place + 1} of ${STOPS.length}` }),
      ),
    );
    point(stop.at, ring, card);
    card.querySelector("button")?.focus();
  };
  const go = (by: number): void => {
    place += by;
    show();
  };
  const end = (): void => {
    keep(SEEN, "seen");
    ring.remove();
    card.remove();
    window.removeEventListener("keydown", escape, true);
    window.removeEventListener("resize", show);
    endTour = null;
  };
  const escape = (event: KeyboardEvent): void => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    end();
  };
  endTour = end;
  window.addEventListener("keydown", escape, true);
  window.addEventListener("resize", show);
  show();
}

/** Put the ring round an area and the card beside it, inside the window. */
function point(selector: string, ring: HTMLElement, card: HTMLElement): void {
  const area = document.querySelector(selector)?.getBoundingClientRect() ?? new DOMRect();
  const visible = area.left < innerWidth && area.width > 0;
  ring.hidden = !visible;
  Object.assign(
    ring.style,
    { left: `${area.left}px`, top: `${area.top}px`, width: `${area.width}px`, height: `${area.height}px` },
  );
  const { width, height } = card.getBoundingClientRect();
  const [left, top] = besides(area, width, height);
  card.style.left = `${Math.max(GAP, Math.min(left, innerWidth - width - GAP))}px`;
  card.style.top = `${Math.max(GAP, Math.min(top, innerHeight - height - GAP))}px`;
}

/** Right of it, left of it, above or below: wherever there is room; else in its middle. */
function besides(area: DOMRect, width: number, height: number): [number, number] {
  if (innerWidth - area.right > width + 2 * GAP) return [area.right + GAP, area.top + GAP];
  if (area.left > width + 2 * GAP && area.height > height) return [area.left - width - GAP, area.top + GAP];
  if (innerHeight - area.bottom > height + 2 * GAP && area.height < height) return [
    area.right - width - GAP,
    area.bottom + GAP,
  ];
  if (area.top > height + 2 * GAP) return [area.left + area.width / 2 - width / 2, area.top - height - GAP];
  return [area.left + area.width / 2 - width / 2, area.top + area.height / 2 - height / 2];
}
