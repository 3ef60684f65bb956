import { describe, expect, test } from "vitest";
import type { FormField, MethodForm } from "../src/protocol";
import type { Key } from "../src/store/state";
import { Axis, tickLabel, tickParts, ticks, tickStep } from "../src/timeline/plot/axis";
import { limitsOf } from "../src/timeline/warp/limits";
import { refuse } from "../src/timeline/warp/refusal";
import { corners, endRange, settle, sourceRange, type Room } from "../src/timeline/warp/room";
import { layOut } from "../src/timeline/warp/rows";
import { snapToFrame, snapToMoments } from "../src/timeline/plot/snapping";
import { thin } from "../src/timeline/plot/thinning";
import { parseKey } from "../src/timeline/warp/typing";

const asIs = (t: number): number => t;
const form = (...fields: Partial<FormField>[]): MethodForm =>
  ({ name: "guided", title: "", summary: "", fields }) as unknown as MethodForm;
const MAX_SPEED = { name: "max_speed", label: "Max speed", default: 8, minimum: 1, maximum: 64 };
const room = (fastest: number, slowest = 0): Room => ({
  before: [0.85, 1.42],
  after: [2.4, 3.39],
  limits: { slowest, fastest },
  gap: 1 / 120,
});
const BETWEEN_KEYS = { beforeIsEnd: false, afterIsEnd: false };

describe("axis", () => {
  test("maps values to pixels and back, also upwards", () => {
    for (const axis of [new Axis(0, 2.4, 158, 1078), new Axis(-1, 3.4, 220, 109)])
      for (const value of [axis.low, 0.123, axis.high]) expect(axis.value(axis.at(value))).toBeCloseTo(value, 9);
    expect(new Axis(-1, 3.4, 220, 109).at(3.4)).toBe(109);
  });

  test("an empty span is no division by zero", () => {
    const axis = new Axis(1, 1, 0, 100);
    expect(axis.at(1)).toBe(0);
    expect(Number.isFinite(axis.value(50))).toBe(true);
  });

  test.each([
    [383, 48, 0.2],
    [33, 22, 1],
    [4, 48, 20],
    [0.01, 48, 7200],
    [1e-5, 48, 86400 * 56],
    [12000, 48, 0.005],
  ])("%d px/s with %d px between ticks steps by %d s", (scale, gap, step) => {
    expect(tickStep(scale, gap)).toBeCloseTo(step, 9);
  });

  test("ticks hold both ends and do not drift", () => {
    expect(ticks(0, 2.4, 0.2).length).toBe(13);
    expect(ticks(-0.1, 0.1, 0.05).map((t) => +t.toFixed(2))).toEqual([-0.1, -0.05, 0, 0.05, 0.1].map((t) => t || 0));
    expect([tickParts(0.2), tickParts(0.5), tickParts(1)]).toEqual([4, 5, 5]);
  });

  test("labels", () => {
    expect(tickLabel(0.6000000001, 0.2)).toBe("0.6 s");
    expect(tickLabel(-0.05, 0.05)).toBe("−0.05 s");
    expect(tickLabel(3, 1)).toBe("3 s");
    expect(tickLabel(3690, 60)).toBe("1:01:30");
    expect(tickLabel(90, 60)).toBe("1:30");
  });
});

