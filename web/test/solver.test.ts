import { expect, test } from "vitest";
import table from "../../tests/data/keytimes.json";
import { accepts, nearestTaken, speedsOf, whyRefused, type Asked } from "../src/store/solver";

function asked(method: string, parameters: Record<string, unknown>): Asked {
  const span = table.span as [number, number];
  return {
    method,
    value: (name) => parameters[name] ?? (method === "guided" && name === "max_speed" ? 8 : null),
    span,
    length: (parameters["duration"] as number | undefined) ?? span[1] - span[0],
    keys: (parameters["keytimes"] ?? []) as [number, number][],
  };
}

test.each(table.cases.map((one, k) => ({ k, ...one })))("case $k: $method", ({ method, parameters, taken }) => {
  expect(accepts(asked(method, parameters))).toBe(taken);
});

test("limits are those of the parameters", () => {
  const slow = asked("guided", { max_speed: 8, keytimes: [[2, 1]] });
  expect(speedsOf(slow)).toEqual({ slowest: 1e-3, fastest: 8 });
  expect(speedsOf(asked("spline", {}))).toEqual({ slowest: 0, fastest: Infinity });
  expect(speedsOf(asked("physics", {}))).toEqual({ slowest: 0.05, fastest: 6 });
});

test("a refusal names its limit and where", () => {
  const fast = asked("guided", { max_speed: 8, keytimes: [[0.1, 2]] });
  expect(whyRefused(fast)).toBe(
    "Between 0.00 s and 0.10 s of the output the speed would be 20×, above the limit of 8×. Move the keytime.",
  );
  expect(whyRefused(asked("spline", { keytimes: [[1, 1], [2, 0.5]] }))).toContain("in order");
  expect(whyRefused(asked("guided", { max_speed: 8, keytimes: [[1, 1]] }))).toBeNull();
});

test("the nearest value that is taken", () => {
  const taken = (x: number): boolean => x < 3;
  expect(nearestTaken(0, 10, (share) => 10 * share, taken)).toBeCloseTo(3, 4);
  expect(nearestTaken(0, 2, (share) => 2 * share, taken)).toBe(2);
});
