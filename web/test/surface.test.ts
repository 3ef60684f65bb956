import { describe, expect, test } from "vitest";
import { turnBetween, turnedBy } from "../src/panels/surface/heading";
import { degreeFor, withDrag } from "../src/panels/surface/joints";
import { shares } from "../src/panels/surface/reach";
import { cutNote, widenedNote } from "../src/panels/surface/notes";
import { ahead, dragged, jointTitle, keyWords, shifted } from "../src/words/surface_keys";
import { Clip, type RetimedClip } from "../src/store/clip";
import {
  dragsOf, fadeThatFits, farthestOf, rangeOf, roomAt, shiftRoom, sigmaOf, spanOf, surfaceKeysOf, timeRoom,
  withChanges, withJoint, withShift, type SurfaceKey, type Vector,
} from "../src/store/surface";
import { busiestLimb } from "../src/store/selection";
import { niceSpan } from "../src/timeline/joints/joint_plot";
import { curvesOf } from "../src/timeline/joints/joint_scene";
import { shorterFade } from "../src/timeline/joints/surface_edits";
import { thin } from "../src/timeline/plot/thinning";
import { alongLine, handleOf, nearest, onFrame, ridden, type Point } from "../src/viewport/surface/surface_geometry";
import { nearestJoint } from "../src/viewport/select/nearest_joint";
import type { SurfaceKeyView } from "../src/protocol";

const BODY = {
  joints: ["Hips", "Spine", "RightHand", "LeftHand", "Prop"],
  roles: ["hips", "chest", "right_hand", "left_hand", null],
  parents: [-1, 0, 1, 1, 2],
  limbs: [null, null, "right_arm", "left_arm", null],
};
const HANDS: SurfaceKey = {
  time: 2.73, joint: "RightHand", shift: -0.16, control_points: [{ joint: "LeftHand", shift: -0.16 }],
};
const CLIP: [number, number] = [0, 4];

describe("words", () => {
  test("say earlier and later, not signs", () => {
    expect(shifted(-0.16)).toBe("0.16 s earlier");
    expect(shifted(0.1234)).toBe("0.123 s later");
    expect(shifted(0)).toBe("at its own time");
    expect(ahead(0.16)).toBe("0.16 s ahead");
    expect(ahead(-0.004)).toBe("0.004 s behind");
    expect(ahead(0)).toBe("on time");
  });

  test("name joints as people do", () => {
    expect(jointTitle(BODY, "RightHand")).toBe("Right hand");
    expect(jointTitle(BODY, "Prop")).toBe("Prop");
    expect(dragged(BODY, HANDS)).toBe("Hands");
    expect(keyWords(BODY, { time: 1, joint: "LeftHand", shift: 0.2 })).toBe("Left hand 0.20 s later");
    expect(dragged(BODY, { ...HANDS, control_points: [{ joint: "Hips", shift: 0.1 }] })).toBe("Right hand and 1 more");
    const held = [{ joint: "Hips", shift: 0 }];
    expect(dragged(BODY, { ...HANDS, control_points: held })).toBe("Right hand");
    expect(dragged(BODY, { time: 1, point: [0, 1] })).toBe("The point");
  });
});

describe("keys", () => {
  test("a step of another method has none", () => {
    expect(surfaceKeysOf(null)).toEqual([]);
    expect(surfaceKeysOf({ id: "s", method: "stagger", parameters: { keys: [1] } })).toEqual([]);
  });

  test("null brings a default back", () => {
    expect(withChanges(HANDS, { gamma: 0.4, control_points: null })).toEqual({
      time: 2.73, joint: "RightHand", shift: -0.16, gamma: 0.4,
    });
    expect(sigmaOf({ time: 0 })).toEqual([0.25, 0.25]);
    expect(sigmaOf({ time: 0, sigma: 0.4 })).toEqual([0.4, 0.4]);
  });

  test("both hands go on together", () => {
    expect(withShift(HANDS, -0.2)).toEqual({ shift: -0.2, control_points: [{ joint: "LeftHand", shift: -0.2 }] });
    const held = { ...HANDS, control_points: [{ joint: "Hips", shift: 0 }] };
    expect(withShift(held, -0.2).control_points).toEqual([{ joint: "Hips", shift: 0 }]);
    expect(farthestOf(held)).toBe(-0.16);
  });

  test("another joint takes the drag over", () => {
    const made = withChanges(HANDS, withJoint(HANDS, "Hips"));
    expect(made).toEqual({ time: 2.73, joint: "Hips", shift: -0.16 });
    const polynomial: SurfaceKey = { ...HANDS, shape: "polynomial", degree: 1 };
    const alone = withChanges(polynomial, withJoint(polynomial, "LeftHand")); // its only other drag is now its own
    expect(alone.shape).toBeUndefined();
    expect(dragsOf(withChanges(polynomial, withJoint(polynomial, "Hips"))).length).toBe(2);
  });

  test("a polynomial has fewer degrees than drags", () => {
    expect(degreeFor(HANDS, 2)).toBe(1);
    expect(degreeFor({ ...HANDS, degree: 2 }, 5)).toBe(2);
    expect(withDrag(HANDS, "Hips").control_points).toHaveLength(2);
  });
});

