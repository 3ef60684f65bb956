/** Contacts as a person edits them: bars of joints, kept by a step that holds contacts. */

import { signal } from "@preact/signals";
import type { ContactBar, StepEntry } from "../protocol";
import * as actions from "./actions";
import type { RetimedClip, SourceClip } from "./clip";
import * as state from "./state";

export type Stretch = [start: number, end: number];
export type ContactPart = "start" | "end" | "whole";

/** The contact that is selected, by its joint and its stretch of the input of the step that holds it. */
export const selectedContact = signal<{ joint: string; given: Stretch } | null>(null);
/** A bar that is dragged, in the result's time; nothing of it is kept yet. */
export const draft = signal<{ joint: string; given: Stretch; shown: Stretch } | null>(null);

export interface ContactRow {
  joint: string;
  label: string;
  bars: ContactBar[];
  /** Switched off: what was found for the joint is not used. */
  off: boolean;
}

/** Seconds of a contact that is added without neighbours. */
const USUAL = 0.3;
/** Shortest contact, seconds. */
const SHORTEST = 0.02;

export const sameContact = (a: { joint: string; given: Stretch } | null, b: ContactBar): boolean =>
  a !== null && a.joint === b.joint && a.given[0] === b.given[0] && a.given[1] === b.given[1];

/** A row for every joint that touches something, was edited or is selected. */
export function contactRows(
  result: RetimedClip | null, source: SourceClip | null, chosen: number | null, holder: StepEntry | null,
): ContactRow[] {
  const bars = (result ?? source)?.contacts ?? [];
  const picked = chosen === null ? undefined : source?.header.joints[chosen];
  const joints = new Set([...(source?.contacts ?? []), ...bars].map(({ joint }) => joint));
  // A foot stands by its toe: the row that has its name is its own.
  const named = (joint: string): string => jointLabel(joint, source);
  if (picked !== undefined && ![...joints].some((joint) => named(joint) === named(picked))) joints.add(picked);
  const complete = holder?.parameters?.["contacts_only"] === true;
  const move = draft.value;
  return [...joints].map((joint) => {
    const own = bars.filter((bar) => bar.joint === joint);
    return {
      joint,
      label: jointLabel(joint, source),
      bars: own.map((bar) => (sameContact(move, bar) ? { ...bar, start: move!.shown[0], end: move!.shown[1] } : bar)),
      off: complete && own.length === 0,
    };
  });
}

export function jointLabel(joint: string, source: SourceClip | null): string {
  const role = source?.header.roles[source.header.joints.indexOf(joint)];
  if (!role) return joint;
  const words = role.replaceAll("_", " ").replace(/ toe$/, " foot"); // it is the foot that stands, by its toe
  return words[0]!.toUpperCase() + words.slice(1);
}

/** The step that holds the contacts that are shown; else one that could: the first, whose input is the source. */
export function contactsStep(): StepEntry | null {
  const id = state.result.value?.header.contacts_step;
  const first = state.steps.value.find((step) => !step.mute);
  return (id && state.stepNamed(id)) || (first?.method === "hold" ? first : null);
}

/**
 * The parameters that give a joint these stretches. Joints that the list names follow it; a joint without any stretch
 * can only be told by a list that is complete, so all that is shown goes into it.
 */
export function parametersWith(
  holder: StepEntry | null, shown: readonly ContactBar[], joint: string, stretches: readonly Stretch[],
): { contacts: object[]; contacts_only: boolean } {
  const listed = (holder?.parameters?.["contacts"] ?? []) as { joint: string }[];
  const complete = holder?.parameters?.["contacts_only"] === true || stretches.length === 0;
  const known = complete && holder?.parameters?.["contacts_only"] !== true ? unique(shown) : listed;
  const kept = known.filter((contact) => contact.joint !== joint);
  const own = [...stretches].sort((a, b) => a[0] - b[0]).map(([start, end]) => ({
    joint, start: actions.round(start), end: actions.round(end),
  }));
  return { contacts: [...kept, ...own], contacts_only: complete };
}

