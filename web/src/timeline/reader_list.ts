/** The keytimes as a list, for those who do not see the canvas. */

import { sayKey } from "./axis";
import { addKey, selectKey } from "./key_edits";
import type { Scene } from "./scene";

export class ReaderList {
  private readonly list = document.createElement("ul");

  constructor(root: HTMLElement) {
    this.list.className = "timeline-reader";
    this.list.setAttribute("aria-label", "Keytimes");
    this.list.addEventListener("focusin", ({ target }) => {
      const key = (target as HTMLElement).dataset["key"];
      if (key) selectKey(Number(key));
    });
    root.append(this.list);
  }

  /** The suggestion whose button has the focus. */
  get focusedSuggestion(): number | null {
    const active = document.activeElement;
    const index = this.list.contains(active) ? (active as HTMLElement).dataset["suggestion"] : undefined;
    return index === undefined ? null : Number(index);
  }

  /** Buttons are changed in place: the focused one keeps the focus. */
  update({ keys, selected, suggestions, editable }: Scene): void {
    const count = keys.length + suggestions.length;
    while (this.list.children.length > count) this.list.lastElementChild!.remove();
    while (this.list.children.length < count) this.list.append(newItem());
    const buttons = [...this.list.querySelectorAll("button")];
    buttons.forEach((button, k) => {
      const key = keys[k];
      button.tabIndex = k === (selected ?? 0) || !key ? 0 : -1; // Up and Down go on from the one that Tab reaches
      button.disabled = !key && !editable;
      if (key) {
        button.dataset["key"] = String(k);
        delete button.dataset["suggestion"];
        say(button, `Keytime ${k + 1}: ${sayKey(key)}`);
        button.onclick = null;
        button.setAttribute("aria-pressed", String(k === selected));
      } else {
        const suggestion = suggestions[k - keys.length]!;
        delete button.dataset["key"];
        button.dataset["suggestion"] = String(k - keys.length);
        button.removeAttribute("aria-pressed");
        say(button, `Add suggested keytime: ${sayKey(suggestion)}`);
        button.onclick = () => addKey(...suggestion);
      }
    });
  }
}

function newItem(): HTMLLIElement {
  const item = document.createElement("li");
  const button = document.createElement("button");
  button.type = "button";
  item.append(button);
  return item;
}

/** Text that stays the same is left alone: readers follow changes. */
function say(button: HTMLButtonElement, text: string): void {
  if (button.textContent !== text) button.textContent = text;
}