describe("room", () => {
  test("a range reaches from the earliest drag less the fade to the latest and the fade", () => {
    expect(rangeOf(HANDS).map((t) => +t.toFixed(2))).toEqual([2.27, 3.03]);
    const view = { start: 2.2, end: 3.1, time: 2.73 } as SurfaceKeyView;
    expect(spanOf({ ...HANDS, time: 2.83 }, view)[0]).toBeCloseTo(2.3);
  });

  test("a key stops where its range meets another's, but goes on to the clip's ends", () => {
    const [low, high] = timeRoom(HANDS, [0, 3.2], CLIP);
    expect(low).toBe(0);
    expect(high).toBeCloseTo(2.9);
    expect(timeRoom(HANDS, [2.5, 2.9], CLIP)).toEqual([2.73, 2.73]); // no room, and no jump
    const [least, most] = shiftRoom(HANDS, [2, 4], CLIP);
    expect(least).toBeCloseTo(2.3 - 2.73);
    expect(most).toBeCloseTo(1.27);
  });

  test("a new key is refused inside a range and fades faster beside one", () => {
    const spans: [number, number][] = [[1, 1.5], [2.2, 3]];
    expect(roomAt(1.2, spans, CLIP)).toEqual({ taken: 0 });
    expect(roomAt(1.8, spans, CLIP)).toEqual({ room: [1.5, 2.2] });
    expect(fadeThatFits(0.5, [0, 1], CLIP)).toBe(0.3);
    expect(fadeThatFits(1.6, [1.5, 2.2], CLIP)).toBeCloseTo(0.1);
    expect(fadeThatFits(1.52, [1.5, 2.2], CLIP)).toBeNull();
  });

  test("a shorter fade lets a refused key go on", () => {
    expect(shorterFade(HANDS, 2.95, 3.2, 1)).toBeCloseTo(0.25);
    expect(shorterFade(HANDS, 2.5, 2.2, -1)).toBeCloseTo(0.14);
    expect(shorterFade(HANDS, 3.19, 3.2, 1)).toBeNull();
  });

  test("notes say what was widened and what was cut", () => {
    expect(widenedNote(HANDS, { start: 2.27, end: 3.03 })).toBeNull();
    expect(widenedNote(HANDS, { start: 2.17, end: 3.03 })).toContain("from 0.30 s to 0.40 s");
    expect(cutNote(HANDS, -0.16)).toBeNull();
    expect(cutNote(HANDS, -0.1)).toContain("Only 0.10 s of 0.16 s");
  });
});

describe("geometry", () => {
  const along: Point = [1, 0, 0];
  test("the pointer's ray is projected on the line of time", () => {
    expect(alongLine([0.3, 0, 5], [0, 0, -1], [0, 0, 0], along)).toBeCloseTo(0.3);
    expect(alongLine([0.3, 2, 5], [0, 0, -1], [0.1, 0, 0], along)).toBeCloseTo(0.2); // beside the line
    const slanted: Point = [Math.SQRT1_2, 0, -Math.SQRT1_2];
    expect(alongLine([0, 0, 1], slanted, [0, 0, 0], along)).toBeCloseTo(1);
    expect(Math.abs(alongLine([-5, 0.01, 0], along, [0, 0, 0], along))).toBeLessThan(1e-6); // seen along time
  });

  test("joints ride on the sheet, the handle with them", () => {
    const plane = { along: [1, 0, 0], across: [0, 0, 1], up: [0, 1, 0], base: [1, 1, 1], pace: 2 };
    const view = plane as unknown as SurfaceKeyView;
    const places = new Float32Array([0, 0, 0, 0, 1, 0.5]);
    expect(ridden(places, 1, -0.1, view)).toEqual([-0.2, 1, 0.5]);
    expect(handleOf({ time: 0, joint: "x", shift: 0.5 }, view, places, 1)).toEqual([1, 1, 0.5]);
    expect(handleOf({ time: 0, point: [0.5, 0.25], shift: 0 }, view, places, -1)).toEqual([1, 1.25, 1.5]);
  });

  test("the nearest place within reach", () => {
    const places = [{ x: 0, y: 0 }, { x: 10, y: 0 }];
    expect(nearest(places, 6, 0, 12)).toBe(1);
    expect(nearest(places, 40, 0, 12)).toBe(-1);
    expect(onFrame(2.4999, 0, 120)).toBeCloseTo(2.5);
  });

  test("directions turn from the heading and back", () => {
    const heading: Vector = [0, 0, 1];
    for (const degrees of [0, 45, 90, -120])
      expect(turnBetween(heading, turnedBy(heading, degrees))).toBeCloseTo(degrees, 1);
  });
});

