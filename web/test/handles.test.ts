/** Handles of a pose, timing layers and live plots: what they compute, without a page. */

import { describe, expect, it } from "vitest";
import { scoreRows, sayLate } from "../src/timeline/live/live_score";
import { beyond, lateBounds } from "../src/timeline/live/live_plots";
import { layerOf, layerScale, scaleLabel, stripHeight, togetherOf } from "../src/timeline/layers/layer_values";
import type { RetimedClip } from "../src/store/clip";
import { reachOf, turnOf, withEdit, type PoseDocument } from "../src/viewport/poses/pose_edit";
import {
  alongLine, angleAbout, distance, dot, onPlane, pixelsToSegment, quatOf, ringPlaces, seenFrom, turnedOn, turnInParent,
  unit, vectorOf, wrapped, type Point, type Quat,
} from "../src/viewport/poses/pose_math";
import { timeUnit } from "../src/words/units";
import { chainTo, missInWords, type Miss } from "../src/viewport/poses/pose_miss";

const near = (a: readonly number[], b: readonly number[], digits = 6): void =>
  a.forEach((value, k) => expect(value).toBeCloseTo(b[k]!, digits));

const multiply = ([aw, ax, ay, az]: Quat, [bw, bx, by, bz]: Quat): Quat => [
  aw * bw - ax * bx - ay * by - az * bz,
  aw * bx + ax * bw + ay * bz - az * by,
  aw * by - ax * bz + ay * bw + az * bx,
  aw * bz + ax * by - ay * bx + az * bw,
];

describe("turns", () => {
  const parents: Quat[] = [[1, 0, 0, 0], quatOf([0, 90, 0]), quatOf([30, -50, 110])];

  it.each(parents)("in a parent's axes are the same turn in the world: %j %j %j %j", (...parent: number[]) => {
    const q = parent as unknown as Quat;
    const local = quatOf([12, 40, -7]);
    const axis = unit([0.3, -1, 0.5]);
    const by = turnInParent(axis, 0.7, q);
    const degrees = [...axis].map((v) => (v * 0.7 * 180) / Math.PI) as unknown as Point;
    const asked = multiply(quatOf(degrees), multiply(q, local));
    const made = multiply(q, multiply(quatOf(by), local));
    near(made, asked);
  });

  it("about a parent's own axis keep their numbers", () => {
    near(turnInParent([0, 1, 0], Math.PI / 2, quatOf([0, 37, 0])), [0, 90, 0]);
    // A parent that is turned by a quarter about Y calls the world's Z its own -X.
    near(turnInParent([0, 0, 1], Math.PI / 2, quatOf([0, 90, 0])), [-90, 0, 0]);
    near(seenFrom(quatOf([0, 90, 0]), [1, 0, 0]), [0, 0, 1]);
  });

  it("follow one another", () => {
    near(turnedOn([0, 30, 0], [0, 45, 0]), [0, 75, 0]);
    near(turnedOn([10, 20, 30], [0, 0, 0]), [10, 20, 30]);
    const both = turnedOn([90, 0, 0], [0, 0, 90]);
    near(quatOf(both), multiply(quatOf([0, 0, 90]), quatOf([90, 0, 0])));
  });

  const vectors = [[0, 0, 0], [1e-7, 0, 0], [179, 0, 0], [-20, 110, 64]];
  it.each(vectors)("%j %j %j come back from a quaternion", (...v: number[]) => {
    near(vectorOf(quatOf(v as unknown as Point)), v, 4);
  });
});

