/** A section with a heading that folds it; this browser remembers which sections are folded. */

import { signal, type Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { keep, remembered } from "../store/memory";
import { classes } from "./classes";
import { Icon } from "./icon";

interface SectionProps {
  id: string;
  title: string;
  caption?: ComponentChildren;
  /** Buttons beside the heading. */
  actions?: ComponentChildren;
  /** Whether it is folded before a person decides. */
  folded?: boolean;
  class?: string;
  children: ComponentChildren;
}

const known = new Map<string, Signal<boolean>>();

function openState(id: string, folded: boolean): Signal<boolean> {
  const before = known.get(id);
  if (before) return before;
  const kept = remembered(`fold.${id}`);
  const open = signal(kept === null ? !folded : kept === "open");
  known.set(id, open);
  return open;
}

export function Section(
  { id, title, caption, actions, folded = false, class: name, children }: SectionProps,
) {
  const open = openState(id, folded);
  const flip = (): void => {
    open.value = !open.value;
    keep(`fold.${id}`, open.value ? "open" : "folded");
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    flip();
  };
  return (
    // The heading is no button element, which a disabled fieldset around it would disable.
    <section class={classes("section", name)} aria-label={title} data-section={id}>
      <div class="section-bar">
        <div
          role="button" tabIndex={0} class="section-heading" aria-expanded={open.value} aria-controls={`section-${id}`}
          onClick={flip} onKeyDown={onKeyDown}
        >
          <Icon name="down" />
          <span class="heading">{title}</span>
          {caption && <span class="caption">{caption}</span>}
        </div>
        {actions}
      </div>
      <div class="section-body" id={`section-${id}`} hidden={!open.value}>{open.value && children}</div>
    </section>
  );
}
