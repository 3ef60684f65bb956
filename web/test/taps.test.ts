/** Taps become keytimes; the help lists every key. */

import { expect, test } from "vitest";
import { keytimesFromTaps } from "../src/store/taps";
import { KEYS } from "../src/panels/help/help";
import { SHORTCUTS } from "../src/panels/page/keys";

test("taps are paired with moments in order, and those out of order are left out", () => {
  expect(keytimesFromTaps([0.5, 1.2, 2], [0.4, 1, 1.8], 0.02)).toEqual([[0.5, 0.4], [1.2, 1], [2, 1.8]]);
  expect(keytimesFromTaps([0.5, 0.505, 2], [0.4, 1, 1.8], 0.02)).toEqual([[0.5, 0.4], [2, 1.8]]);
  expect(keytimesFromTaps([0.5, 1], [0.4], 0.02)).toEqual([[0.5, 0.4]]);
});

test("the help lists every shortcut", () => {
  const listed = KEYS.flatMap(([keys]) => keys.split(", ")).join(" ");
  const names: Record<string, string> = { " ": "Space", ArrowLeft: "←", ArrowRight: "→", Escape: "Esc" };
  for (const key of Object.keys(SHORTCUTS)) {
    if (key === "Enter") continue; // told with the taps that it keeps
    const name = names[key] ?? (key.length === 1 ? key.toUpperCase() : key);
    expect(listed, key).toContain(name);
  }
});
