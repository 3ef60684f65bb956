/** Small controls that every panel uses: buttons, switches, selects, sections that fold. */

import { signal } from "@preact/signals-core";
import { assign, element, watch, type Child } from "./dom";
import { icon, type IconName } from "./icons";
import { keep, remembered } from "./memory";

/** A button that shows only an icon; its name is for the pointer that rests and for screen readers. */
export function iconButton(name: IconName, label: string, onclick: (event: MouseEvent) => void): HTMLButtonElement {
  return element(
    "button",
    { type: "button", className: "icon-button", ariaLabel: label, title: label, onclick },
    icon(name),
  );
}

export function button(label: Child, onclick: () => void, className = "button"): HTMLButtonElement {
  return element("button", { type: "button", className, onclick }, label);
}

/** An icon that is on or off. */
export function iconToggle(name: IconName, label: string, on: () => boolean, flip: () => void): HTMLButtonElement {
  const made = iconButton(name, label, flip);
  made.classList.add("icon-toggle");
  watch(() => {
    made.ariaPressed = String(on());
  });
  return made;
}

/** A flag, as a switch. */
export function toggle(label: string, on: () => boolean, set: (on: boolean) => void): HTMLButtonElement {
  const made = element("button", { type: "button", className: "switch", role: "switch", ariaLabel: label });
  made.append(element("span", { className: "switch-knob" }));
  made.onclick = () => set(made.ariaChecked !== "true");
  watch(() => {
    made.ariaChecked = String(on());
  });
  return made;
}

export interface Option {
  value: string;
  label: string;
}

/** A choice among few, as the browser's own select: it works with every aid there is. */
export function select(
  label: string,
  options: () => Option[],
  value: () => string,
  set: (value: string) => void,
): HTMLElement {
  const list = element("select", { ariaLabel: label, onchange: () => set(list.value) });
  let listed = "";
  watch(() => {
    const [now, chosen] = [options(), value()];
    const text = JSON.stringify(now);
    if (text !== listed) list.replaceChildren(...now.map((o) => element("option", { value: o.value, textContent: o.label })));
    listed = text;
    assign(list, { value: chosen });
  });
  return element("span", { className: "select" }, list, icon("down"));
}

/** Two or more buttons of which one is on. */
export function segments(
  label: string,
  options: Option[],
  value: () => string,
  set: (value: string) => void,
): HTMLElement {
  const buttons = options.map((option) => {
    const made = button(option.label, () => set(option.value), "segment");
    watch(() => {
      made.ariaPressed = String(value() === option.value);
    });
    return made;
  });
  return element("div", { className: "segments", role: "group", ariaLabel: label }, ...buttons);
}

export interface SectionOptions {
  id: string;
  title: string;
  caption?: Child;
  actions?: Child[];
  folded?: boolean;
}

/** A section with a heading that folds it; what a person folded stays so. */
export function section(
  { id, title, caption, actions = [], folded = false }: SectionOptions,
  ...body: Child[]
): HTMLElement {
  const kept = remembered(`fold.${id}`);
  const open = signal(kept === null ? !folded : kept === "open");
  const content = element("div", { className: "section-body", id: `section-${id}` }, ...body);
  const heading = element(
    "button",
    {
      type: "button",
      className: "section-heading",
      onclick: () => {
        open.value = !open.value;
        keep(`fold.${id}`, open.value ? "open" : "folded");
      },
    },
    icon("down"),
    element("span", { className: "heading", textContent: title }),
    caption && element("span", { className: "caption" }, caption),
  );
  heading.setAttribute("aria-controls", content.id);
  const made = element(
    "section",
    { className: "section", ariaLabel: title, data: { section: id } },
    element("div", { className: "section-bar" }, heading, ...actions),
    content,
  );
  watch(() => {
    heading.ariaExpanded = String(open.value);
    content.hidden = !open.value;
  });
  return made;
}
