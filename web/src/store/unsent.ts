/** Changes that wait for a server that is gone; the browser keeps them for a studio that is started again. */

import { effect } from "@preact/signals";
import type { ChangeStep, FormField } from "../protocol";
import { digitsFor, number } from "../words/numbers";
import { sentence } from "../words/sentence";
import { labelOf } from "./choices";
import { forget, keep, remembered } from "./memory";
import * as state from "./state";

const NAME = "unsent";

interface Kept {
  /** Of the document that the changes are for. */
  hash: string;
  changes: ChangeStep[];
}

/** Keep what waits in the browser from now on, and drop it when it was sent. */
export function keepUnsent(): void {
  effect(() => {
    const changes = state.unsent.value;
    if (changes.length) keep(NAME, JSON.stringify({ hash: state.projectHash.peek(), changes } satisfies Kept));
    else if (!state.offline.value && state.committed.peek()) forget(NAME);
  });
}

/** Take up what another window left when its studio went away; what is for another document is not applied. */
export function takeUpUnsent(hash: string): void {
  const text = remembered(NAME);
  if (text === null) return;
  forget(NAME);
  const kept = JSON.parse(text) as Kept;
  if (kept.hash === hash) state.unsent.value = kept.changes;
  else tellNotApplied(kept.changes, "The project has changed since they were typed.");
}

/** Say which changes were not applied, and why. */
export function tellNotApplied(changes: readonly ChangeStep[], why: string): void {
  const text = `${sentence(unsentWords(changes))}. ${why}`;
  state.problems.value = [...state.problems.value, { type: "problem", title: "Not applied", text }];
}

/** Changes as a person would say them: "Duration 2.00 s (Spline)". */
export function unsentWords(changes: readonly ChangeStep[]): string {
  return changes.flatMap(({ id, parameters, weight, mute }) => {
    const step = state.stepNamed(id);
    const form = step ? state.methods.value.get(step.method) : undefined;
    const field = (name: string) => form?.fields.find((f) => f.name === name);
    const said = Object.entries(parameters ?? {}).map(([name, value]) =>
      `${field(name)?.label ?? sentence(name)} ${valueWords(value, field(name))}`.trim());
    if (weight != null) said.push(`Weight ${Math.round(100 * weight)} %`);
    if (mute != null) said.push(mute ? "Mute" : "Unmute");
    return said.map((text) => (form ? `${text} (${form.title})` : text));
  }).join(", ");
}

function valueWords(value: unknown, field?: FormField): string {
  if (value === null) return "reset";
  if (typeof value === "number") return `${number(value, digitsFor(value, 2))} ${field?.unit ?? ""}`.trim();
  if (typeof value === "boolean") return value ? "on" : "off";
  return typeof value === "string" ? labelOf(field?.choices ?? [], value) : "";
}
