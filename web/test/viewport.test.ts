import { gridUnit } from "../src/viewport/ground/environment";
import { describe, expect, it } from "vitest";
import { Clip } from "../src/store/clip";
import { axesOf, facingOf, fitted, framedPoints, turned, type Vec } from "../src/viewport/camera/framing";
import { ghostTimes } from "../src/viewport/body/ghosts";
import { between, distance, locate, on } from "../src/viewport/body/place";
import { trailPoints } from "../src/viewport/ground/pointpath";
import { shapeOf, slimmed, type Volume } from "../src/viewport/body/shape";

type Point = [number, number, number];

function clipOf(frames: Point[][], fps = 10): Clip {
  const times = Float32Array.from(frames, (_, k) => k / fps);
  return new Clip(Float32Array.from(frames.flat(2)), null, times, fps, []);
}

/** A person of 1.75 m who faces +Z, with two roles a limb and arms that hang. */
const PERSON: [role: string, parent: number, at: Point][] = [
  ["hips", -1, [0, 0.95, 0]],
  ["spine", 0, [0, 1.1, 0]],
  ["chest", 1, [0, 1.25, 0]],
  ["neck", 2, [0, 1.5, 0]],
  ["head", 3, [0, 1.58, 0]],
  ...(["left", "right"] as const).flatMap((side, n): [string, number, Point][] => {
    const x = n === 0 ? 1 : -1;
    const first = 5 + 7 * n;
    return [
      [`${side}_upper_leg`, 0, [0.1 * x, 0.92, 0]],
      [`${side}_lower_leg`, first, [0.1 * x, 0.5, 0]],
      [`${side}_foot`, first + 1, [0.1 * x, 0.08, 0]],
      [`${side}_toe`, first + 2, [0.1 * x, 0.02, 0.14]],
      [`${side}_upper_arm`, 2, [0.19 * x, 1.42, 0]],
      [`${side}_lower_arm`, first + 4, [0.2 * x, 1.14, 0]],
      [`${side}_hand`, first + 5, [0.2 * x, 0.88, 0]],
    ];
  }),
];
const person = {
  roles: PERSON.map(([role]) => role),
  parents: PERSON.map(([, parent]) => parent),
  ends: [],
  ground: 0,
};
const standing = PERSON.map(([, , at]) => at);

const plain = (parents: number[], ends: number[] = []) =>
  ({ parents, ends, roles: parents.map(() => null), ground: 0 });

describe("the shape of a body", () => {
  const sound = ({ startRadius, endRadius, width }: Volume): boolean =>
    startRadius > 0 && endRadius > 0 && Number.isFinite(startRadius + endRadius + width);

  it("gives a person human proportions, the same on both sides", () => {
    const { volumes, size } = shapeOf(person, clipOf([standing, standing]));
    expect(size).toBeCloseTo(1.75, 1);
    expect(volumes.every(sound)).toBe(true);
    const from = (role: string): Volume => {
      const j = person.roles.indexOf(role);
      return volumes.find((v) => v.start.length === 1 && v.start[0]![0] === j && v.endJoint !== j)!;
    };
    for (const part of ["upper_leg", "lower_leg", "upper_arm", "lower_arm"])
      expect(from(`left_${part}`).startRadius).toBeCloseTo(from(`right_${part}`).startRadius);
    expect(from("left_upper_leg").startRadius).toBeGreaterThan(from("left_upper_leg").endRadius);
    expect(from("left_upper_leg").startRadius).toBeGreaterThan(from("left_upper_arm").startRadius);
  });

  it.each<[string, ReturnType<typeof plain>, Point[], number]>([
    ["one joint", plain([-1]), [[0, 1, 0]], 1],
    ["separate things", plain([-1, -1, -1]), [[0, 0, 0], [1, 0, 0], [2, 0, 0]], 3],
    ["a chain", plain([-1, 0, 1, 2], [3]), [[0, 0, 0], [0, 1, 0], [0, 2, 0], [0, 3, 0], [0, 4, 0]], 4],
    ["joints in one place", plain([-1, 0, 1]), [[0, 0, 0], [0, 0, 0], [0, 1, 0]], 1],
  ])("is sane for %s", (_, skeleton, pose, count) => {
    const { volumes, size } = shapeOf(skeleton, clipOf([pose, pose]));
    expect(volumes).toHaveLength(count);
    expect(volumes.every(sound)).toBe(true);
    expect(size).toBeGreaterThan(0);
  });

  it("tapers a chain towards its tip", () => {
    const chain: Point[] = [[0, 0, 0], [0, 1, 0], [0, 2, 0], [0, 3, 0]];
    const radii = shapeOf(plain([-1, 0, 1, 2]), clipOf([chain, chain])).volumes.map((v) => v.startRadius);
    expect(radii).toEqual([...radii].sort((a, b) => b - a));
  });

  it("draws no bone whose length changes: it only carries the body about", () => {
    const at = (x: number): Point[] => [[0, 0, 0], [x, 1, 0], [x, 2, 0]];
    expect(shapeOf(plain([-1, 0, 1]), clipOf([at(0), at(5)])).volumes).toHaveLength(1);
  });
});

