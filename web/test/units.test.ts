/** Times in frames and as timecode, shown and typed. */

import { afterEach, expect, test } from "vitest";
import { parseTime, type Clock } from "../src/store/times";
import { seconds } from "../src/words/numbers";
import { readdirSync, readFileSync } from "node:fs";
import { sayLater } from "../src/store/pose_edits";
import { sentence } from "../src/words/sentence";
import { shifted } from "../src/words/surface_keys";
import { frameRate, frames, frameStep, lengthText, timecode, timeUnit } from "../src/words/units";

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

test("lengths of time are in frames where times are frames or timecodes", () => {
  frameRate.value = 24;
  const said = (): string[] => [lengthText(0.5), sayLater(0.25), shifted(-0.125)];
  expect(said()).toEqual(["0.50 s", "0.250 s later", "0.125 s earlier"]);
  for (const unit of ["frames", "timecode"] as const) {
    timeUnit.value = unit;
    expect(said()).toEqual(["12 f", "6 f later", "3 f earlier"]);
  }
});

test("times that the server marked are shown in the chosen unit", () => {
  frameRate.value = 24;
  const text =
    "the key at \ue000m|1.25|1.2 s\ue001 is outside \ue000s|0|2.5|0 to 2.5 s\ue001, by \ue000l|0.5|0.5 s\ue001";
  expect(sentence(text)).toBe("The key at 1.2 s is outside 0 to 2.5 s, by 0.5 s");
  timeUnit.value = "frames";
  expect(sentence(text)).toBe("The key at 30 f is outside 0 f to 60 f, by 12 f");
  timeUnit.value = "timecode";
  expect(sentence(text)).toBe("The key at 00:00:01:06 is outside 00:00:00:00 to 00:00:02:12, by 12 f");
});

test("no text of the page is written in seconds only", () => {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((name) => /\.tsx?$/.test(name));
  expect(files.length).toBeGreaterThan(200);
  const found = files.filter((name) => /\} s\b/.test(readFileSync(`src/${name}`, "utf8")));
  // Where units are chosen, and times of the computer: they are no times of a motion.
  const allowed = ["panels/view/cards.tsx", "timeline/plot/axis.ts", "words/numbers.ts", "words/units.ts"];
  expect(found.sort()).toEqual(allowed);
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