describe("what the pointer means in space", () => {
  const down = (x: number, y: number, z = 5): { origin: Point; direction: Point } =>
    ({ origin: [x, y, z], direction: [0, 0, -1] });

  it("is the nearest place on a line", () => {
    expect(alongLine(down(2, 7), [0, 0, 0], [1, 0, 0])).toBeCloseTo(2);
    expect(alongLine({ origin: [0, 0, 5], direction: unit([1, 1, -5]) }, [0, 1, 0], [1, 0, 0])).toBeCloseTo(1);
  });

  it("is nothing along a line or a plane that is seen end on", () => {
    expect(alongLine(down(0, 0), [0, 0, 0], [0, 0, 1])).toBeNull();
    expect(onPlane(down(0, 0), [0, 0, 0], [1, 0, 0])).toBeNull();
    expect(onPlane(down(0, 0), [0, 0, 9], [0, 0, 1])).toBeNull(); // behind the eye
  });

  it("is where the ray meets a plane", () => {
    near(onPlane(down(0.2, -0.4), [1, 1, 1], [0, 0, 1])!, [0.2, -0.4, 1]);
  });

  it("is an angle about an axis, with its sign", () => {
    expect(angleAbout([0, 0, 0], [0, 0, 1], [1, 0, 3], [0, 2, -1])).toBeCloseTo(Math.PI / 2);
    expect(angleAbout([1, 1, 0], [0, 0, -1], [2, 1, 0], [1, 2, 0])).toBeCloseTo(-Math.PI / 2);
    expect(wrapped(1.9 * Math.PI)).toBeCloseTo(-0.1 * Math.PI);
  });

  it("meets rings of one radius at right angles to their axis", () => {
    for (const axis of [[1, 0, 0], [0, 1, 0], unit([1, 2, 3])] as Point[]) {
      const ring = ringPlaces([1, 2, 3], axis, 0.4, 16);
      expect(ring).toHaveLength(17);
      near(ring[0]!, ring[16]!);
      for (const p of ring) {
        expect(distance(p, [1, 2, 3])).toBeCloseTo(0.4);
        expect(dot([p[0] - 1, p[1] - 2, p[2] - 3], axis)).toBeCloseTo(0);
      }
    }
  });

  it("is so many pixels from a line on screen", () => {
    expect(pixelsToSegment({ x: 5, y: 3 }, { x: 0, y: 0 }, { x: 10, y: 0 })).toBe(3);
    expect(pixelsToSegment({ x: 13, y: 4 }, { x: 0, y: 0 }, { x: 10, y: 0 })).toBe(5);
    expect(pixelsToSegment({ x: 3, y: 4 }, { x: 0, y: 0 }, { x: 0, y: 0 })).toBe(5);
  });
});

describe("edits of a pose", () => {
  const jitter: PoseDocument = { do: "jitter", seconds: 0.1 };

  it("replace the last one of the same joint, pose and kind, and are added else", () => {
    const first = reachOf(3, "RightHand", [1, 1, 0], "pose");
    const again = reachOf(3, "RightHand", [1, 1.2, 0], "pose");
    expect(withEdit([jitter], first, "RightHand")).toEqual([jitter, first]);
    expect(withEdit([jitter, first], again, "RightHand")).toEqual([jitter, again]);
    for (const other of [
      reachOf(4, "RightHand", [1, 1, 0], "pose"), reachOf(3, "LeftHand", [1, 1, 0], "pose"),
      reachOf(3, "RightHand", [1, 1, 0], "extreme"), turnOf(3, "RightHand", [1, 1, 0], "pose"),
    ]) expect(withEdit([other], again, "RightHand")).toEqual([other, again]);
    expect(withEdit([first, jitter], again, "RightHand")).toEqual([first, jitter, again]);
  });

  it("leave one that is muted, or of several joints, alone", () => {
    const first = reachOf(3, "a", [1, 1, 0], "pose");
    expect(withEdit([{ ...first, mute: true }], first, "a")).toHaveLength(2);
    expect(withEdit([{ ...first, targets: { a: [0, 0, 0], b: [0, 0, 0] } }], first, "a")).toHaveLength(2);
  });

  it("are written to a tenth of a millimetre, and to a thousandth of a degree", () => {
    expect(reachOf(0, "a", [1 / 3, 0, 0], "pose")["targets"]).toEqual({ a: [0.3333, 0, 0] });
    expect(turnOf(0, "a", [1 / 3, 0, 0], "pose")).toEqual(
      { do: "turn", joints: { a: [0.333, 0, 0] }, poses: [0], when: "pose" });
  });
});

describe("what a limb falls short of", () => {
  const miss: Miss = { by: 0.0004, stretched: false, held: false, limb: "arm", when: "pose" };

  it("is said with its reason", () => {
    expect(missInWords(miss)).toBe("on target, 0.4 mm");
    expect(missInWords({ ...miss, by: 0.12, stretched: true })).toBe("0.12 m short: the arm is stretched");
    expect(missInWords({ ...miss, by: 0.03, held: true })).toBe("30 mm off: a contact holds the foot");
    expect(missInWords({ ...miss, by: 0.03, when: "extreme" })).toMatch(/^30 mm off at this time/);
  });

  it("is measured along the limb", () => {
    const roles = ["hips", "chest", "right_upper_arm", "right_lower_arm", "right_hand", null];
    const parents = [-1, 0, 1, 2, 3, 4];
    expect(chainTo({ roles, parents }, 5)).toEqual([2, 3, 4, 5]);
    expect(chainTo({ roles: roles.map(() => null), parents }, 4)).toEqual([2, 3, 4]);
  });
});

