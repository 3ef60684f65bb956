/** A first look round: five short notes, each beside what it is about. Offered once; Esc ends it. */

import { effect, signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { Button } from "../../controls";
import * as actions from "../../store/actions";
import { keep, remembered } from "../../store/memory";
import * as state from "../../store/state";

interface Stop {
  at: string; // the element that it points at
  title: string;
  text: string;
}

const STOPS: Stop[] = [
  {
    at: ".view",
    title: "Two bodies, one motion",
    text: "The source is cyan, the result purple. Drag to look around, and press play below.",
  },
  {
    at: ".timeline-area",
    title: "The warp",
    text: "Output time is horizontal, source time vertical. Press K for a keytime, and drag it to change its time.",
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
    title: "Compare and export",
    text: "A and B are two versions of the recipe. Undo goes back to the start, and Export saves the result.",
  },
];

const SEEN = "tour";
const GAP = 12;

/** The stop that is shown, or whether the tour is offered; null while there is no tour. */
const shown = signal<number | "offer" | null>(null);

/** Offer the tour where this browser has not seen it. */
export function offerTour(): void {
  if (remembered(SEEN)) return;
  let offered = false;
  effect(() => {
    if (offered || state.link.value !== "open" || !state.welcome.value || !state.committed.value) return;
    offered = true;
    shown.value = "offer";
  });
}

export function startTour(): void {
  keep(SEEN, "seen");
  const samples = state.welcome.value?.samples ?? {};
  if (!state.project.value?.source && "jump" in samples) actions.openSample("jump");
  shown.value = 0;
}

function end(): void {
  keep(SEEN, "seen");
  shown.value = null;
}

export function Tour() {
  if (shown.value === null) return null;
  return shown.value === "offer" ? <Offer /> : <Guide place={shown.value} />;
}

const Offer = () => (
  <section class="tour-card tour-offer" aria-label="Tour">
    <h2>New here?</h2>
    <p>Five short steps show what is where, on a bundled jump.</p>
    <div class="card-actions">
      <Button class="button filled" onClick={startTour}>Take the tour</Button>
      <Button class="button quiet" onClick={end}>Not now</Button>
    </div>
  </section>
);

function Guide({ place }: { place: number }) {
  const ring = useRef<HTMLDivElement>(null);
  const card = useRef<HTMLElement>(null);
  const stop = STOPS[place]!;
  const last = place === STOPS.length - 1;
  useLayoutEffect(() => {
    const point = (): void => pointAt(stop.at, ring.current!, card.current!);
    point();
    card.current?.querySelector("button")?.focus();
    window.addEventListener("resize", point);
    return () => window.removeEventListener("resize", point);
  }, [stop]);
  useEffect(() => {
    const escape = (event: KeyboardEvent): void => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      end();
    };
    window.addEventListener("keydown", escape, true);
    return () => window.removeEventListener("keydown", escape, true);
  }, []);
  return (
    <>
      <div ref={ring} class="tour-ring" />
      <section ref={card} class="tour-card" role="dialog" aria-label="Tour" tabIndex={-1}>
        <h2>{stop.title}</h2>
        <p>{stop.text}</p>
        <div class="card-actions">
          <Button class="button filled" onClick={() => (last ? end() : (shown.value = place + 1))}>
            {last ? "Done" : "Next"}
          </Button>
          <Button class="button quiet" onClick={() => (place ? (shown.value = place - 1) : end())}>
            {place ? "Back" : "Skip"}
          </Button>
          <span class="caption">{place + 1} of {STOPS.length}</span>
        </div>
      </section>
    </>
  );
}

/** Put the ring round an area and the card beside it, inside the window. */
function pointAt(selector: string, ring: HTMLElement, card: HTMLElement): void {
  const area = document.querySelector(selector)?.getBoundingClientRect() ?? new DOMRect();
  ring.hidden = area.left >= innerWidth || area.width === 0;
  for (const side of ["left", "top", "width", "height"] as const) ring.style[side] = `${area[side]}px`;
  const { width, height } = card.getBoundingClientRect();
  const [left, top] = besides(area, width, height);
  card.style.left = `${Math.max(GAP, Math.min(left, innerWidth - width - GAP))}px`;
  card.style.top = `${Math.max(GAP, Math.min(top, innerHeight - height - GAP))}px`;
}

/** Right of it, left of it, above or below: wherever there is room; else in its middle. */
function besides(area: DOMRect, width: number, height: number): [number, number] {
  if (innerWidth - area.right > width + 2 * GAP) return [area.right + GAP, area.top + GAP];
  if (area.left > width + 2 * GAP && area.height > height) return [area.left - width - GAP, area.top + GAP];
  if (innerHeight - area.bottom > height + 2 * GAP && area.height < height)
    return [area.right - width - GAP, area.bottom + GAP];
  if (area.top > height + 2 * GAP) return [area.left + area.width / 2 - width / 2, area.top - height - GAP];
  return [area.left + area.width / 2 - width / 2, area.top + area.height / 2 - height / 2];
}
