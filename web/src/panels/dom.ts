/** Elements without a framework: made in one call, kept up to date by effects that end with their panel. */

import { computed, effect, untracked } from "@preact/signals-core";

export type Child = Node | string | null | undefined | false;
type Properties<E> = Partial<Omit<E, "dataset" | "style" | "children">> & { data?: Record<string, string> };

/** Make an element; children that are text stay text, whatever they hold. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties<HTMLElementTagNameMap[K]> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  const { data, ...rest } = properties;
  Object.assign(made, rest);
  Object.assign(made.dataset, data);
  made.append(...present(children));
  return made;
}

export const present = (children: Child[]): (Node | string)[] =>
  children.filter((c): c is Node | string => c !== null && c !== undefined && c !== false);

// ---- effects that end with what they were made for

let owner: (() => void)[] | null = null;

/** Run now and whenever a signal that was read changes, until the surrounding scope ends. */
export function watch(run: () => void | (() => void)): void {
  onEnd(effect(run));
}

/** Call this when the surrounding scope ends; what belongs to the page itself never does. */
export function onEnd(end: () => void): void {
  owner?.push(end);
}

/** Build something whose effects can be ended together. */
export function scope<T>(build: () => T): [T, () => void] {
  const outer = owner;
  const ends: (() => void)[] = [];
  owner = ends;
  try {
    return [untracked(build), () => ends.splice(0).forEach((end) => end())];
  } finally {
    owner = outer;
  }
}

/** Set properties of an element, those alone that change: browsers lay a text out anew that is set to what it was. */
export function assign<E extends Element>(host: E, properties: Partial<E>): void {
  for (const name of Object.keys(properties) as (keyof E)[])
    if (host[name] !== properties[name]) host[name] = properties[name]!;
}

/** Rebuild an element's children when `key` changes, and only then: what has the focus keeps it. */
export function rebuild<T extends string | number | boolean | null>(
  parent: Element,
  key: () => T,
  build: (key: T) => Child[],
): void {
  const chosen = computed(key);
  let end = (): void => undefined;
  watch(() => {
    const now = chosen.value;
    end();
    const [children, stop] = scope(() => build(now));
    end = stop;
    parent.replaceChildren(...present(children));
  });
  onEnd(() => end());
}

/** Keep an element's text as a function of signals says. */
export function text<E extends Element>(of: () => string, host: E): E {
  watch(() => {
    assign<Element>(host, { textContent: of() });
  });
  return host;
}

/** Show an element only while a condition holds. */
export function shown<E extends HTMLElement>(when: () => boolean, host: E): E {
  watch(() => {
    assign<HTMLElement>(host, { hidden: !when() });
  });
  return host;
}

/** A span whose text follows signals. */
export const live = (of: () => string, className = ""): HTMLSpanElement => text(of, element("span", { className }));
