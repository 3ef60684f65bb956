/** Drag a row of a list to another place; a line shows where it would land, Esc leaves it. */

import type { Signal } from "@preact/signals";
import type { TargetedPointerEvent } from "preact";
import { followPress } from "../../controls";

/** A row on its way: where it comes from, and the gap that it would drop into. */
export interface Drop {
  from: number;
  gap: number;
}

export function reorder(
  press: TargetedPointerEvent<HTMLElement>, from: number, drop: Signal<Drop | null>, move: (to: number) => void,
): void {
  const rows = [...(press.currentTarget.closest("li")?.parentElement?.children ?? [])];
  if (press.button !== 0) return;
  press.preventDefault();
  drop.value = { from, gap: from };
  const end = (): void => {
    drop.value = null;
  };
  followPress(press.currentTarget, press, {
    move(event) {
      const gap = rows.filter((row) => event.clientY > middle(row)).length;
      if (gap !== drop.value?.gap) drop.value = { from, gap };
    },
    release() {
      const to = landing(from, drop.value?.gap ?? from);
      end();
      if (to !== from) move(to);
    },
    giveUp: end,
  });
}

/** Where a row ends up that is dropped into a gap: gaps below it move up once it is taken out. */
export const landing = (from: number, gap: number): number => (gap > from ? gap - 1 : gap);

function middle(row: Element): number {
  const { top, height } = row.getBoundingClientRect();
  return top + height / 2;
}
