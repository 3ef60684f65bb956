import { afterEach, beforeEach, describe, expect, it, vi, type Mock } from "vitest";
import type { RetimedClip } from "../src/store/clip";
import { Frames } from "../src/store/frames";
import * as state from "../src/store/state";
import { coneCorners, coneTriangles } from "../src/viewport/body/cone_corners";

const result = (): RetimedClip => ({}) as RetimedClip;
const arrive = (): void => {
  state.results.value = { A: result(), B: null };
};
const drag = (): void => {
  state.pending.value = { type: "change_step", id: "s1" };
  state.computing.value = true;
};

describe("a frame that is asked for", () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal("window", globalThis);
    vi.stubGlobal("requestAnimationFrame", (run: () => void) => setTimeout(run, 16));
    vi.stubGlobal("cancelAnimationFrame", (handle: number) => clearTimeout(handle));
    arrive();
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
    state.pending.value = null;
    state.computing.value = false;
  });

  /** Frames that have painted what is there, and how often they did since. */
  const painted = (patient: boolean): [Frames, Mock<() => void>] => {
    const paint = vi.fn<() => void>();
    const frames = new Frames(paint, patient);
    frames.ask();
    vi.advanceTimersByTime(20);
    expect(paint).toHaveBeenCalledTimes(1);
    paint.mockClear();
    return [frames, paint];
  };

  it("comes with the next one of the page, once", () => {
    const [frames, paint] = painted(true);
    frames.ask();
    frames.ask();
    vi.advanceTimersByTime(20);
    expect(paint).toHaveBeenCalledTimes(1);
  });

  it("waits for a drag's result, and comes with it though the next is being computed", () => {
    const [frames, paint] = painted(true);
    drag();
    frames.ask();
    vi.advanceTimersByTime(40);
    expect(paint).not.toHaveBeenCalled();
    arrive();
    frames.ask();
    vi.advanceTimersByTime(20);
    expect(paint).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(200);
    expect(paint).toHaveBeenCalledTimes(1);
  });

  it("waits no longer than a moment, and not again for the same result", () => {
    const [frames, paint] = painted(true);
    drag();
    frames.ask();
    vi.advanceTimersByTime(100);
    expect(paint).toHaveBeenCalledTimes(1);
    frames.ask();
    vi.advanceTimersByTime(20);
    expect(paint).toHaveBeenCalledTimes(2);
  });

  it("does not wait where frames cost little, or nothing is dragged", () => {
    const [quick, paint] = painted(false);
    drag();
    quick.ask();
    vi.advanceTimersByTime(20);
    expect(paint).toHaveBeenCalledTimes(1);
    const [patient, other] = [new Frames(paint, true), paint.mock.calls.length];
    state.pending.value = null;
    patient.ask();
    vi.advanceTimersByTime(20);
    expect(paint.mock.calls.length).toBe(other + 1);
  });

  it("does not come when it was given up", () => {
    const [frames, paint] = painted(true);
    frames.ask();
    frames.cancel();
    vi.advanceTimersByTime(200);
    expect(paint).not.toHaveBeenCalled();
  });
});

describe("a rounded cone", () => {
  const corners = coneCorners(12, 3);
  /** A corner's place on a ball of radius 1 that is one long: corners at poles and seams fall together. */
  const key = (k: number): string => {
    const [x, y, share] = [0, 1, 2].map((c) => corners.places[3 * k + c]!) as [number, number, number];
    const cap = corners.caps[k]!;
    const latitude = cap ? (share * Math.PI) / 2 : ((share - 1) * Math.PI) / 2;
    return [x * Math.cos(latitude), Math.sin(latitude) + cap, y * Math.cos(latitude)]
      .map((v) => (v + 0).toFixed(6).replace("-0.000000", "0.000000")).join(" ");
  };

  it.each(["fine", "few"] as const)("is closed with %s corners: every edge has a triangle on either side", (which) => {
    const index = coneTriangles(12, 3)[which];
    const edges = new Map<string, number>();
    for (let k = 0; k < index.length; k += 3) {
      const [a, b, c] = [index[k]!, index[k + 1]!, index[k + 2]!].map(key) as [string, string, string];
      expect(new Set([a, b, c]).size).toBe(3); // none is a mere line
      for (const edge of [`${a}|${b}`, `${b}|${c}`, `${c}|${a}`]) edges.set(edge, (edges.get(edge) ?? 0) + 1);
    }
    for (const [edge, count] of edges) {
      const [from, to] = edge.split("|");
      expect([count, edges.get(`${to}|${from}`)]).toEqual([1, 1]);
    }
  });

  it("has far fewer triangles with few corners, all of them corners of the fine one", () => {
    const { fine, few } = coneTriangles(12, 3);
    expect(few.length).toBeLessThan(fine.length / 2);
    expect(few.every((k) => fine.includes(k))).toBe(true);
  });
});
