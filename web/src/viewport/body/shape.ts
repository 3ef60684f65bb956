/** The volumes of a body: rounded cones between places of its skeleton. */

import type { Clip } from "../../store/clip";
import { extent, measureBones, type Bones, type Skeleton } from "./bones";
import { humanVolumes } from "./human";
import { on, type Place } from "./place";

export interface Volume {
  start: Place;
  end: Place;
  startRadius: number;
  endRadius: number;
  /** Joints whose load colours either end. */
  startJoint: number;
  endJoint: number;
  /** How many times wider than deep it is, along the line between two points; 1 is round. */
  width: number;
  left: number;
  right: number;
}

export interface Shape {
  volumes: Volume[];
  /** Stature of a person, or the longest side of anything else, metres. */
  size: number;
  points: number;
}

/** What stands alone and has no size of its own is drawn as a ball of this radius, metres. */
const LONE_RADIUS = 0.1;
/** A bone is at most this much of its length thick, whatever hangs on it. */
const STOUTEST = 0.3;

export function shapeOf(skeleton: Skeleton, clip: Clip): Shape {
  const bones = measureBones(skeleton, clip);
  const human = humanVolumes(skeleton, bones);
  if (human) return { ...human, points: clip.points };
  const size = extent(bones.pose);
  return { volumes: plainVolumes(bones, size), size: size || 2 * LONE_RADIUS, points: clip.points };
}

/**
 * Volumes of a skeleton nobody knows: like a tree's branches, each is as thick as what it carries is long.
 */
function plainVolumes(bones: Bones, size: number): Volume[] {
  const carried = bones.lengths.map((length, k) => (bones.rigid[k] ? length : 0));
  for (let k = carried.length - 1; k >= 0; k--) {
    const parent = bones.parents[k]!;
    if (parent >= 0) carried[parent]! += carried[k]!;
  }
  const whole = Math.max(...carried, 1e-9);
  const radius = (k: number): number => 0.055 * size * Math.sqrt(carried[k]! / whole);
  const volumes: Volume[] = [];
  bones.parents.forEach((parent, k) => {
    const length = bones.lengths[k]!;
    if (parent < 0 || !bones.rigid[k] || length < 0.004 * size) return;
    const most = STOUTEST * length;
    const next = Math.max(0.006 * size, ...bones.children[k]!.map(radius));
    volumes.push(round(on(parent), on(k), Math.min(radius(k), most), Math.min(next, most), parent, k));
  });
  if (volumes.length) return volumes;
  // No bones: each root is a ball.
  return bones.parents.flatMap((parent, k) =>
    parent < 0 ? [round(on(k), on(k), size / 12 || LONE_RADIUS, size / 12 || LONE_RADIUS, k, k)] : [],
  );
}

/** The shape with no volume thicker than this radius: ghosts of a mesh stay as slim as the mesh, unless it is flat. */
export function slimmed(shape: Shape, most: number): Shape {
  if (!(most > 0)) return shape;
  const volumes = shape.volumes.map((volume) => ({
    ...volume, startRadius: Math.min(volume.startRadius, most), endRadius: Math.min(volume.endRadius, most),
  }));
  return { ...shape, volumes };
}

export function round(
  start: Place, end: Place, startRadius: number, endRadius: number, startJoint: number, endJoint: number,
): Volume {
  return { start, end, startRadius, endRadius, startJoint, endJoint, width: 1, left: 0, right: 0 };
}
