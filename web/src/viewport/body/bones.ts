/** How long a skeleton's bones are, and what hangs on what. */

import type { MotionHeader } from "../../protocol";
import type { Clip } from "../../store/clip";

/** Lengths are judged on this many frames. */
const JUDGED_FRAMES = 8;
/** A bone whose length changes by more than this share carries the body about: it is no part of it. */
const MOST_STRETCH = 0.25;

export type Skeleton = Pick<MotionHeader, "parents" | "ends" | "roles" | "ground">;

export interface Bones {
  /** Each point's parent joint, -1 for roots: joints first, then end sites. */
  parents: number[];
  children: number[][];
  /** Length of the bone that ends in each point, metres. */
  lengths: number[];
  /** Whether that bone keeps its length. */
  rigid: boolean[];
  /** A pose from the middle of the motion, (points, 3). */
  pose: Float32Array;
}

export function measureBones(skeleton: Skeleton, clip: Clip): Bones {
  const parents = [...skeleton.parents, ...skeleton.ends].slice(0, clip.points);
  const children: number[][] = parents.map(() => []);
  parents.forEach((p, k) => p >= 0 && children[p]!.push(k));
  const pose = new Float32Array(3 * clip.points);
  const sums = parents.map(() => 0);
  const least = parents.map(() => Infinity);
  const most = parents.map(() => 0);
  for (let n = 0; n < JUDGED_FRAMES; n++) {
    clip.poseAt(clip.start + (clip.duration * n) / (JUDGED_FRAMES - 1), pose);
    parents.forEach((p, k) => {
      const length = p < 0 ? 0 : between(pose, p, k);
      sums[k]! += length / JUDGED_FRAMES;
      least[k] = Math.min(least[k]!, length);
      most[k] = Math.max(most[k]!, length);
    });
  }
  clip.poseAt(clip.start + clip.duration / 2, pose);
  const rigid = sums.map((mean, k) => most[k]! - least[k]! <= MOST_STRETCH * mean);
  return { parents, children, lengths: sums, rigid, pose };
}

export function between(pose: ArrayLike<number>, a: number, b: number): number {
  const i = 3 * a;
  const j = 3 * b;
  return Math.hypot(pose[i]! - pose[j]!, pose[i + 1]! - pose[j + 1]!, pose[i + 2]! - pose[j + 2]!);
}

/** The points below a joint, nearest first. */
export function below(bones: Bones, joint: number): number[] {
  const out = [...bones.children[joint]!];
  for (let k = 0; k < out.length; k++) out.push(...bones.children[out[k]!]!);
  return out;
}

/** The largest side of the box round a pose. */
export function extent(pose: ArrayLike<number>): number {
  let most = 0;
  for (let axis = 0; axis < 3; axis++) {
    let low = Infinity;
    let high = -Infinity;
    for (let k = axis; k < pose.length; k += 3) {
      low = Math.min(low, pose[k]!);
      high = Math.max(high, pose[k]!);
    }
    if (high > low) most = Math.max(most, high - low);
  }
  return most;
}
