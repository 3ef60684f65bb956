/** A page for panels: what a test renders, clicks and types, and what it sent to the server. */

import { render, type ComponentChildren } from "preact";
import { vi } from "vitest";
import type { FieldChoice, FormField, MethodForm, Project, StepEntry, Welcome } from "../src/protocol";
import * as state from "../src/store/state";

/** Messages to the server, newest last. */
export const sent: Record<string, unknown>[] = [];

/** In the place of `store/connection`: keeps what is sent. */
export function fakeConnection(): Record<string, unknown> {
  let request = 0;
  const send = (message: Record<string, unknown>): boolean => Boolean(sent.push(message));
  return {
    nextRequest: () => ++request,
    send,
    run: (command: unknown, joins: number | null = null) => send({ type: "do", command, joins }),
    want: vi.fn(), show: vi.fn(), connect: vi.fn(), start: vi.fn(),
  };
}

/** Render something alone on the page. */
export function mount(panel: ComponentChildren): HTMLElement {
  document.body.replaceChildren();
  const host = document.createElement("div");
  document.body.append(host);
  render(panel, host);
  return host;
}

/** Wait for signals to be drawn. */
export const drawn = (): Promise<void> => new Promise((done) => setTimeout(done, 0));

/** A control by its accessible name. */
export function named<E extends HTMLElement = HTMLElement>(name: string): E {
  const all = [...document.querySelectorAll<HTMLElement>("button, input, select, a, [role]")];
  const found = all.find((e) => (e.getAttribute("aria-label") ?? e.textContent) === name);
  if (!found) throw new Error(`no control is named "${name}"; there are: ${all.map(nameOf).join(" | ")}`);
  return found as E;
}

export const nameOf = (element: Element): string => element.getAttribute("aria-label") ?? element.textContent ?? "";

export function press(element: HTMLElement, key: string, more: KeyboardEventInit = {}): void {
  element.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }));
}

export function type(element: HTMLInputElement | HTMLSelectElement, value: string, event = "input"): void {
  element.value = value;
  element.dispatchEvent(new Event(event, { bubbles: true }));
}

/** Make the window another size. */
export function resize(width: number, height: number): void {
  (window as unknown as { happyDOM: { setWindowSize(size: object): void } }).happyDOM.setWindowSize({ width, height });
}

// ---- documents

export const field = (given: Partial<FormField>): FormField => ({
  name: "x", label: "X", help: "What X does.", kind: "number", unit: "", default: null, required: false,
  minimum: null, maximum: null, choices: [], metavar: null, advanced: false, shared: false, slider: null, step: 0.01,
  ends: null, ...given,
});

/** Words that a field takes, with labels such as "Rest pose" for `rest: "Rest pose"`. */
export const words = (labels: Record<string, string>): FieldChoice[] =>
  Object.entries(labels).map(([value, label]) => ({ value, label, help: "" }));

export const method = (name: string, ...fields: FormField[]): MethodForm =>
  ({ name, title: name.charAt(0).toUpperCase() + name.slice(1), summary: `${name} it`, fields });

/** Open a project with these steps, the first one selected. */
export function open(methods: MethodForm[], ...steps: Partial<StepEntry>[]): void {
  const entries = steps.map((step, k) => ({
    id: `s${k + 1}`, method: methods[0]!.name, parameters: {}, weight: 1, mute: false, label: "", ...step,
  }));
  const motions = { m1: { name: "Jump", path: "jump.bvh" }, m2: { name: "Walk", path: "walk.bvh" } };
  state.link.value = "open";
  state.welcome.value = {
    methods, formats: [".bvh", ".glb"], samples: { jump: "A jump" }, project: "study", version: "1", root: "/r",
  } as unknown as Welcome;
  state.committed.value = { motions, source: "m1", versions: { A: entries, B: [] }, audio: null } as unknown as Project;
  state.selectedStep.value = entries[0]?.id ?? null;
}

export function close(): void {
  sent.length = 0;
  state.pending.value = state.committed.value = state.welcome.value = state.selectedStep.value = null;
  state.problems.value = [];
  state.missing.value = [];
  state.suggestions.value = [];
  state.results.value = { A: null, B: null };
  document.body.replaceChildren();
}
