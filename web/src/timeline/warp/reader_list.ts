/** The keytimes and what is suggested as a list, for those who do not see the canvas. */

import { sayKey } from "../plot/axis";
import { addKey, selectKey } from "./key_edits";
import { MarkList, say } from "../plot/mark_list";
import type { Scene } from "../plot/scene";

export class ReaderList {
  private readonly list = new MarkList("Keytimes", selectKey);

  constructor(root: HTMLElement) {
    root.append(this.list.element);
  }

  /** The suggestion whose button has the focus. */
  get focusedSuggestion(): number | null {
    const active = document.activeElement;
    const index = this.list.element.contains(active) ? (active as HTMLElement).dataset["suggestion"] : undefined;
    return index === undefined ? null : Number(index);
  }

  update({ keys, selected, suggestions, editable }: Scene): void {
    this.list.buttons(keys.length + suggestions.length).forEach((button, k) => {
      const key = keys[k];
      button.disabled = !key && !editable;
      if (key) {
        delete button.dataset["suggestion"];
        button.onclick = null;
        this.list.mark(button, k, selected, `Keytime ${k + 1}: ${sayKey(key)}`);
      } else {
        const suggestion = suggestions[k - keys.length]!;
        delete button.dataset["mark"];
        button.dataset["suggestion"] = String(k - keys.length);
        button.tabIndex = 0;
        button.removeAttribute("aria-pressed");
        say(button, `Add suggested keytime: ${sayKey(suggestion)}`);
        button.onclick = () => addKey(...suggestion);
      }
    });
  }
}
