/** Several joints: chips of those chosen, and a list to add from. */

import * as state from "../store/state";
import { element, rebuild, watch } from "./dom";
import { sentence } from "./format";
import { icon } from "./icons";
import type { Parameter } from "./parameter";

/** Words that stand for several joints, as the body's own names do. */
const GROUPS = ["feet", "toes", "hands"];

export function jointsField(parameter: Parameter): HTMLElement {
  const chosen = (): string[] => (Array.isArray(parameter.value) ? (parameter.value as string[]) : []);
  const set = (names: string[]): void => (names.length ? parameter.commit(names) : parameter.reset());
  const chips = element("span", { className: "chips" });
  watch(() => {
    chips.replaceChildren(
      ...chosen().map((name) =>
        element(
          "button",
          {
            type: "button",
            className: "chip-button",
            ariaLabel: `Remove ${name}`,
            onclick: () => set(chosen().filter((other) => other !== name)),
          },
          sentence(name),
          icon("close"),
        ),
      ),
    );
  });
  const list = element("select", { ariaLabel: `Add to ${parameter.field.label}` });
  list.onchange = () => {
    if (list.value) set([...chosen(), list.value]);
  };
  rebuild(list, () => JSON.stringify([state.source.value?.header.sha256 ?? null, chosen()]), () => {
    const header = state.source.peek()?.header;
    const roles = (header?.roles ?? []).filter((r): r is string => r !== null);
    const rest = (names: string[]): string[] => names.filter((n) => !chosen().includes(n));
    return [
      element("option", { value: "", textContent: chosen().length ? "Add" : "All that apply" }),
      group("Groups", rest(GROUPS)),
      group("Roles", rest(roles)),
      group("Joints", rest(header?.joints ?? [])),
    ];
  });
  return element(
    "span",
    { className: "joints-field" },
    chips,
    element("span", { className: "select" }, list, icon("down")),
  );
}

const group = (label: string, names: string[]): HTMLElement =>
  element("optgroup", { label }, ...names.map((value) => element("option", { value, textContent: sentence(value) })));
