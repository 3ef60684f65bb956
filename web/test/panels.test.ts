/** What panels decide, without a page: words, numbers, places. */

import { signal } from "@preact/signals";
import { afterEach, describe, expect, it, vi } from "vitest";
import { peaksOf } from "../src/store/sound";
import { exportAddress } from "../src/panels/export/export";
import { digitsFor, left, number, parseNumber, took } from "../src/words/numbers";
import { gravityOf, gravityValue } from "../src/panels/physics/gravity_values";
import { savedWord } from "../src/panels/header/header";
import { neighbourKey, rangeWith } from "../src/panels/page/keys";
import { timelineHeight } from "../src/panels/page/layout";
import { limbsOf } from "../src/store/limbs";
import { withFactor } from "../src/panels/physics/masses";
import { within } from "../src/controls/number";
import { advance } from "../src/store/playback";
import { arrange, columns, numberLook } from "../src/panels/form/presentation";
import { crossing } from "../src/panels/physics/region_plot";
import { landing } from "../src/panels/recipe/reorder";
import { statusOf } from "../src/panels/inspector/status";
import { versionName } from "../src/panels/header/versions";
import { afterWhile } from "../src/store/waiting";
import type { FormField, MethodForm } from "../src/protocol";

const field = (given: Partial<FormField>): FormField => ({
  name: "x", label: "X", help: "", kind: "number", unit: "", default: null, required: false,
  minimum: null, maximum: null, choices: [], metavar: null, advanced: false, shared: false, slider: null, step: 0.01,
  ends: null, ...given,
});

describe("numbers as people write them", () => {
  it.each([
    ["2.4", 2.4], ["2,4", 2.4], ["  0.85 s", 0.85], ["−0.12", -0.12], ["1e-3", 0.001], [".5", 0.5],
    ["", null], ["free", null], ["-", null],
  ])("reads %j as %j", (typed, value) => {
    expect(parseNumber(typed)).toBe(value);
  });

  it("writes a true minus, and none before zero", () => {
    expect(number(-0.12)).toBe("−0.12");
    expect(number(-0.001)).toBe("0.00");
  });

  it("shows as many digits as a value needs", () => {
    expect(digitsFor(0.16666, 2)).toBe(3);
    expect(digitsFor(2.4, 2)).toBe(2);
    expect(digitsFor(0.02, 3)).toBe(3);
  });

  it("keeps values inside their bounds, whole where they are counted", () => {
    expect(within(70, { minimum: 1, maximum: 64 })).toBe(64);
    expect(within(2.6, { whole: true })).toBe(3);
  });

  it("is rough about time that is left", () => {
    expect(left(2.2)).toBe("about 2 s left");
    expect(left(0.1)).toBe("about 1 s left");
    expect(left(200)).toBe("about 3 min left");
    expect(took(9)).toBe("9 ms");
    expect(took(2300)).toBe("2.3 s");
  });
});

describe("gravity", () => {
  it.each([
    { size: 9.81, tilt: 0, turn: 0 }, { size: 3.71, tilt: 30, turn: 0 }, { size: 9.81, tilt: -20, turn: 45 },
    { size: 1.62, tilt: 90, turn: 90 }, { size: 5, tilt: 135, turn: -30 },
  ])("is the same after it was written: $size, $tilt, $turn", (gravity) => {
    const back = gravityOf(gravityValue(gravity));
    expect(back.size).toBeCloseTo(gravity.size, 3);
    expect(back.tilt).toBeCloseTo(gravity.tilt, 1);
    expect(back.turn).toBeCloseTo(gravity.turn, 1);
  });

  it("is a plain size when it points down, and points down as a vector", () => {
    expect(gravityValue({ size: 3.71, tilt: 0, turn: 40 })).toBe(3.71);
    expect(gravityOf([0, -9.81, 0])).toEqual({ size: 9.81, tilt: 0, turn: 0 });
    expect(gravityOf("left:4.9").size).toBe(4.9);
  });
});

