/** Menus over the page, opened by a button or by a right click. */

import { signal } from "@preact/signals";
import type { TargetedKeyboardEvent, TargetedMouseEvent } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "./icon";
import type { IconName } from "./icon_paths";
import { placeBeside, Popover, type OpenerProps } from "./popover";

export interface MenuItem {
  label: string;
  icon?: IconName | undefined;
  note?: string;
  keys?: string;
  disabled?: boolean;
  /** `at` is where the menu was opened. */
  run(at: DOMRect): void;
}
/** A heading between items, or an item. */
export type MenuRow = MenuItem | { heading: string };

/** A button that opens a menu; its rows are made when it opens. */
export const MenuButton = (
  { rows, ...opener }: Omit<OpenerProps, "role" | "content" | "onKeyDown"> & { rows(): MenuRow[] },
) => (
  <Popover
    role="menu" onKeyDown={moveInMenu} {...opener}
    content={(close, place) => <MenuRows rows={rows()} {...{ close, place }} />}
  />
);

function MenuRows({ rows, close, place }: { rows: MenuRow[]; close(): void; place(): DOMRect }) {
  const choose = (row: MenuItem): void => {
    close();
    row.run(place());
  };
  return (
    <>
      {rows.map((row) => ("heading" in row
        ? <div key={row.heading} class="menu-heading">{row.heading}</div>
        : (
          <button
            key={row.label} type="button" role="menuitem" class="menu-item" disabled={row.disabled} tabIndex={-1}
            onClick={() => choose(row)}
          >
            {row.icon && <Icon name={row.icon} />}
            <span class="menu-label">{row.label}{row.note && <small>{row.note}</small>}</span>
            {row.keys && <kbd>{row.keys}</kbd>}
          </button>
        )))}
    </>
  );
}

function moveInMenu(event: TargetedKeyboardEvent<HTMLElement>): void {
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>("[role=menuitem]:not(:disabled)")];
  const now = items.indexOf(document.activeElement as HTMLElement);
  const next = { ArrowDown: now + 1, ArrowUp: now - 1, Home: 0, End: -1 }[event.key];
  if (next === undefined || !items.length) return;
  event.preventDefault();
  event.stopPropagation();
  items.at(next >= items.length ? 0 : next)?.focus();
}

// ---- a menu at the pointer

const opened = signal<{ at: DOMRect; label: string; rows: MenuRow[] } | null>(null);

export function openMenu(at: DOMRect, label: string, rows: MenuRow[]): void {
  opened.value = { at, label, rows };
}

/** Open a menu by a right click: at the pointer, or at its row when a key asked for it. */
export function openMenuAt(event: TargetedMouseEvent<Element>, label: string, rows: MenuRow[]): void {
  event.preventDefault();
  const { clientX: x, clientY: y, currentTarget } = event;
  openMenu(x || y ? new DOMRect(x, y, 0, 0) : currentTarget.getBoundingClientRect(), label, rows);
}

/** Where menus at the pointer are shown: once, at the end of the page. */
export function PointerMenu() {
  const panel = useRef<HTMLDivElement>(null);
  const menu = opened.value;
  useLayoutEffect(() => {
    if (!menu || !panel.current) return;
    panel.current.showPopover();
    placeBeside(panel.current, menu.at);
  }, [menu]);
  if (!menu) return null;
  return (
    <div
      ref={panel} class="popover menu" popover="auto" role="menu" aria-label={menu.label} onKeyDown={moveInMenu}
      onToggle={(event) => event.newState === "closed" && (opened.value = null)}
    >
      <MenuRows rows={menu.rows} close={() => panel.current?.hidePopover()} place={() => menu.at} />
    </div>
  );
}
