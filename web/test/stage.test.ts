/** A live server that a window listens to: what is kept of its frames, and the figures made of them. */

import { beforeEach, describe, expect, it } from "vitest";
import type { StageHeader } from "../src/protocol";
import {
  APART, endStage, expectStage, isStaged, KEPT, leaveStage, listening, receiveStage, stageCrowded, stageFrame,
  stageHistory, stageNote, stageReading,
} from "../src/store/stage";
import * as state from "../src/store/state";
import { stageRows } from "../src/timeline/live/stage_bar";
import { figureShape, roleParents } from "../src/viewport/stage_figures";

const header = (changes: Partial<StageHeader> = {}): StageHeader => ({
  type: "stage", request: 7, reference: "walk", time: 1.5, rate: 0.3, heard: 1.4, confidence: 0.9, late: 0.2,
  state: "following", performer_joints: ["hips"], partner_joints: ["head", "hips"], arrays: [], ...changes,
});
const at = (x: number): Map<string, Float32Array> => new Map([
  ["performer", Float32Array.of(x, 1, 0)], ["partner", Float32Array.of(0, 1.7, 0, 0, 1, 0)],
]);

describe("listening to a live server", () => {
  beforeEach(() => {
    leaveStage();
    expectStage(7);
    state.tab.value = "live";
  });

  it("is connecting until the first frame, and shows frames in its own tab alone", () => {
    expect(listening.value).toBe("connecting");
    receiveStage(header(), at(0), 100);
    expect(listening.value).toBe("on");
    expect(isStaged.value).toBe(true);
    state.tab.value = "warp";
    expect(isStaged.value).toBe(false);
  });

  it("keeps few of many frames, counted from the first", () => {
    for (let k = 0; k < 900; k++) receiveStage(header({ time: k / 90 }), at(0), 50 + k / 90);
    const { times, source } = stageHistory.value!;
    expect(times[0]).toBe(0);
    expect(times.length).toBeGreaterThan(80);
    expect(times.length).toBeLessThanOrEqual(10 / APART + 1);
    expect(stageFrame.value!.header.time).toBeCloseTo(899 / 90);
    expect(source[source.length - 1]).toBeCloseTo(stageReading.value!.time);
  });

  it("forgets what is older than it keeps", () => {
    const frames = 2 * KEPT;
    for (let k = 0; k <= frames; k++) receiveStage(header({ late: null }), at(0), k);
    const { times, late } = stageHistory.value!;
    expect(times.length).toBe(KEPT + 1);
    expect([times[0], times[times.length - 1]]).toEqual([frames - KEPT, frames]);
    expect(late[0]).toBeNaN();
  });

  it("is as before when it is over, and says so where nobody asked for that", () => {
    receiveStage(header(), at(0), 1);
    endStage(7);
    expect(listening.value).toBe("off");
    expect([stageFrame.value, stageHistory.value, stageReading.value]).toEqual([null, null, null]);
    expect(stageNote.value).toBe("retime live ended");
    receiveStage(header(), at(0), 2); // one that was on its way
    expect(stageFrame.value).toBeNull();
  });

  it("stops connecting when there is a problem, and takes nothing of an earlier request", () => {
    endStage(6);
    receiveStage(header({ request: 6 }), at(0), 1);
    expect(listening.value).toBe("connecting");
    endStage(7);
    expect(listening.value).toBe("off");
    expect(stageNote.value).toBe("");
  });

  it("knows two figures in one place, as soon as both are seen", () => {
    receiveStage(header(), at(NaN), 1);
    expect(stageCrowded.value).toBe(false);
    receiveStage(header(), at(0.1), 2);
    expect(stageCrowded.value).toBe(true);
    receiveStage(header(), at(3), 3);
    expect(stageCrowded.value).toBe(true);
    expectStage(8);
    receiveStage(header({ request: 8 }), at(1), 4);
    expect(stageCrowded.value).toBe(false);
  });

  it("is told in words", () => {
    expect(stageRows(header()).map(([, value]) => value)).toEqual([
      "following, walk at 1.50 s", "0.30×", "90 %", "200 ms late",
    ]);
    expect(stageRows(header({ reference: null, state: "waiting", late: null })).map(([, value]) => value)).toEqual([
      "waiting", "0.30×", "90 %", "–",
    ]);
  });
});

describe("a figure on the stage", () => {
  it("hangs each role on the nearest one that is seen", () => {
    expect(roleParents(["head", "hips", "upper_chest", null, "left_upper_arm", "left_foot"])).toEqual([
      2, -1, 1, -1, 2, 1,
    ]);
  });

  it("is of sticks between what is seen while that makes no person", () => {
    const { volumes } = figureShape(["hips", "chest", "head"], Float32Array.of(0, 1, 0, NaN, NaN, NaN, 0, 1.6, 0));
    expect(volumes.map(({ startJoint, endJoint }) => [startJoint, endJoint])).toEqual([[0, 2]]);
  });
});
