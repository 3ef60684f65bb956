/** Times in frames and as timecode, shown and typed. */

import { afterEach, expect, test } from "vitest";
import { parseTime, type Clock } from "../src/store/times";
import { seconds } from "../src/words/numbers";
import { frameRate, frames, frameStep, timecode, timeUnit } from "../src/words/units";

afterEach(() => {
  timeUnit.value = "seconds";
  frameRate.value = 60;
});

const clock: Clock = { start: 1, whole: 3, length: 3, outputLength: 3, rate: 24, outputRate: 30 };

test("times are written in the unit that was chosen", () => {
  frameRate.value = 24;
  expect(seconds(2.5)).toBe("2.50 s");
  timeUnit.value = "frames";
  expect([seconds(2.5), seconds(0.5 / 24), seconds(-1)]).toEqual(["60 f", "0.5 f", "−24 f"]);
  timeUnit.value = "timecode";
  expect([seconds(2.5), seconds(3661)]).toEqual(["00:00:02:12", "01:01:01:00"]);
});

test("a timecode at 29.97 fps counts thirty frames, without a gap or a frame 30", () => {
  const rate = 30000 / 1001;
  const said = Array.from({ length: 100 }, (_, k) => timecode(k / rate, rate));
  expect(new Set(said).size).toBe(100);
  expect(said[30]).toBe("00:00:01:00");
  expect(said[29]).toBe("00:00:00:29");
});

test("what is shown is read as the same time", () => {
  for (const count of [0, 1, 23, 24, 61]) {
    const length = count / 30;
    expect(parseTime(timecode(length, 30), "length", clock, "timecode")).toBeCloseTo(length, 9);
    expect(parseTime(frames(length, 30), "length", clock, "frames")).toBeCloseTo(length, 9);
    expect(parseTime(frames(count / 24, 24), "source", clock, "frames")).toBeCloseTo(1 + count / 24, 9);
  }
  expect(parseTime("2s", "length", clock, "frames")).toBe(2);
});

test("the ruler is divided by whole frames, or whole seconds", () => {
  frameRate.value = 24;
  timeUnit.value = "frames";
  for (const scale of [5, 50, 500, 5000]) {
    const count = frameStep(scale, 48) * 24;
    expect(Math.abs(count - Math.round(count))).toBeLessThan(1e-9);
    expect((count / 24) * scale).toBeGreaterThanOrEqual(48);
  }
  timeUnit.value = "timecode";
  expect(frameStep(40, 92)).toBeCloseTo(5, 9);
});