describe("room of a key", () => {
  test("an allowed wish is taken as it is", () => {
    expect(settle(room(3), [1.57, 2.29], [383, -33], asIs)).toEqual([1.57, 2.29]);
  });

  test.each<[string, Key]>([
    ["too fast from the key before", [1.0, 3.0]],
    ["too fast to the key after", [2.3, 1.6]],
    ["before the key before", [0.2, 1.0]],
    ["after the key after", [3.0, 4.0]],
    ["above", [1.6, 9]],
    ["below", [1.6, -9]],
  ])("a wish that is %s ends inside every limit", (_, wish) => {
    for (const limits of [room(3), room(6, 0.05), room(Infinity), room(1.3, 1.2)]) {
      const key = settle(limits, wish, [383, -33], asIs);
      const [low, high] = sourceRange(limits, key[0]);
      expect(key[1]).toBeGreaterThanOrEqual(low - 1e-6);
      expect(key[1]).toBeLessThanOrEqual(high + 1e-6);
      for (const [a, b] of [[limits.before, key], [key, limits.after]] as [Key, Key][]) {
        expect(b[0] - a[0]).toBeGreaterThanOrEqual(1 / 120 - 1e-9);
        expect(b[1] - a[1]).toBeGreaterThan(0);
        expect((b[1] - a[1]) / (b[0] - a[0])).toBeLessThanOrEqual(limits.limits.fastest);
        expect((b[1] - a[1]) / (b[0] - a[0])).toBeGreaterThanOrEqual(limits.limits.slowest);
      }
    }
  });

  test("what is refused still lies on a frame where there is room", () => {
    const toFrame = (t: number): number => Math.round(t * 120) / 120;
    const [output] = settle(room(3), [0.95, 2.9], [383, -33], toFrame);
    expect(output * 120).toBeCloseTo(Math.round(output * 120), 6);
  });

  test("keys without room between them go to the middle", () => {
    const tight: Room = { before: [1, 1], after: [1.01, 1.01], limits: { slowest: 0, fastest: 8 }, gap: 1 / 120 };
    expect(settle(tight, [1.4, 2], [383, -33], asIs)[0]).toBeCloseTo(1.005, 6);
  });

  test("corners are where the limits meet", () => {
    const [before, fast, after, slow] = corners(room(3));
    expect([before, after]).toEqual([[0.85, 1.42], [2.4, 3.39]]);
    expect(fast[1]).toBeCloseTo(3.39);
    expect((fast[1] - before[1]) / (fast[0] - before[0])).toBeCloseTo(3);
    expect(slow[1]).toBeCloseTo(1.42);
    expect(corners(room(Infinity))[1]).toEqual([0.85, 3.39]);
  });

  test("an end is kept by the speed to it", () => {
    const [low, high] = endRange([1, 1], 3, { slowest: 0.5, fastest: 4 }, 0.01);
    expect(low).toBeCloseTo(1.5, 2);
    expect(high).toBeCloseTo(5, 2);
    expect(endRange([1, 1], 3, { slowest: 0, fastest: Infinity }, 0.01)).toEqual([1.01, Infinity]);
  });
});

describe("refusal", () => {
  const say = (limits: Room, wish: Key, near = BETWEEN_KEYS, method = form(MAX_SPEED)) =>
    refuse(limits, wish, settle(limits, wish, [383, -33], asIs), near, method);

  test("names the speed and the way on", () => {
    const { text, lift, bound } = say(room(3), [1.05, 2.64]);
    expect(text).toMatch(/^Stops at 1\.\d\d s: the speed would pass 3\.0×\.$/);
    expect(lift).toEqual({
      name: "max_speed", value: 6.2, button: "Raise to 6.2×", hint: "Raise Max speed to 6.2× to go there.",
    });
    expect(bound).toBe("fastest");
  });

  test("offers no way on that the method would not take", () => {
    expect(say(room(3), [1.05, 2.64], BETWEEN_KEYS, form()).lift).toBeNull();
    expect(say(room(3), [1.05, 2.64], BETWEEN_KEYS, form({ ...MAX_SPEED, maximum: 4 })).lift).toBeNull();
  });

  test("names a speed that is too low", () => {
    expect(say(room(6, 0.05), [2.3, 1.42]).text).toContain("pass 6.0×");
    expect(say(room(6, 0.5), [1.6, 1.6]).text).toMatch(/the speed would fall below 0\.50×\.$/);
  });

  test.each<[Key, boolean, string]>([
    [[2.6, 3], false, "Stops at 2.39 s: the next keytime is at 2.40 s."],
    [[2.6, 3], true, "Stops at 2.39 s: the motion ends at 2.40 s."],
    [[0.5, 2], false, "Stops at 0.86 s: the keytime before is at 0.85 s."],
    [[1.5, 3.6], false, "Stops at 1.50 s: the next keytime shows 3.39 s."],
    [[1.5, 1.0], true, "Stops at 1.50 s: the source starts at 1.42 s."],
  ])("a spline's key at %j: crossing", (wish, atEnds, text) => {
    expect(say(room(Infinity), wish, { beforeIsEnd: atEnds, afterIsEnd: atEnds }, form()).text).toBe(text);
  });
});