describe("limbs", () => {
  it("takes in what hangs on a limb and what only leads to it", () => {
    const limbs = limbsOf({
      joints: ["Hips", "LHipJoint", "LeftUpLeg", "LeftFoot", "Spine", "Head", "LeftHand", "LeftThumb"],
      parents: [-1, 0, 1, 2, 0, 4, 4, 6],
      roles: ["hips", null, "left_upper_leg", "left_foot", "spine", "head", "left_hand", null],
      limbs: [null, null, null, "left_leg", null, null, "left_arm", "left_arm"],
    });
    expect(limbs).toEqual(["trunk", "left_leg", "left_leg", "left_leg", "trunk", "trunk", "left_arm", "left_arm"]);
  });

  it("leaves a figure without roles in one piece", () => {
    const limbs = limbsOf({ joints: ["a", "b"], parents: [-1, 0], roles: [null, null], limbs: [null, null] });
    expect(limbs).toEqual(["trunk", "trunk"]);
  });
});

describe("playback", () => {
  it("goes round, or stops at the end", () => {
    expect(advance(1.9, 0.2, [1, 2], true).time).toBeCloseTo(1.1);
    expect(advance(1.9, 0.2, [1, 2], false)).toEqual({ time: 2, playing: false });
    expect(advance(0, 0.1, [1, 2], true).time).toBeCloseTo(1.1);
    expect(advance(1, 0.1, [1, 1], true)).toEqual({ time: 1, playing: false });
  });

  it("sets, moves and frees the range", () => {
    const whole: [number, number] = [0, 2];
    expect(rangeWith(null, 0, 0.5, false, whole)).toEqual([0.5, 2]);
    expect(rangeWith([0.5, 2], 1, 1, false, whole)).toEqual([0.5, 1]);
    expect(rangeWith([0.5, 1], 0, 0.5, false, whole)).toEqual([0, 1]);
    expect(rangeWith([0.5, 2], 0, 1.2, true, whole)).toBeNull();
    expect(rangeWith([0.5, 1], 0, 1.5, false, whole)).toEqual([1.5, 2]);
  });

  it("finds the key before and after", () => {
    expect(neighbourKey([0, 2, 1], 1, 1)).toBe(2);
    expect(neighbourKey([0, 2, 1], 1, -1)).toBe(0);
    expect(neighbourKey([0, 2, 1], 2, 1)).toBeNull();
  });
});

describe("forms", () => {
  it("folds what is advanced and what all methods share", () => {
    const fields = [
      field({ name: "a" }), field({ name: "b", advanced: true }), field({ name: "c" }),
      field({ name: "range", shared: true }),
    ];
    const form: MethodForm = { name: "new", title: "New", summary: "", fields };
    const { basic, more } = arrange(form);
    expect(basic.map((f) => f.name)).toEqual(["a", "c"]);
    expect(more.map((f) => f.name)).toEqual(["b", "range"]);
  });

  it("gives a slider only to bounds that fit one", () => {
    expect(numberLook(field({ minimum: 0, maximum: 1 })).bounds).toEqual([0, 1]);
    expect(numberLook(field({ minimum: 1, maximum: 480 })).bounds).toBeNull();
    expect(numberLook(field({ minimum: 1, maximum: 64, slider: [1, 8] })).bounds).toEqual([1, 8]);
    expect(numberLook(field({ kind: "integer", minimum: 1, maximum: 16 })).step).toBe(1);
    expect(numberLook(field({ step: 0.001 })).digits).toBe(3);
    expect(numberLook(field({ step: 0.5 })).digits).toBe(1);
  });

  it("reads columns from what the command line shows", () => {
    expect(columns(field({ metavar: "JOINT=FACTOR" })).map((c) => c.kind)).toEqual(["joint", "number"]);
    expect(columns(field({ metavar: "A:B:SLOW:FAST" })).map((c) => c.name)).toEqual(["a", "b", "slow", "fast"]);
    expect(columns(field({ metavar: "A:B:SLOW:FAST" })).map((c) => c.title)).toEqual(["from", "to", "slowest", "fastest"]);
    expect(columns(field({ metavar: "KG@WHERE" })).map((c) => c.kind)).toEqual(["joint", "number"]);
    expect(columns(field({ metavar: "SRC:JOINT:V" })).map((c) => c.kind)).toEqual(["number", "joint", "number"]);
  });

  it("keeps only masses that are changed", () => {
    expect(withFactor([["head", 2]], "hips", 3)).toEqual([["head", 2], ["hips", 3]]);
    expect(withFactor([["head", 2]], "head", 1)).toBeNull();
  });
});

