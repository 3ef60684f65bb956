/** The hand that all plots share, and presses in a row, without a page. */

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Nudges } from "../src/store/nudges";
import { GestureHand, type Grips, type HandHost } from "../src/timeline/plot/gesture_hand";
import type { Gesture, Pull } from "../src/timeline/plot/gesture_host";

class FakeCanvas extends EventTarget {
  readonly style = { cursor: "" };
  readonly captured: number[] = [];
  focus(): void {}
  setPointerCapture(id: number): void {
    this.captured.push(id);
  }
  getBoundingClientRect(): { left: number; top: number } {
    return { left: 10, top: 20 };
  }
}

class Told implements Gesture {
  readonly cursor = "grabbing";
  readonly holdsView = true;
  readonly moves: Pull[] = [];
  readonly ends: string[] = [];
  constructor(readonly atOnce = false, readonly ownsShift = false) {}
  move(pull: Pull): void {
    this.moves.push(pull);
  }
  finish(moved: boolean): void {
    this.ends.push(moved ? "moved" : "clicked");
  }
  cancel(): void {
    this.ends.push("cancelled");
  }
}

let frames: (() => void)[] = [];
const paint = (): void => frames.splice(0).forEach((run) => run());

beforeEach(() => {
  frames = [];
  vi.useFakeTimers();
  vi.stubGlobal("window", Object.assign(new EventTarget(), { setTimeout, clearTimeout }));
  vi.stubGlobal("document", { documentElement: { style: { cursor: "" } } });
  vi.stubGlobal("requestAnimationFrame", (run: () => void) => frames.push(run));
  vi.stubGlobal("cancelAnimationFrame", () => (frames = []));
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

function hand(gesture: Gesture | null, more: Partial<Grips<string>> = {}) {
  const canvas = new FakeCanvas();
  const held = { hold: vi.fn(), release: vi.fn(), pan: vi.fn(), zoom: vi.fn() };
  const host = {
    canvas, view: held, redraw: vi.fn(), plot: () => ({ time: { scale: 100, value: (x: number) => x }, scene: {} }),
  };
  const named = vi.fn();
  const grips: Grips<string> = {
    at: ({ x }) => (x < 50 ? "mark" : null), same: (a, b) => a === b, cursor: () => "grab", name: named,
    take: (target) => (target ? gesture : null), double: vi.fn(), ...more,
  };
  const ended = new AbortController();
  const made = new GestureHand<string>(host as unknown as HandHost, grips, ended.signal);
  const send = (type: string, at: Record<string, unknown> = {}, target: EventTarget = canvas): void => {
    const plain = { clientX: 20, clientY: 30, button: 0, pointerId: 7, shiftKey: false, altKey: false, ctrlKey: false };
    target.dispatchEvent(Object.assign(new Event(type, { cancelable: true }), { metaKey: false, ...plain, ...at }));
  };
  return { made, canvas, held, named, send };
}

describe("a gesture of the hand", () => {
  test("an unsteady press is a click, and a drag settles with its release", () => {
    const gesture = new Told();
    const { canvas, held, send } = hand(gesture);
    send("pointerdown");
    expect([canvas.captured, canvas.style.cursor]).toEqual([[7], "grabbing"]);
    send("pointermove", { clientX: 22 });
    paint();
    send("pointerup");
    expect([gesture.moves, gesture.ends]).toEqual([[], ["clicked"]]);
    expect(canvas.style.cursor).toBe("");
    send("pointerdown");
    send("pointermove", { clientX: 32, altKey: true });
    send("pointerup"); // before the frame was painted: its move is not lost
    expect(gesture.moves).toMatchObject([{ x: 22, y: 10, dx: 12, dy: 0, alt: true }]);
    expect(gesture.ends).toEqual(["clicked", "moved"]);
    expect(held.release).toHaveBeenCalledTimes(2);
  });

  test("Shift makes the pull finer from there on, except where it means something else", () => {
    for (const [ownsShift, dx] of [[false, 11], [true, 20]] as const) {
      const gesture = new Told(false, ownsShift);
      const { send } = hand(gesture);
      send("pointerdown");
      send("pointermove", { clientX: 30 });
      send("pointermove", { clientX: 40, shiftKey: true });
      paint();
      expect(gesture.moves.at(-1)!.dx).toBeCloseTo(dx);
    }
  });

  test("what is given up puts all back and hears no more of the pointer", () => {
    const gesture = new Told();
    const { made, send } = hand(gesture);
    send("pointerdown");
    send("pointermove", { clientX: 44 });
    expect(made.cancel()).toBe(true);
    paint();
    send("pointerup");
    expect([gesture.moves, gesture.ends]).toEqual([[], ["cancelled"]]);
    expect(made.cancel()).toBe(false);
  });

  test("a playhead comes with the press; nothing is taken where nothing is", () => {
    const gesture = new Told(true);
    const { made, send } = hand(gesture);
    send("pointerdown");
    expect(gesture.moves).toMatchObject([{ x: 10, dx: 0 }]);
    send("pointerup");
    send("pointerdown", { clientX: 200 });
    expect(made.dragging).toBe(false);
  });

  test("a gesture by key follows without a button until a click, whose other button gives it up", () => {
    const gesture = new Told();
    const { made, send } = hand(gesture);
    expect(made.carry(() => null)).toBe(false);
    expect(made.carry(() => gesture)).toBe(true);
    expect(made.carry(() => new Told())).toBe(false);
    send("pointermove", { clientX: 90 }, window);
    send("pointermove", { clientX: 91 }, window); // no threshold: it is under way
    paint();
    expect(gesture.moves.at(-1)).toMatchObject({ dx: 1 });
    send("pointerdown", {}, window);
    expect(gesture.ends).toEqual(["moved"]);
    made.carry(() => gesture);
    send("pointerdown", { button: 2 }, window);
    expect(gesture.ends).toEqual(["moved", "cancelled"]);
  });

  test("what the next press begins outweighs what is under it, and can be given up", () => {
    const [own, box] = [new Told(), new Told()];
    const { made, canvas, send } = hand(own);
    made.withNextPress("crosshair", () => box);
    send("pointermove");
    expect(canvas.style.cursor).toBe("crosshair");
    expect(made.cancel()).toBe(true);
    made.withNextPress("crosshair", () => box);
    send("pointerdown");
    send("pointerup");
    expect([own.ends, box.ends]).toEqual([[], ["clicked"]]);
  });

  test("what the pointer rests on is named, once; leaving it is silent", () => {
    const { canvas, named, send } = hand(null);
    send("pointermove");
    send("pointermove", { clientX: 21 });
    expect(canvas.style.cursor).toBe("grab");
    vi.advanceTimersByTime(450);
    expect(named.mock.calls).toEqual([["mark"]]);
    send("pointermove", { clientX: 25 });
    send("pointerleave");
    vi.advanceTimersByTime(450);
    expect(named).toHaveBeenCalledTimes(1);
  });
});

describe("presses in a row", () => {
  test("become one change once the hand rests, and none where it is given up", () => {
    const [commit, discard, kept] = [vi.fn(), vi.fn(), vi.fn()];
    const drag = { commit, discard };
    const nudges = new Nudges<number>(kept);
    for (const k of [1, 2, 3]) {
      nudges.go(drag, k);
      vi.advanceTimersByTime(300);
    }
    expect(commit).not.toHaveBeenCalled();
    vi.advanceTimersByTime(200);
    expect([commit.mock.calls.length, kept.mock.calls]).toEqual([1, [[3]]]);
    nudges.settle(); // there is nothing more
    nudges.go(drag, 4);
    expect(nudges.giveUp()).toBe(true);
    expect(nudges.giveUp()).toBe(false);
    vi.advanceTimersByTime(500);
    expect([commit.mock.calls.length, discard.mock.calls.length]).toEqual([1, 1]);
  });
});