/** Contacts as the document holds them; bars of a cycle's turns are one. */
function unique(bars: readonly ContactBar[]): { joint: string; start: number; end: number }[] {
  const found = new Map<string, { joint: string; start: number; end: number }>();
  for (const { joint, given: [start, end] } of bars)
    found.set(`${joint} ${start} ${end}`, { joint, start: actions.round(start), end: actions.round(end) });
  return [...found.values()];
}

/** Stretches of a joint, in the input time of the step that holds them. */
export const stretchesOf = (bars: readonly ContactBar[], joint: string): Stretch[] =>
  unique(bars.filter((bar) => bar.joint === joint)).map(({ start, end }) => [start, end]);

/** Give a joint other stretches: one undo step, with a step that holds contacts where there is none. */
export function setStretches(joint: string, stretches: readonly Stretch[]): void {
  const holder = contactsStep();
  const parameters = parametersWith(holder, state.result.value?.contacts ?? [], joint, stretches);
  if (holder) actions.change(holder.id, { parameters });
  else actions.addStep({ method: "hold", parameters }, 0);
}

/** A time of the result in the input time of the step that holds the contacts. */
function toGiven(t: number): number {
  const result = state.result.value;
  const holder = contactsStep();
  const source = result?.sourceAt(t) ?? t;
  return holder && result ? result.timesOf(holder.id).fromSource(source) : source;
}

/** Keep a bar that was dragged; each end moves by as much of the source as lies between. */
export function keepBar(bar: ContactBar, [start, end]: Stretch): void {
  const moved = (given: number, from: number, to: number): number =>
    from === to ? given : given + toGiven(to) - toGiven(from);
  const next: Stretch = [moved(bar.given[0], bar.start, start), moved(bar.given[1], bar.end, end)];
  if (next[1] - next[0] < SHORTEST) return;
  const others = stretchesOf(state.result.value?.contacts ?? [], bar.joint).filter(
    ([a, b]) => Math.abs(a - bar.given[0]) > 1e-3 || Math.abs(b - bar.given[1]) > 1e-3,
  );
  selectedContact.value = { joint: bar.joint, given: [actions.round(next[0]), actions.round(next[1])] };
  setStretches(bar.joint, [...others, next]);
}

/** Add a contact of a joint around a time of the result, as far as its neighbours leave room. */
export function addContact(joint: string, t: number): void {
  const result = state.result.value;
  if (!result) return;
  const own = result.contacts.filter((bar) => bar.joint === joint);
  if (own.some((bar) => t >= bar.start && t <= bar.end)) return;
  const [first, last] = state.domain.value;
  const before = Math.max(first, ...own.filter((bar) => bar.end < t).map((bar) => bar.end + SHORTEST));
  const after = Math.min(last, ...own.filter((bar) => bar.start > t).map((bar) => bar.start - SHORTEST));
  const [start, end] = [Math.max(t - USUAL / 2, before), Math.min(t + USUAL / 2, after)];
  if (end - start < SHORTEST) return;
  const added: Stretch = [actions.round(toGiven(start)), actions.round(toGiven(end))];
  selectedContact.value = { joint, given: added };
  setStretches(joint, [...stretchesOf(result.contacts, joint), added]);
}

export function deleteContact({ joint, given }: { joint: string; given: Stretch }): void {
  const others = stretchesOf(state.result.value?.contacts ?? [], joint).filter(
    ([a, b]) => Math.abs(a - given[0]) > 1e-3 || Math.abs(b - given[1]) > 1e-3,
  );
  selectedContact.value = null;
  setStretches(joint, others);
}

/** Switch the contacts of a joint off, or back to those that were found. */
export function switchJoint(joint: string): void {
  const shown = state.result.value?.contacts ?? [];
  const on = shown.some((bar) => bar.joint === joint);
  selectedContact.value = null;
  setStretches(joint, on ? [] : stretchesOf(state.source.value?.contacts ?? [], joint));
}

/** Use what was found again, for all joints. */
export function forgetContacts(): void {
  const holder = contactsStep();
  selectedContact.value = null;
  if (holder) actions.change(holder.id, { parameters: { contacts: null, contacts_only: null } });
}
