import { expect, test } from "vitest";
import table from "../../tests/data/keytimes.json";
import { accepts, nearestTaken, speedsOf, type Asked } from "../src/store/solver";

function asked(method: string, parameters: Record<string, unknown>): Asked {
  const span = table.span as [number, number];
  return {
    method,
    value: (name) => parameters[name] ?? null,
    span,
    length: (parameters["duration"] as number | undefined) ?? span[1] - span[0],
    keys: (parameters["keytimes"] ?? []) as [number, number][],
  };
}

test.each(table.cases.map((one, k) => ({ k, ...one })))("case $k: $method", ({ method, parameters, taken }) => {
  expect(accepts(asked(method, parameters))).toBe(taken);
});

test("a slower part caps the speed of the others", () => {
  const slow = asked("guided", { max_speed: 8, keytimes: [[2, 1]] });
  expect(speedsOf(slow)).toEqual({ slowest: 1 / 16, fastest: 4, capped: true });
  const shorter = asked("guided", { max_speed: 8, duration: 2 });
  expect(speedsOf(shorter)).toEqual({ slowest: 1 / 16, fastest: 8 });
});

test("the nearest value that is taken", () => {
  const taken = (x: number): boolean => x < 3;
  expect(nearestTaken(0, 10, (share) => 10 * share, taken)).toBeCloseTo(3, 4);
  expect(nearestTaken(0, 2, (share) => 2 * share, taken)).toBe(2);
});
