/** Contacts that a person edits: what the document is told of them. */

import { expect, test } from "vitest";
import { contactRows, parametersWith, stretchesOf, type Stretch } from "../src/store/contacts";
import { stretched } from "../src/timeline/warp/contact_bars";
import type { ContactBar, StepEntry } from "../src/protocol";
import type { SourceClip } from "../src/store/clip";

const bar = (joint: string, start: number, end: number, given: Stretch = [start, end]): ContactBar => ({
  joint, point: 0, start, end, given, sure: 1,
});
const holder = (parameters: Record<string, unknown>): StepEntry => ({
  id: "s1", method: "hold", parameters, weight: 1, mute: false, label: "",
});
const shown = [bar("L", 0, 1), bar("L", 2, 3), bar("R", 1, 2)];

test("an edited joint is listed whole, the others are still found", () => {
  expect(parametersWith(null, shown, "L", [[0.5, 1], [2, 3]])).toEqual({
    contacts: [{ joint: "L", start: 0.5, end: 1 }, { joint: "L", start: 2, end: 3 }], contacts_only: false,
  });
});

test("a joint that loses its last contact needs a complete list", () => {
  const made = parametersWith(null, shown, "R", []);
  expect(made.contacts_only).toBe(true);
  expect(made.contacts).toEqual([{ joint: "L", start: 0, end: 1 }, { joint: "L", start: 2, end: 3 }]);
  const again = parametersWith(holder(made), [], "R", [[1, 2]]);
  expect(again.contacts_only).toBe(true);
  expect(again.contacts).toHaveLength(3);
});

test("bars of a cycle's turns are one contact", () => {
  expect(stretchesOf([bar("L", 0, 1, [0, 1]), bar("L", 4, 5, [0, 1])], "L")).toEqual([[0, 1]]);
});

test("a bar moves and stretches inside the clip, and keeps a frame", () => {
  const free = (t: number): number => t;
  expect(stretched([1, 2], "whole", 5, [0, 4], 0.1, free)).toEqual([3, 4]);
  expect(stretched([1, 2], "whole", -5, [0, 4], 0.1, free)).toEqual([0, 1]);
  expect(stretched([1, 2], "start", 3, [0, 4], 0.1, free)).toEqual([1.9, 2]);
  expect(stretched([1, 2], "end", -3, [0, 4], 0.1, free)).toEqual([1, 1.1]);
});

test("a selected joint has a row, unless its foot has one already", () => {
  const header = { joints: ["Foot", "Toe", "Hand"], roles: ["left_foot", "left_toe", "left_hand"] };
  const source = { header, contacts: [bar("Toe", 0, 1)] } as unknown as SourceClip;
  const labels = (chosen: number | null): string[] => contactRows(null, source, chosen, null).map(({ label }) => label);
  expect([null, 0, 2].map(labels)).toEqual([["Left foot"], ["Left foot"], ["Left foot", "Left hand"]]);
});
