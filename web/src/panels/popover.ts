/** Popovers and menus over the page: one at a time, closed by Esc or a click elsewhere, as the browser does it. */

import { element, onEnd, scope, type Child } from "./dom";
import { icon, type IconName } from "./icons";

const GAP = 6;

export interface MenuItem {
  label: string;
  icon?: IconName;
  note?: string;
  keys?: string;
  disabled?: boolean;
  run(): void;
}
/** A heading between items, or an item. */
export type MenuRow = MenuItem | { heading: string };

/** Let a button open a popover, whose content is made anew each time. */
export function attachPopover(opener: HTMLButtonElement, label: string, build: (close: () => void) => Child[]): void {
  const panel = element("div", { className: "popover", popover: "auto", role: "dialog", ariaLabel: label });
  opener.popoverTargetElement = panel;
  opener.setAttribute("aria-haspopup", "dialog");
  fillWhenOpen(panel, build, () => beside(panel, opener.getBoundingClientRect()));
}

/** Let a button open a menu. */
export function attachMenu(opener: HTMLButtonElement, label: string, rows: () => MenuRow[]): void {
  const panel = element("div", { className: "popover menu", popover: "auto", role: "menu", ariaLabel: label });
  opener.popoverTargetElement = panel;
  opener.setAttribute("aria-haspopup", "menu");
  fillWhenOpen(panel, (close) => menuRows(panel, rows(), close), () => beside(panel, opener.getBoundingClientRect()));
}

/** Where a context menu belongs: at the pointer, or at its row when a key asked for it. */
export const menuPlace = (event: MouseEvent, row: Element): DOMRect =>
  event.clientX || event.clientY ? new DOMRect(event.clientX, event.clientY, 0, 0) : row.getBoundingClientRect();

/** Open a menu where the pointer is, or beside what has the focus. */
export function openMenu(at: DOMRect, label: string, rows: MenuRow[]): void {
  const panel = element("div", { className: "popover menu", popover: "auto", role: "menu", ariaLabel: label });
  fillWhenOpen(panel, (close) => menuRows(panel, rows, close), () => beside(panel, at));
  panel.addEventListener("toggle", (event) => event.newState === "closed" && panel.remove());
  panel.showPopover();
}

function fillWhenOpen(panel: HTMLElement, build: (close: () => void) => Child[], place: () => void): void {
  document.body.append(panel);
  let end = (): void => undefined;
  panel.addEventListener("beforetoggle", (event) => {
    end();
    end = () => undefined;
    if (event.newState !== "open") return;
    const [children, stop] = scope(() => build(() => panel.hidePopover()));
    end = stop;
    panel.replaceChildren(...children.filter((c): c is Node | string => Boolean(c)));
    // The panel has a size only once it is shown, which is after this event and before the next paint.
    requestAnimationFrame(() => {
      place();
      panel.querySelector<HTMLElement>("[role=menuitem]:not(:disabled), [autofocus]")?.focus();
    });
  });
  onEnd(() => {
    end();
    panel.remove();
  });
}

/** Put a panel below what it belongs to, or above where there is no room, inside the window. */
function beside(panel: HTMLElement, anchor: DOMRect): void {
  const { width, height } = panel.getBoundingClientRect();
  const x = anchor.left + width > innerWidth - GAP ? anchor.right - width : anchor.left;
  const below = anchor.bottom + GAP;
  const y = below + height > innerHeight - GAP && anchor.top - GAP - height > 0 ? anchor.top - GAP - height : below;
  panel.style.left = `${Math.max(GAP, Math.min(x, innerWidth - width - GAP))}px`;
  panel.style.top = `${Math.max(GAP, Math.min(y, innerHeight - height - GAP))}px`;
}

function menuRows(panel: HTMLElement, rows: MenuRow[], close: () => void): Child[] {
  panel.onkeydown = (event) => moveInMenu(panel, event);
  return rows.map((row) => {
    if ("heading" in row) return element("div", { className: "menu-heading", textContent: row.heading });
    const made = element(
      "button",
      { type: "button", role: "menuitem", className: "menu-item", disabled: row.disabled ?? false, tabIndex: -1 },
      row.icon && icon(row.icon),
      element(
        "span",
        { className: "menu-label" },
        row.label,
        row.note ? element("small", { textContent: row.note }) : null,
      ),
      row.keys ? element("kbd", { textContent: row.keys }) : null,
    );
    made.onclick = () => {
      close();
      row.run();
    };
    return made;
  });
}

function moveInMenu(panel: HTMLElement, event: KeyboardEvent): void {
  const items = [...panel.querySelectorAll<HTMLElement>("[role=menuitem]:not(:disabled)")];
  const now = items.indexOf(document.activeElement as HTMLElement);
  const next = { ArrowDown: now + 1, ArrowUp: now - 1, Home: 0, End: -1 }[event.key];
  if (next === undefined || !items.length) return;
  event.preventDefault();
  event.stopPropagation();
  items.at(next >= items.length ? 0 : next)?.focus();
}
