/** Marks as a list of buttons, for those who do not see the canvas: the one that has the focus is chosen. */

export class MarkList {
  readonly element: HTMLUListElement;

  /** `choose` is told the number of the mark whose button got the focus. */
  constructor(label: string, private readonly choose: (index: number) => void) {
    this.element = readerList(label);
    this.element.addEventListener("focusin", ({ target }) => {
      const { mark } = (target as HTMLElement).dataset;
      if (mark) this.choose(Number(mark));
    });
  }

  /** So many buttons, changed in place: the focused one keeps the focus. */
  buttons(count: number): HTMLButtonElement[] {
    fit(this.element, count, () => {
      const item = document.createElement("li");
      item.append(Object.assign(document.createElement("button"), { type: "button" }));
      return item;
    });
    return [...this.element.querySelectorAll("button")];
  }

  /** Make a button that of a mark: Up and Down go on from the one that Tab reaches. */
  mark(button: HTMLButtonElement, index: number, selected: number | null, text: string): void {
    button.dataset["mark"] = String(index);
    button.tabIndex = index === (selected ?? 0) ? 0 : -1;
    button.setAttribute("aria-pressed", String(index === selected));
    say(button, text);
  }
}

export function readerList(label: string): HTMLUListElement {
  const made = document.createElement("ul");
  made.className = "timeline-reader";
  made.setAttribute("aria-label", label);
  return made;
}

/** Add or take children until there are so many. */
export function fit(parent: HTMLElement, count: number, make: () => HTMLElement): void {
  while (parent.children.length > count) parent.lastElementChild!.remove();
  while (parent.children.length < count) parent.append(make());
}

/** Text that stays the same is left alone: readers follow changes. */
export function say(host: Element, text: string): void {
  if (host.textContent !== text) host.textContent = text;
}