describe("places on a body", () => {
  it("go on past the second point", () => {
    const out = [0, 0, 0];
    locate(between(on(0), on(1), 1.5), [0, 0, 0, 2, 0, 4], out);
    expect(out).toEqual([3, 0, 6]);
    expect(distance(on(0), on(1), [0, 0, 0, 3, 4, 0])).toBe(5);
  });
});

describe("facing", () => {
  it("is ahead of left and right hips", () => {
    expect(facingOf(person.roles, standing.flat())).toEqual([expect.closeTo(0), 0, expect.closeTo(1)]);
    const turnedLeft = standing.map(([x, y, z]): Point => [z, y, -x]);
    expect(facingOf(person.roles, turnedLeft.flat())).toEqual([expect.closeTo(1), 0, expect.closeTo(0)]);
  });

  it("is +Z where sides are not known", () => {
    expect(facingOf([null, null], [0, 0, 0, 1, 0, 0])).toEqual([0, 0, 1]);
  });

  it("turns to its own left", () => {
    const [x, y, z] = turned([0, 0, 1], Math.PI / 2, 0);
    expect([x, y, z]).toEqual([expect.closeTo(1), 0, expect.closeTo(0)]);
  });
});

describe("framing", () => {
  const directions: Vec[] = [[0, 0, 1], turned([0, 0, 1], 0.8, 0.3), turned([1, 0, 0], 2, 1.4)];

  it.each(directions)("sees every point, and touches two sides, from %f %f %f", (...direction) => {
    const points = Float32Array.from({ length: 300 }, (_, k) => Math.sin(12.9 * k) * (k % 3 === 1 ? 2 : 1));
    const [tanX, tanY] = [0.4, 0.25];
    const { eye, target } = fitted(points, 0, direction, tanX, tanY);
    const { right, up } = axesOf(direction);
    const along = (p: ArrayLike<number>, k: number, axis: Vec): number =>
      (p[k]! - eye[0]) * axis[0] + (p[k + 1]! - eye[1]) * axis[1] + (p[k + 2]! - eye[2]) * axis[2];
    let widest = 0;
    for (let k = 0; k < points.length; k += 3) {
      const depth = -along(points, k, direction);
      expect(depth).toBeGreaterThan(0);
      widest = Math.max(widest, Math.abs(along(points, k, right)) / depth / tanX,
        Math.abs(along(points, k, up)) / depth / tanY);
    }
    expect(widest).toBeCloseTo(1, 4);
    expect(-along([...target], 0, direction)).toBeGreaterThan(0);
  });

  it("takes the whole of a motion that stays, and what is near of one that travels", () => {
    const walk = (length: number): Clip => clipOf(Array.from({ length: 101 }, (_, k) => [[(length * k) / 100, 0, 0]]));
    const span = (clip: Clip): number[] => {
      const { points } = framedPoints([{ clip, x: 0, z: 0 }], [on(0)], 1.7, 5);
      const x = Array.from(points).filter((_, k) => k % 3 === 0);
      return [Math.min(...x), Math.max(...x)];
    };
    expect(span(walk(2))).toEqual([0, 2]);
    expect(span(walk(20))).toEqual([expect.closeTo(9, 3), expect.closeTo(11, 3)]);
  });
});

describe("what is shown round the playhead", () => {
  it("has ghosts at the nearest keytimes, else at regular times, within the clip", () => {
    expect(ghostTimes(1, [], 0, 1.3)).toEqual([0.75, 1.25, 0.5]);
    expect(ghostTimes(1, [0.2, 1, 1.6], 0, 2)).toEqual([1.6, 0.2]);
  });

  it("has trails of the hands, else of the ends that travel farthest", () => {
    const clip = clipOf([standing, standing]);
    expect(trailPoints(person, clip).map((j) => person.roles[j])).toEqual(["left_hand", "right_hand"]);
    const moving = clipOf([[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 0, 0], [2, 0, 0], [0, 4, 0], [0, 0, 1]]]);
    expect(trailPoints(plain([-1, 0, 0, 0]), moving)).toEqual([2, 1]);
  });
});

it("the grid fits the figure", () => {
  expect([0.02, 0.3, 1.2, 1.7, 2.2, 9, 40].map(gridUnit)).toEqual([0.01, 0.1, 1, 1, 1, 5, 20]);
});

it("ghosts of a mesh are as slim as the mesh", () => {
  const volume = { startRadius: 0.3, endRadius: 0.02 } as Volume;
  const { volumes } = slimmed({ volumes: [volume], size: 1, points: 2 }, 0.1);
  expect([volumes[0]!.startRadius, volumes[0]!.endRadius]).toEqual([0.1, 0.02]);
  const flat = slimmed({ volumes: [volume], size: 1, points: 2 }, 0);
  expect([flat.volumes[0]!.startRadius, flat.volumes[0]!.endRadius]).toEqual([0.3, 0.02]);
});
