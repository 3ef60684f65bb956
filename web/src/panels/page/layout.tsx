/** The areas of the page, the edge between view and timeline, and the way from area to area by keyboard. */

import { computed, signal } from "@preact/signals";
import type { TargetedPointerEvent } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { followPress } from "../../controls";
import { keep, remembered } from "../../store/memory";
import { afterWhile } from "../../store/waiting";

const SLIDE = 300; // milliseconds, longer than a panel moves

/** Whether the inspector is drawn out, where the window is too narrow to hold it. */
export const inspectorOpen = signal(false);
const narrow = "matchMedia" in globalThis ? matchMedia("(max-width: 959px)") : null;
const isNarrow = signal(narrow?.matches ?? false);
narrow?.addEventListener("change", ({ matches }) => (isNarrow.value = matches));
/** Whether the inspector is out of sight; a drawer that has slid away is not drawn again with every drag. */
export const inspectorHidden = afterWhile(computed(() => isNarrow.value && !inspectorOpen.value), SLIDE);

const LEAST_TIMELINE = 120;
const LEAST_VIEW = 280;
const KEY_STEP = 16;
const USUAL = 324;
/** The height that was chosen, pixels; null is the usual one. */
const chosen = signal(Number(remembered("timeline")) || null);

/** As tall as was wished, with room left for the view. */
export function timelineHeight(wished: number, windowHeight: number, bars: number): number {
  return Math.round(Math.max(LEAST_TIMELINE, Math.min(wished, windowHeight - bars - LEAST_VIEW)));
}

const heightOf = (selector: string): number => document.querySelector(selector)?.clientHeight ?? 0;

function choose(wished: number): void {
  chosen.value = timelineHeight(wished, heightOf("#app"), heightOf(".header") + heightOf(".transport"));
  keep("timeline", String(chosen.value));
}

/** The tallest that the window leaves room for. */
const mostTimeline = (): number =>
  timelineHeight(Infinity, heightOf("#app"), heightOf(".header") + heightOf(".transport"));

/** The edge between view and timeline, to drag or to move with the arrow keys. */
export function Edge() {
  const height = chosen.value;
  useLayoutEffect(() => {
    const { style } = document.querySelector<HTMLElement>("#app")!;
    if (height === null) style.removeProperty("--timeline-chosen");
    else style.setProperty("--timeline-chosen", `${height}px`);
  }, [height]);
  const onPointerDown = (press: TargetedPointerEvent<HTMLElement>): void => {
    const before = heightOf(".timeline-area");
    followPress(press.currentTarget, press, {
      move: (event) => choose(before + press.clientY - event.clientY),
      release: () => undefined,
      giveUp: () => choose(before),
    });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = { ArrowUp: KEY_STEP, ArrowDown: -KEY_STEP }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    choose(heightOf(".timeline-area") + by);
  };
  const reset = (): void => {
    chosen.value = null;
    keep("timeline", "");
  };
  return (
    <div
      class="edge" role="separator" tabIndex={0} title="Drag to resize; double-click for the usual size"
      aria-orientation="horizontal" aria-label="Height of the timeline" aria-valuenow={height ?? USUAL}
      aria-valuemin={LEAST_TIMELINE} aria-valuemax={mostTimeline()} aria-valuetext={`${height ?? USUAL} pixels`}
      onPointerDown={onPointerDown} onDblClick={reset} onKeyDown={onKeyDown}
    />
  );
}

/** Move the focus to the next area that is on screen. */
export function nextArea(back: boolean): void {
  const all = [...document.querySelectorAll<HTMLElement>("[data-area]")];
  const areas = all.filter((area) => area.checkVisibility({ visibilityProperty: true }));
  const now = areas.findIndex((a) => a.contains(document.activeElement));
  areas.at((now + (back ? -1 : 1)) % areas.length)?.focus();
}
