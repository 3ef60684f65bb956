/** Drag a row of a list to another place; a line shows where it would land, Esc leaves it. */

export function dragToReorder(row: HTMLElement, grip: HTMLElement, index: number, move: (to: number) => void): void {
  grip.onpointerdown = (press) => {
    if (press.button !== 0) return;
    press.preventDefault();
    const rows = [...(row.parentElement?.children ?? [])] as HTMLElement[];
    let gap = index;
    const mark = (): void => {
      rows.forEach((other, k) => {
        other.classList.toggle("drop-before", k === gap && gap !== index && gap !== index + 1);
        other.classList.toggle("drop-after", k === rows.length - 1 && gap === rows.length && index !== k);
      });
    };
    const follow = (event: PointerEvent): void => {
      gap = rows.filter((other) => event.clientY > middle(other)).length;
      mark();
    };
    const end = (): void => {
      row.classList.remove("dragged");
      rows.forEach((other) => other.classList.remove("drop-before", "drop-after"));
      grip.removeEventListener("pointermove", follow);
      grip.removeEventListener("pointerup", drop);
      grip.removeEventListener("pointercancel", end);
      window.removeEventListener("keydown", escape, true);
    };
    const drop = (): void => {
      end();
      const to = landing(index, gap);
      if (to !== index) move(to);
    };
    const escape = (event: KeyboardEvent): void => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      end();
    };
    row.classList.add("dragged");
    grip.setPointerCapture(press.pointerId);
    grip.addEventListener("pointermove", follow);
    grip.addEventListener("pointerup", drop);
    grip.addEventListener("pointercancel", end);
    window.addEventListener("keydown", escape, true);
  };
}

/** Where a row ends up that is dropped into a gap: gaps below it move up once it is taken out. */
export const landing = (from: number, gap: number): number => (gap > from ? gap - 1 : gap);

function middle(row: Element): number {
  const { top, height } = row.getBoundingClientRect();
  return top + height / 2;
}
