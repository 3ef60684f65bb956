/** Where to look from, and how far away, so that bodies are in the picture. Nothing here knows of WebGL. */

import type { Clip } from "../../store/clip";
import { locate, type Place } from "../body/place";

export type Vec = readonly [number, number, number];

/** Frames of each clip that are looked at. */
const SAMPLES = 48;
/** A motion that travels more than this many sizes is framed where it is now. */
const LONG = 3;
const WINDOW = 0.5; // seconds to either side of now, for those

/** Which way the body faces in a pose: level and of length 1; +Z where left and right are not known. */
export function facingOf(roles: readonly (string | null)[], pose: ArrayLike<number>): Vec {
  for (const part of ["upper_leg", "upper_arm", "shoulder"]) {
    const left = 3 * roles.indexOf(`left_${part}`);
    const right = 3 * roles.indexOf(`right_${part}`);
    if (left < 0 || right < 0) continue;
    const x = pose[left]! - pose[right]!;
    const z = pose[left + 2]! - pose[right + 2]!;
    const size = Math.hypot(x, z);
    if (size > 1e-3) return [-z / size, 0, x / size]; // what is to the left, turned about the vertical
  }
  return [0, 0, 1];
}

/** A level direction turned to its left by an angle, and raised by another, radians. */
export function turned(direction: Vec, left: number, up: number): Vec {
  const [x, , z] = direction;
  const level = Math.cos(up);
  return [
    level * (x * Math.cos(left) + z * Math.sin(left)),
    Math.sin(up),
    level * (z * Math.cos(left) - x * Math.sin(left)),
  ];
}

/** One clip to frame, shifted to the side. */
export interface Framed {
  clip: Clip;
  x: number;
  z: number;
}

export interface FramedPoints {
  points: Float32Array;
  /** The motion travels so far that only what is near now is framed. */
  travels: boolean;
}

/** Where places of the bodies are: over the whole clips, or near `t` if they travel far. */
export function framedPoints(
  clips: readonly Framed[], places: readonly Place[], size: number, t: number,
): FramedPoints {
  const whole = sampled(clips, places, -Infinity, Infinity);
  if (levelSpan(whole) <= LONG * size) return { points: whole, travels: false };
  return { points: sampled(clips, places, t - WINDOW, t + WINDOW), travels: true };
}

function sampled(clips: readonly Framed[], places: readonly Place[], from: number, to: number): Float32Array {
  const out = new Float32Array(3 * clips.length * places.length * SAMPLES);
  let at = 0;
  for (const { clip, x, z } of clips) {
    const pose = new Float32Array(3 * clip.points);
    const a = Math.min(Math.max(from, clip.start), clip.end);
    const b = Math.max(Math.min(to, clip.end), clip.start);
    for (let n = 0; n < SAMPLES; n++) {
      clip.poseAt(a + ((b - a) * n) / (SAMPLES - 1), pose);
      for (const place of places) {
        locate(place, pose, out, at);
        out[at]! += x;
        out[at + 2]! += z;
        at += 3;
      }
    }
  }
  return out;
}

function levelSpan(points: Float32Array): number {
  let span = 0;
  for (const axis of [0, 2]) {
    let low = Infinity;
    let high = -Infinity;
    for (let k = axis; k < points.length; k += 3) {
      low = Math.min(low, points[k]!);
      high = Math.max(high, points[k]!);
    }
    span = Math.max(span, high - low);
  }
  return span;
}

export interface Fit {
  eye: Vec;
  target: Vec;
}

/**
 * The nearest eye that looks against `direction` and sees all points, each with a ball of `radius` round it.
 * `tanX` and `tanY` are the half widths of the picture at distance 1, less the margin.
 */
export function fitted(points: ArrayLike<number>, radius: number, direction: Vec, tanX: number, tanY: number): Fit {
  const { right, up } = axesOf(direction);
  // A point at (x, y, z) along right, up and towards the eye is seen by an eye at (X, Y, Z) if
  // x - X <= tan (Z - z) on all four sides: each side asks for the largest of one sum.
  let east = -Infinity;
  let west = -Infinity;
  let north = -Infinity;
  let south = -Infinity;
  let near = -Infinity;
  let far = Infinity;
  const padX = radius * Math.hypot(1, 1 / tanX);
  const padY = radius * Math.hypot(1, 1 / tanY);
  for (let k = 0; k < points.length; k += 3) {
    const x = dot(points, k, right);
    const y = dot(points, k, up);
    const z = dot(points, k, direction);
    east = Math.max(east, x / tanX + z);
    west = Math.max(west, -x / tanX + z);
    north = Math.max(north, y / tanY + z);
    south = Math.max(south, -y / tanY + z);
    near = Math.max(near, z);
    far = Math.min(far, z);
  }
  const x = (tanX * (east - west)) / 2;
  const y = (tanY * (north - south)) / 2;
  const z = Math.max((east + west) / 2 + padX, (north + south) / 2 + padY);
  const centre = (near + far) / 2;
  const place = (depth: number): Vec => [
    x * right[0] + y * up[0] + depth * direction[0],
    x * right[1] + y * up[1] + depth * direction[1],
    x * right[2] + y * up[2] + depth * direction[2],
  ];
  return { eye: place(z), target: place(Math.min(centre, z - 2 * radius)) };
}

/** Right and up of a picture that looks against a direction, with the world's up kept upright. */
export function axesOf(direction: Vec): { right: Vec; up: Vec } {
  const [x, y, z] = direction;
  const level = Math.hypot(x, z);
  const right: Vec = level > 1e-6 ? [z / level, 0, -x / level] : [1, 0, 0];
  const up: Vec = [y * right[2], z * right[0] - x * right[2], -y * right[0]];
  return { right, up };
}

const dot = (points: ArrayLike<number>, k: number, axis: Vec): number =>
  points[k]! * axis[0] + points[k + 1]! * axis[1] + points[k + 2]! * axis[2];
