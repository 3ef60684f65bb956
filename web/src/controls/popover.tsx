/** A button with a popover: one is open at a time, closed by Esc or a click elsewhere, as the browser does it. */

import { useSignal } from "@preact/signals";
import type { ComponentChildren, TargetedKeyboardEvent, TargetedToggleEvent } from "preact";
import { useId, useRef } from "preact/hooks";
import { classes } from "./classes";
import { Icon } from "./icon";
import type { IconName } from "./icon_paths";

const GAP = 6;

export interface OpenerProps {
  /** Names the button where it shows only an icon, and the popover. */
  label: string;
  /** The popover's own name, where it differs. */
  name?: string;
  icon?: IconName;
  /** What the button shows in place of a lone icon; then it names itself. */
  children?: ComponentChildren;
  class?: string;
  disabled?: boolean;
  role?: "dialog" | "menu";
  content(close: () => void, place: () => DOMRect): ComponentChildren;
  onKeyDown?(event: TargetedKeyboardEvent<HTMLElement>): void;
}

export function Popover(
  { label, name = label, icon, children, class: look, disabled, role = "dialog", content, onKeyDown }: OpenerProps,
) {
  const id = useId();
  const opener = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const isOpen = useSignal(false);
  const place = (): DOMRect => opener.current!.getBoundingClientRect();
  const onBeforeToggle = (event: TargetedToggleEvent<HTMLDivElement>): void => {
    isOpen.value = event.newState === "open";
    // The panel has its size once its content is there, which is before the next paint.
    if (isOpen.value) requestAnimationFrame(() => panel.current && placeBeside(panel.current, place()));
  };
  return (
    <>
      <button
        ref={opener} type="button" class={children ? look : classes("icon-button", look)} disabled={disabled}
        aria-label={children && icon ? undefined : label} title={children ? undefined : label}
        aria-haspopup={role} popovertarget={id}
      >
        {icon && <Icon name={icon} />}
        {children}
      </button>
      <div
        ref={panel} id={id} class={classes("popover", role === "menu" && role)} popover="auto" role={role}
        aria-label={name} onBeforeToggle={onBeforeToggle} onKeyDown={onKeyDown}
      >
        {isOpen.value && content(() => panel.current?.hidePopover(), place)}
      </div>
    </>
  );
}

/** Put a panel below its anchor, or above where there is no room, inside the window; its first item has the focus. */
export function placeBeside(panel: HTMLElement, anchor: DOMRect): void {
  const { width, height } = panel.getBoundingClientRect();
  const x = anchor.left + width > innerWidth - GAP ? anchor.right - width : anchor.left;
  const below = anchor.bottom + GAP;
  const y = below + height > innerHeight - GAP && anchor.top - GAP - height > 0 ? anchor.top - GAP - height : below;
  panel.style.left = `${Math.max(GAP, Math.min(x, innerWidth - width - GAP))}px`;
  panel.style.top = `${Math.max(GAP, Math.min(y, innerHeight - height - GAP))}px`;
  panel.querySelector<HTMLElement>("[role=menuitem]:not(:disabled), [autofocus]")?.focus();
}