describe("the status line", () => {
  const facts = { waiting: false, progress: null, problem: null, took: 9 };
  it("is quiet when all is well", () => {
    expect(statusOf(facts)).toMatchObject({ kind: "ready", text: "Up to date", detail: "9 ms" });
  });
  it("says what is done, how far it is and how long it takes", () => {
    const progress = { type: "progress", request: 1, text: "Finding the best timing", share: 0.62, left: 2 } as const;
    expect(statusOf({ ...facts, waiting: true, progress })).toMatchObject({
      kind: "busy", text: "Finding the best timing", detail: "62 %, about 2 s left", share: 0.62,
    });
  });
  it("does not call old results up to date while the server is gone", () => {
    expect(statusOf({ ...facts, connected: false })).toMatchObject({ kind: "idle", text: "Not connected" });
  });
  it("names the problem", () => {
    const problem = { type: "problem", title: "No warp", text: "" } as const;
    expect(statusOf({ ...facts, problem })).toMatchObject({ kind: "problem", text: "No warp" });
  });
});

describe("waiting", () => {
  afterEach(() => void vi.useRealTimers());
  it("shows only after a while, and goes at once", () => {
    vi.useFakeTimers();
    const busy = signal(false);
    const late = afterWhile(busy, 150);
    busy.value = true;
    vi.advanceTimersByTime(100);
    expect(late.value).toBe(false);
    vi.advanceTimersByTime(60);
    expect(late.value).toBe(true);
    busy.value = false;
    expect(late.value).toBe(false);
    busy.value = true;
    vi.advanceTimersByTime(100);
    busy.value = false;
    vi.advanceTimersByTime(500);
    expect(late.value).toBe(false);
  });
});

describe("small things", () => {
  it("names a version by its first step that counts", () => {
    const titles = new Map([["guided", { title: "Guided" }], ["hold", { title: "Hold contacts" }]]);
    const steps = [{ id: "s1", method: "guided", mute: true }, { id: "s2", method: "hold" }];
    expect(versionName(steps, titles)).toBe("Hold contacts");
    expect(versionName([...steps, { id: "s3", method: "guided" }], titles)).toBe("Hold contacts +1");
    expect(versionName([], titles)).toBe("Original");
  });
  it("says what is kept", () => {
    expect(savedWord(true, true, false)).toBe("Saved");
    expect(savedWord(true, true, true)).toBe("Saving");
    expect(savedWord(false, true, false)).toBe("Saving");
    expect(savedWord(true, false, true)).toBe("Not saved");
  });
  it("lands a dragged row where its gap is", () => {
    expect([landing(0, 3), landing(3, 0), landing(1, 1), landing(1, 2)]).toEqual([2, 0, 1, 1]);
  });
  it("leaves room for the view", () => {
    expect(timelineHeight(900, 900, 88)).toBe(532);
    expect(timelineHeight(10, 900, 88)).toBe(120);
  });
  it("finds the edge that binds", () => {
    const found = crossing([[-1, 0], [1, 0], [1, 2], [-1, 2]], [0, 1], [3, 1]);
    expect(found?.at).toEqual([1, 1]);
    expect(crossing([[-1, 0], [1, 0], [1, 2], [-1, 2]], [0, 1], [0.5, 1])).toBeNull();
  });
  it("makes peaks of sound", () => {
    const peaks = peaksOf(Float32Array.from({ length: 200 }, (_, k) => (k < 100 ? 0.5 : -1)), 10_000);
    expect([...peaks]).toEqual([0.5, 0.5, -1, -1]);
  });
  it("asks for a format of a version", () => {
    expect(exportAddress("bvh", "B")).toBe("/export?format=bvh&version=B");
  });
});