describe("the plot", () => {
  const clip = (frames: number, joints: number, value: (f: number, j: number) => number): RetimedClip => {
    const rows = Float32Array.from({ length: frames * joints }, (_, k) => value(Math.floor(k / joints), k % joints));
    const times = Float32Array.from({ length: frames }, (_, f) => f / 120);
    const part = { frames, times, start: 0, end: times[frames - 1]!, block: () => rows };
    return part as unknown as RetimedClip;
  };

  test("curves are by joint, with still ones marked", () => {
    const curves = curvesOf(clip(5, 2, (f, j) => (j ? 0.1 * f : 0)))!;
    expect(curves.columns[1]![4]).toBeCloseTo(0.4);
    expect(curves.still).toEqual([true, false]);
    expect([curves.least, +curves.most.toFixed(3)]).toEqual([0, 0.4]);
  });

  test("a hundred thousand frames are thinned to the pixels", () => {
    const curves = curvesOf(clip(100_000, 3, (f, j) => (j && f === 54_321 ? 0.3 : 0)))!;
    const kept = thin(curves.clip.times, curves.columns[1]!, 0, 100_000 / 120, 1000);
    expect(kept.length).toBeLessThan(4100);
    expect(kept).toContain(54_321); // a peak of one frame is seen
  });

  test("bounds are round, hold zero, and stay while a drag grows a little", () => {
    expect(niceSpan(0, 0)).toEqual([-0.1, 0.1]);
    expect(niceSpan(0, 0.16)).toEqual([0, 0.2]);
    expect(niceSpan(0, 0.17)).toEqual(niceSpan(0, 0.16));
    const [low, high] = niceSpan(-0.31, 0.02);
    expect(low).toBeLessThanOrEqual(-0.31);
    expect(high).toBeGreaterThanOrEqual(0.02);
  });
});

describe("reach", () => {
  test("sides that feel the same are one row, and still limbs too", () => {
    const rows = shares(BODY, [0, 0.5, 1, 1, 0.9]);
    expect(rows.map((r) => r.title)).toEqual(["Hands", "Chest", "Hips"]);
    expect(shares(BODY, [0, 0, 1, 0.2, 0]).map((r) => r.title).slice(0, 2)).toEqual(["Right hand", "Left hand"]);
    expect(shares(BODY, [0, 0, 0, 0, 0])[0]).toMatchObject({ title: "Arms", share: 0 });
  });

  test("a figure without roles has limbs", () => {
    const plain = { ...BODY, roles: BODY.roles.map(() => null) };
    expect(shares(plain, [0, 0, 1, 0, 0.5]).find((r) => r.limb === "right_arm")?.share).toBe(1);
  });
});

describe("the selection", () => {
  test("without one, the limb that moves most as the body sees it", () => {
    // The root and the right hand (1) go along together; the left hand (2) stands in space.
    const at = (t: number): number[] => [t, 0, 0, t + 1, 0, 0, -1, 0, 0];
    const clip = new Clip(new Float32Array([0, 1, 2].flatMap(at)), null, new Float32Array([0, 0.1, 0.2]), 10, []);
    const ends = new Map([["right_arm", 1], ["left_arm", 2]] as const);
    expect(busiestLimb(clip, 0.1, ends, 0)).toBe("left_arm");
  });
  test("a click means the joint under it, else the one that turns the bone", () => {
    const spots = [{ x: 0, y: 0 }, { x: 0, y: 100 }, { x: 0, y: 160 }, null];
    const parents = [-1, 0, 1, 2];
    const clicked = [{ x: 2, y: 96 }, { x: 8, y: 50 }, { x: 5, y: 130 }, { x: 60, y: 50 }];
    expect(clicked.map((at) => nearestJoint(at, spots, parents))).toEqual([1, 0, 1, null]);
  });
});
