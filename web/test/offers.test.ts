/** What is offered and shown for a document: fields, suggestions, speeds, the range. */

import { afterEach, describe, expect, it } from "vitest";
import { optionsOf } from "../src/panels/form/motions";
import { whyNot } from "../src/panels/form/number";
import { Parameter } from "../src/panels/form/parameter";
import { videoName } from "../src/panels/export/record";
import { nextFocus } from "../src/panels/recipe/step_rows";
import type { FormField, Project, StepEntry } from "../src/protocol";
import { RetimedClip } from "../src/store/clip";
import * as state from "../src/store/state";
import { isTaken, openSuggestions } from "../src/store/suggested";
import { keyRate, mostRate, rateWords } from "../src/timeline/warp/key_marks";
import type { Scene } from "../src/timeline/plot/scene";

const field = (given: Partial<FormField>): FormField => ({
  name: "x", label: "X", help: "", kind: "number", unit: "", default: null, required: false,
  minimum: null, maximum: null, choices: [], metavar: null, advanced: false, shared: false, slider: null, step: 0.01,
  ends: null, ...given,
});
const step = (method: string, parameters: Record<string, unknown>): StepEntry =>
  ({ id: "s1", method, parameters, weight: 1, mute: false, label: "" });

function open(entry: StepEntry): void {
  const motions = { m1: { name: "Jump" }, m2: { name: "Walk" } };
  state.committed.value = { motions, source: "m1", versions: { A: [entry], B: [] }, audio: null } as unknown as Project;
  state.selectedStep.value = entry.id;
}

/** A result of some seconds that shows the source as it is. */
function result(seconds: number): RetimedClip {
  const ramp = Float32Array.from([0, seconds]);
  const times = Float32Array.from({ length: 60 * seconds + 1 }, (_, k) => k / 60);
  const arrays = new Map([
    ["positions", new Float32Array(3 * times.length)], ["times", times], ["output", ramp], ["source", ramp],
  ]);
  const header = { fps: 60, contacts: [], steps: [] };
  return new RetimedClip(header as never, arrays);
}

afterEach(() => {
  state.committed.value = null;
  state.results.value = { A: null, B: null };
  state.playRange.value = null;
  state.suggestions.value = [];
});

describe("fields", () => {
  const duration = field({ name: "duration", choices: [{ value: "free", label: "Free", help: "" }] });

  it("a free duration is not offered beside keytimes of a guided step, and says why", () => {
    open(step("guided", { keytimes: [[1, 1.2]] }));
    expect(whyNot(new Parameter("s1", duration), "free")).toContain("keytimes");
    open(step("guided", {}));
    expect(whyNot(new Parameter("s1", duration), "free")).toBe("");
    open(step("physics", { keytimes: [[1, 1.2]] })); // which takes both
    expect(whyNot(new Parameter("s1", duration), "free")).toBe("");
  });

  it("the motion that is retimed is offered once", () => {
    open(step("guided", {}));
    const labels = (given: Partial<FormField>): string[] =>
      optionsOf(field({ kind: "motion", ...given })).map((o) => o.label);
    expect(labels({ name: "reference" })).toEqual(["This motion", "Walk", "A file or folder"]);
    expect(labels({ name: "reference", required: true })).toEqual(["Jump", "Walk", "A file or folder"]);
  });

  it("a removed row gives the focus to what comes to its place", () => {
    expect(nextFocus(["a", "c"], "b", 1)).toBe("c");
    expect(nextFocus(["a", "b"], "c", 2)).toBe("b");
    expect(nextFocus(["b", "a"], "a", 0)).toBe("a"); // it was moved, not removed
    expect(nextFocus([], "a", 0)).toBeNull();
  });

  it.each([
    ["Jump", "Jump-retimed.webm"], ["many: Clip 2/3", "many- Clip 2-3-retimed.webm"],
    ["Schritt nach vorn ä", "Schritt nach vorn ä-retimed.webm"],
    ["../..", "motion-retimed.webm"], ["", "motion-retimed.webm"],
  ])("a video of %j is named %j", (motion, name) => {
    expect(videoName(motion)).toBe(name);
  });
});

describe("suggested keytimes", () => {
  it("are none where a keytime stands, in either time", () => {
    const keys: state.Key[] = [[1, 2]];
    expect(isTaken(keys, [1.5, 2.04], 1 / 60)).toBe(true);
    expect(isTaken(keys, [1.04, 2.5], 1 / 60)).toBe(true);
    expect(isTaken(keys, [1.06, 2.06], 1 / 60)).toBe(false);
    expect(isTaken(keys, [1.06, 2.06], 1 / 12)).toBe(true); // a frame is longer than that
  });

  it("are the same for the timeline and the inspector, with their share of the most", () => {
    open(step("guided", { keytimes: [[1, 1]] }));
    state.results.value = { A: result(3), B: null };
    state.suggestions.value = [{ time: 1.03, weight: 4 }, { time: 2, weight: 2 }];
    expect(openSuggestions.value).toEqual([{ key: [2, 2], shown: 2, share: 0.5 }]);
  });
});

describe("the range", () => {
  it("ends where the result ends, and is the whole where nothing of it is left", () => {
    open(step("spline", {}));
    state.results.value = { A: result(2), B: null };
    state.playRange.value = [1, 3];
    expect(state.playSpan.value).toEqual([1, 2]);
    state.playRange.value = [2.5, 3];
    expect(state.playSpan.value).toEqual([0, 2]);
  });
});

describe("the speed at a keytime", () => {
  const scene = (method: string, rate: number | null): Scene =>
    ({
      step: step(method, {}), keys: [[1, 2]], ends: [[0, 0], [3, 3]], rates: rate === null ? [] : [[2, rate]],
      result: null, times: {},
    }) as unknown as Scene;

  it("is what a spline can do: three times the smaller chord", () => {
    expect(mostRate(scene("spline", null), [1, 2])).toBeCloseTo(1.5);
    expect(keyRate(scene("spline", 4), [1, 2])).toBeCloseTo(1.5);
    expect(rateWords(scene("spline", 4), [1, 2])).toBe("1.50×, limited: 4.00× asked");
    expect(rateWords(scene("spline", 1.25), [1, 2])).toBe("1.25×");
  });

  it("is what is asked for where a solver meets it", () => {
    expect(rateWords(scene("physics", 4), [1, 2])).toBe("4.00×");
  });
});