describe("layers", () => {
  const scale = (low: number, high: number): [number, number] =>
    layerScale({ low: Float32Array.of(low), high: Float32Array.of(high) });

  it("have a round scale that holds them and zero", () => {
    near(scale(0, 0.98), [0, 1]);
    near(scale(-0.1, 0), [-0.1, 0]);
    near(scale(-0.03, 0.27), [-0.2, 0.4]);
    near(scale(2, 3), [0, 4]);
    near(scale(0, 0), [-0.01, 0.01]);
    near(layerScale(null), [-0.01, 0.01]);
    for (const [low, high] of [[-0.73, 1.9], [-12, 0.4], [0.0001, 0.0007]] as const) {
      const [a, b] = scale(low, high);
      expect(a).toBeLessThanOrEqual(Math.min(low, 0));
      expect(b).toBeGreaterThanOrEqual(high);
      expect(b - a).toBeLessThan(Math.max(4 * (high - Math.min(low, 0)), 0.05));
    }
  });

  it("say their scale with a sign and no more digits than it has", () => {
    expect(scaleLabel(0.4)).toBe("+0.4 s");
    expect(scaleLabel(-0.01)).toBe("−0.01 s");
    expect(scaleLabel(2)).toBe("+2 s");
    expect(scaleLabel(0)).toBe("0 s");
    timeUnit.value = "frames";
    const said = [scaleLabel(0.5), scaleLabel(-0.01)];
    timeUnit.value = "seconds";
    expect(said).toEqual(["+30 f", "−0.6 f"]); // at 60 fps
  });

  it("are read from a result by step; all together they are the warp less identity", () => {
    const blocks = new Map([
      ["layer_times", Float32Array.of(0, 1)], ["layer:s1", Float32Array.of(0, 0, 0, 0.5, 0.25, 0.75)],
      ["layer:s2", new Float32Array(6)],
    ]);
    const result = {
      block: (name: string) => blocks.get(name) ?? null,
      output: Float32Array.of(0, 2), source: Float32Array.of(0, 3),
    } as unknown as RetimedClip;
    const layer = layerOf(result, "s1")!;
    expect([...layer.body, ...layer.low, ...layer.high]).toEqual([0, 0.5, 0, 0.25, 0, 0.75]);
    expect(layer.flat).toBe(false);
    expect(layerOf(result, "s2")!.flat).toBe(true);
    expect(layerOf(result, "muted")).toBeNull();
    expect([...togetherOf(result).body]).toEqual([0, 1]);
  });

  it("share the room, and no strip is too low to read or taller than it needs", () => {
    expect(stripHeight(300, 4)).toBe(75);
    expect(stripHeight(300, 20)).toBe(46);
    expect(stripHeight(300, 1)).toBe(92);
  });
});

describe("following live", () => {
  it("marks the stretches that are noticed, and none that was not judged", () => {
    const times = [0, 1, 2, 3, 4, 5];
    expect(beyond(times, [0, 0.2, 0.3, 0, NaN, -0.4])).toEqual([[1, 3], [5, 5]]);
    expect(beyond(times, times.map(() => NaN))).toEqual([]);
  });

  it("shows what is noticed at least, and all of what there is", () => {
    expect(lateBounds([0.01, NaN])).toEqual([-200, 200]);
    expect(lateBounds([1.162, -0.31])).toEqual([-400, 1200]);
  });

  it("is scored in words", () => {
    expect(scoreRows({ mean_error_ms: 602.9, on_time_share: 0.11, rate: 0.7253 })).toEqual([
      ["Mean", "603 ms"], ["Median", "–"], ["Worst", "–"], ["On time", "11 %"], ["Judged", "–"], ["Rate", "0.73×"],
    ]);
    expect(sayLate(0.0204)).toBe("20 ms late");
    expect(sayLate(-0.0204)).toBe("20 ms early");
    expect(sayLate(0)).toBe("on time");
  });
});
