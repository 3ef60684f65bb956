/** Two versions compared: how far their bodies are from each other over time. */

import { expect, test } from "vitest";
import { Clip } from "../src/store/clip";
import { differenceOf } from "../src/store/compare";
import { layOut } from "../src/timeline/warp/rows";

/** Two points that move along x at a speed. */
function moving(speed: number, seconds: number): Clip {
  const times = Float32Array.from({ length: 11 }, (_, k) => (seconds * k) / 10);
  const positions = Float32Array.from([...times].flatMap((t) => [speed * t, 0, 0, speed * t, 1, 0]));
  return new Clip(positions, null, times, 10 / seconds, []);
}

test("the difference is the joints' mean distance at the same time", () => {
  const { times, metres, most } = differenceOf(moving(2, 1), moving(1, 1), 5);
  expect(times).toEqual([0, 0.25, 0.5, 0.75, 1]);
  metres.forEach((d, k) => expect(d).toBeCloseTo(times[k]!, 5));
  expect(most).toBeCloseTo(1, 5);
});

test("a clip that ended stays at its end", () => {
  expect(differenceOf(moving(1, 2), moving(1, 1), 3).metres[2]).toBeCloseTo(1, 5);
});

test("compared versions have two strips where there is room, and always the band", () => {
  const wanted = { film: true, force: false, feasible: false, contacts: 2, waveform: false, compared: true };
  const tall = layOut(400, wanted);
  expect([tall.film, tall.film2, tall.heat].every(Boolean)).toBe(true);
  const low = layOut(200, wanted);
  expect(low.film2).toBeUndefined();
  expect(low.heat).toBeDefined();
  expect(layOut(400, { ...wanted, compared: false }).heat).toBeUndefined();
});