describe("limits", () => {
  const step = (method: string, parameters = {}) => ({ id: "s", method, parameters });
  test("come from the step, its form, its solver", () => {
    const guided = form(MAX_SPEED, { name: "min_speed", default: null });
    expect(limitsOf(step("guided", { max_speed: 3 }), guided)).toEqual({ slowest: 1e-3, fastest: 3 });
    expect(limitsOf(step("guided"), guided)).toEqual({ slowest: 1e-3, fastest: 8 });
    expect(limitsOf(step("physics"), form())).toEqual({ slowest: 0.05, fastest: 6 });
    expect(limitsOf(step("spline"), form())).toEqual({ slowest: 0, fastest: Infinity });
    expect(limitsOf(null, null).fastest).toBe(Infinity);
  });
});

describe("snapping", () => {
  test("to frames, within 12 px", () => {
    expect(snapToFrame(1.004, 120, 0, 383)).toBeCloseTo(1, 9);
    expect(snapToFrame(1.004, 120, 0, 4000)).toBe(1.004);
    expect(snapToFrame(1.02, 10, 0.05, 100)).toBeCloseTo(1.05, 9);
  });
  test("to the nearest moment, upwards as well", () => {
    expect(snapToMoments(2.0, [1.88, 2.03, 2.5], -33)).toBe(2.03);
    expect(snapToMoments(1.2, [1.88, 2.03], -33)).toBe(1.2);
  });
});

describe("thinning", () => {
  const count = 100_000;
  const x = Float32Array.from({ length: count }, (_, k) => k / 100);
  const y = Float32Array.from(x, (t, k) => (k === 54_321 ? 1e6 : Math.sin(t)));

  test("keeps few points, in order, and every peak", () => {
    const kept = thin(x, y, 0, 1000, 1000);
    expect(kept.length).toBeLessThanOrEqual(4 * 1002);
    expect(kept).toContain(54_321);
    expect([kept[0], kept.at(-1)]).toEqual([0, count - 1]);
    expect(kept.every((k, n) => n === 0 || k > kept[n - 1]!)).toBe(true);
  });
  test("reaches one point beyond the part that is shown, and keeps all where few are", () => {
    expect(thin(x, y, 10.005, 10.035, 900)).toEqual([1000, 1001, 1002, 1003, 1004]);
    expect(thin([], [], 0, 1, 900)).toEqual([]);
    expect(thin([0], [0], 0, 1, 900)).toEqual([0]);
  });
});

describe("rows", () => {
  const all = { film: true, force: true, feasible: true, contacts: 2, waveform: false };
  test("fill the height, and the film strip gives way to the curve", () => {
    expect(layOut(324, { ...all, force: false }).film).toBeDefined();
    expect(layOut(324, all).film).toBeUndefined();
    for (const height of [222, 324, 600]) {
      const last = layOut(height, all).contacts!;
      expect(last.top + last.height).toBe(height);
    }
  });
});

test("a typed key", () => {
  expect(parseKey("1.57 2.29")).toEqual([1.57, 2.29]);
  expect(parseKey(" 1.57 s → 2.29 s")).toEqual([1.57, 2.29]);
  for (const wrong of ["", "1.5", "a b", "1 2 3"]) expect(parseKey(wrong)).toBeNull();
});
