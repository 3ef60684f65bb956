/** A character in the scene, whether of capsules or of skin. */

import type { Object3D } from "three";
import type { Clip } from "../../store/clip";
import type { Palette } from "../palette";

export type BodyKind = "original" | "retimed";

export interface Body {
  readonly object: Object3D;
  /** Take the pose of a clip at a time. */
  pose(clip: Clip, t: number): void;
  /** Move the whole body aside, metres in the world. */
  shift(x: number, z: number): void;
  /** 1 is solid; 0 is translucent and behind whatever lies about there. */
  setSolidity(value: number): void;
  paint(palette: Palette): void;
  /** Colour limbs by the share of its limit that each joint uses; from `offset` in `use`, or not at all. */
  setLoad(use: Float32Array | null, offset: number, joints: number): void;
  dispose(): void;
}

/** How far behind its own surface a translucent body is drawn, metres. */
export const BEHIND = 0.06;
/** Order of drawing: solid bodies, the ground and its marks, lines, translucent bodies, ghosts, arrows. */
export const ORDER = {
  background: -10, body: 0, ground: 1, marks: 2, lines: 3, faint: 4, ghosts: 6, onTop: 8,
} as const;
