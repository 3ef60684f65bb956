/** A live server that a window listens to: what is kept of its frames, and the figures made of them. */

import { beforeEach, describe, expect, it } from "vitest";
import type { LiveServerHeader } from "../src/protocol";
import {
  APART, endServer, expectServer, isServerShown, KEPT, leaveServer, listening, receiveServerFrame, serverCrowded,
  serverFrame,
  serverHistory, serverNote, serverReading,
} from "../src/store/live_server";
import * as state from "../src/store/state";
import { serverRows } from "../src/timeline/live/live_server_bar";
import { figureShape, roleParents } from "../src/viewport/body/live_figures";

const header = (changes: Partial<LiveServerHeader> = {}): LiveServerHeader => ({
  type: "live-server", request: 7, reference: "walk", time: 1.5, rate: 0.3, heard: 1.4, confidence: 0.9, late: 0.2,
  state: "following", performer_joints: ["hips"], partner_joints: ["head", "hips"], arrays: [], ...changes,
});
const at = (x: number): Map<string, Float32Array> => new Map([
  ["performer", Float32Array.of(x, 1, 0)], ["partner", Float32Array.of(0, 1.7, 0, 0, 1, 0)],
]);

describe("listening to a live server", () => {
  beforeEach(() => {
    leaveServer();
    expectServer(7);
    state.tab.value = "live";
  });

  it("is connecting until the first frame, and shows frames in its own tab alone", () => {
    expect(listening.value).toBe("connecting");
    receiveServerFrame(header(), at(0), 100);
    expect(listening.value).toBe("on");
    expect(isServerShown.value).toBe(true);
    state.tab.value = "warp";
    expect(isServerShown.value).toBe(false);
  });

  it("keeps few of many frames, counted from the first", () => {
    for (let k = 0; k < 900; k++) receiveServerFrame(header({ time: k / 90 }), at(0), 50 + k / 90);
    const { times, source } = serverHistory.value!;
    expect(times[0]).toBe(0);
    expect(times.length).toBeGreaterThan(80);
    expect(times.length).toBeLessThanOrEqual(10 / APART + 1);
    expect(serverFrame.value!.header.time).toBeCloseTo(899 / 90);
    expect(source[source.length - 1]).toBeCloseTo(serverReading.value!.time);
  });

  it("forgets what is older than it keeps", () => {
    const frames = 2 * KEPT;
    for (let k = 0; k <= frames; k++) receiveServerFrame(header({ late: null }), at(0), k);
    const { times, late } = serverHistory.value!;
    expect(times.length).toBe(KEPT + 1);
    expect([times[0], times[times.length - 1]]).toEqual([frames - KEPT, frames]);
    expect(late[0]).toBeNaN();
  });

  it("is as before when it is over, and says so where nobody asked for that", () => {
    receiveServerFrame(header(), at(0), 1);
    endServer(7);
    expect(listening.value).toBe("off");
    expect([serverFrame.value, serverHistory.value, serverReading.value]).toEqual([null, null, null]);
    expect(serverNote.value).toBe("retime live ended");
    receiveServerFrame(header(), at(0), 2); // one that was on its way
    expect(serverFrame.value).toBeNull();
  });

  it("stops connecting when there is a problem, and takes nothing of an earlier request", () => {
    endServer(6);
    receiveServerFrame(header({ request: 6 }), at(0), 1);
    expect(listening.value).toBe("connecting");
    endServer(7);
    expect(listening.value).toBe("off");
    expect(serverNote.value).toBe("");
  });

  it("knows two figures in one place, as soon as both are seen", () => {
    receiveServerFrame(header(), at(NaN), 1);
    expect(serverCrowded.value).toBe(false);
    receiveServerFrame(header(), at(0.1), 2);
    expect(serverCrowded.value).toBe(true);
    receiveServerFrame(header(), at(3), 3);
    expect(serverCrowded.value).toBe(true);
    expectServer(8);
    receiveServerFrame(header({ request: 8 }), at(1), 4);
    expect(serverCrowded.value).toBe(false);
  });

  it("is told in words", () => {
    expect(serverRows(header()).map(([, value]) => value)).toEqual([
      "following, walk at 1.50 s", "0.30×", "90 %", "200 ms late",
    ]);
    expect(serverRows(header({ reference: null, state: "waiting", late: null })).map(([, value]) => value)).toEqual([
      "waiting", "0.30×", "90 %", "–",
    ]);
  });
});

describe("a figure of the live server", () => {
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
