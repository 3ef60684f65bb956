/** @vitest-environment happy-dom */
/** Taps become keytimes; the help lists every key. */

import { readFileSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import { keytimesFromActing, type Acted, type Sample } from "../src/store/acting";
import { nearestFrame } from "../src/store/actions";
import * as state from "../src/store/state";
import { finishTaps, keytimesFromTaps, nextMoment, tapping } from "../src/store/taps";
import { COLOURS, KEYS } from "../src/panels/help/help";
import { SHORTCUTS } from "../src/panels/page/keys";
import { close, method, open, sent } from "./dom";

vi.mock("../src/store/connection", async () => (await import("./dom")).fakeConnection());

test("taps are paired with moments in order, and those out of order are left out", () => {
  expect(keytimesFromTaps([0.5, 1.2, 2], [0.4, 1, 1.8], 0.02)).toEqual([[0.5, 0.4], [1.2, 1], [2, 1.8]]);
  expect(keytimesFromTaps([0.5, 0.505, 2], [0.4, 1, 1.8], 0.02)).toEqual([[0.5, 0.4], [2, 1.8]]);
  expect(keytimesFromTaps([0.5, 1], [0.4], 0.02)).toEqual([[0.5, 0.4]]);
});

test("the pose that is tapped next is known until the last tap", () => {
  const now = { step: "s1", moments: [0.4, 1], wasLooping: false };
  const next = [[], [0.5], [0.5, 1.2]].map((taps) => {
    tapping.value = { ...now, taps };
    return nextMoment.value;
  });
  tapping.value = null;
  expect([...next, nextMoment.value]).toEqual([0.4, 1, null, null]);
});

test("a tap is on the nearest frame", () => {
  expect(nearestFrame(0.51)).toBeCloseTo(31 / 60, 6); // 60 fps where nothing is open
  expect(nearestFrame(0.505)).toBeCloseTo(30 / 60, 6);
});

test.each([
  // Moments, taps, how many are kept, and the problem that is shown.
  [[0.5, 1], [0.6, 1.2], 2, null, null],
  [[1.9], [0.1], 0, "No tap became a keytime", "the speed would be 19×, above the limit of 8×"],
  [[0.1], [1.8], 0, "No tap became a keytime", "the speed would be 0.0556×, below the limit of 0.5×"],
  [[0.5, 1.8], [0.6, 2.5], 1, "1 of 2 taps became keytimes", "the source would not go forward"],
  [[0.5, 1], [0.6, 0.6], 1, "1 of 2 taps became keytimes", "1 tap came too soon after another."],
])("moments %j tapped at %j: %i kept", (moments, taps, kept, title, reason) => {
  open([method("guided")], { parameters: { range: [0, 2], max_speed: 8, min_speed: 0.5 } });
  tapping.value = { step: "s1", moments, taps, wasLooping: false };
  finishTaps();
  const [problem] = state.problems.value;
  const [change] = sent.map((m) => m["command"] as { parameters: { keytimes: unknown[] } });
  close();
  expect(change?.parameters.keytimes.length ?? 0).toBe(kept);
  expect(problem?.title ?? null).toBe(title);
  expect(problem?.text ?? "").toContain(reason ?? "");
});

describe("what was acted", () => {
  const acted = (speed: (t: number) => number, length: number): Sample[] => {
    const samples: Sample[] = [];
    for (let [t, s] = [0, 0]; t <= length; t += 1 / 60) {
      samples.push([t, s]);
      s += speed(t) / 60;
    }
    return samples;
  };
  const through = ({ keytimes, duration }: Acted, [from, to]: [number, number], t: number): number => {
    const points = [[from, from], ...keytimes, [from + duration, to]] as [number, number][];
    const k = points.findIndex(([o]) => o >= t);
    const [[a, x], [b, y]] = [points[k - 1]!, points[k]!];
    return x + ((y - x) * (t - a)) / (b - a);
  };

  test("is followed by few keytimes", () => {
    const samples = acted((t) => (t < 1 ? 0.5 : 2), 2); // slow, then fast: 0.5 s in the first second, 2 s in the next
    const made = keytimesFromActing(samples, [0, 2.5], 8, 60)!;
    expect(made.duration).toBeCloseTo(2, 1);
    expect(made.keytimes.length).toBeLessThan(6);
    for (const [t, s] of samples.slice(1, -3)) expect(Math.abs(through(made, [0, 2.5], t) - s)).toBeLessThan(0.08);
  });

  test("lies on frames, within the speed limit", () => {
    const { keytimes, duration } = keytimesFromActing(acted((t) => (t < 1 ? 0.5 : 7.9), 1.3), [0, 2.5], 8, 24)!;
    const ends = [...keytimes.map(([output]) => output), duration];
    for (const t of ends) expect(24 * t).toBeCloseTo(Math.round(24 * t), 1);
    const points = [[0, 0], ...keytimes, [duration, 2.5]] as [number, number][];
    points.slice(1).forEach(([t, s], k) => expect((s - points[k]![1]) / (t - points[k]![0])).toBeLessThan(8));
  });

  test("ends after the last keytime, where the hand stopped before the end", () => {
    const samples = [0, 0.5, 1].map((share): Sample => [0.92 * share, 0.965 * share]);
    const { keytimes, duration } = keytimesFromActing(samples, [0, 1], 8, 24)!;
    expect(keytimes.at(-1)).toEqual([0.9583, 0.965]); // frame 23
    expect(duration).toBe(1); // frame 24
  });

  test("waits where the hand rests or goes back, keeps what was left out, and takes time for haste", () => {
    const rests = keytimesFromActing(acted((t) => (t < 1 || t > 2 ? 1 : -0.3), 3), [0, 3], 8, 60)!;
    const sources = rests.keytimes.map(([, s]) => s);
    expect(sources).toEqual([...sources].sort((a, b) => a - b));
    // 1 s as it was, 1 to 2 s acted in half a second, 1 s as it was.
    const middle = acted(() => 2, 0.5).map(([t, s]): Sample => [t, 1 + s]);
    expect(keytimesFromActing(middle, [0, 3], 8, 60)!.duration).toBeCloseTo(2.5, 1);
    expect(keytimesFromActing(acted(() => 30, 0.1), [0, 3], 8, 60)!.duration).toBeGreaterThan(3 / 8);
    expect(keytimesFromActing([[0, 1], [1, 1]], [0, 3], 8, 60)).toBeNull();
    expect(keytimesFromActing(acted(() => 0.5, 6), [0, 3], 8, 60, 0.5)!.duration).toBeCloseTo(3, 1);
  });
});

const NAMES: Record<string, string> = {
  " ": "Space", ArrowLeft: "← →", ArrowRight: "← →", ArrowUp: "↑ ↓", ArrowDown: "↑ ↓", Escape: "Esc", F10: "Shift + F10",
};

/** Keys that a module asks for, by what stands in its source. */
function keysIn(path: string): string[] {
  const lines = readFileSync(`src/${path}`, "utf8").split("\n").filter((line) => /case "|key\b.*=== "/.test(line));
  return lines.flatMap((line) => [...line.matchAll(/(?:case|===) "([^"]+)"/g)].map(([, key]) => key!));
}

test.each([
  ["panels/page/keys.ts", "Everywhere"],
  ["timeline/warp/keyboard.ts", "In the timeline"],
  ["timeline/joints/joint_keyboard.ts", "In the timeline"],
  ["timeline/poses/pose_keyboard.ts", "In Poses"],
  ["panels/recipe/recipe.tsx", "In the recipe"],
])("the help lists every key of %s", (path, place) => {
  const at = (name: string): string[] => KEYS.find(([title]) => title === name)![1].flatMap(([keys]) => keys.split(", "));
  const listed = new Set([...at("Everywhere"), ...at("In the timeline"), ...at(place)]);
  const asked = [...keysIn(path), ...(place === "Everywhere" ? Object.keys(SHORTCUTS) : [])];
  expect(asked.length).toBeGreaterThan(2);
  for (const key of asked) {
    const name = NAMES[key] ?? (key.length === 1 ? key.toUpperCase() : key);
    expect([name, `Ctrl + ${name}`].some((shown) => listed.has(shown)), `${path}: ${key}`).toBe(true);
  }
});

test("the legend names every colour that means something", () => {
  const tokens = [...readFileSync("src/tokens.css", "utf8").matchAll(/^  --([a-z-]+):/gm)].map(([, name]) => name!);
  const meant = tokens.filter((name) =>
    /^(original|retimed|keytime|contact|feasible|marginal|infeasible|selection|playhead|limb-[a-z-]+)$/.test(name));
  expect(new Set(COLOURS.map(([token]) => token))).toEqual(new Set(meant));
});
