/** A body of rounded cones that follows the points of a pose. */

import type { Mesh } from "three";
import { Group } from "three";
import type { Clip } from "../../store/clip";
import { BEHIND, ORDER, type Body, type BodyKind } from "./body";
import { roundCone } from "./cone_corners";
import { Cones } from "./cones";
import { bodyMaterial, bodyUniforms, depthMaterial, shadowMaterial } from "./materials";
import type { Palette } from "../palette";
import { locate } from "./place";
import type { Shape } from "./shape";

const DETAIL = { around: 24, rings: 5 };

const start = new Float32Array(3);
const end = new Float32Array(3);
const NOWHERE = new Float32Array(3);

/** Put a shape's cones for a pose from slot `first` on. */
export function putShape(cones: Cones, shape: Shape, pose: ArrayLike<number>, first = 0): void {
  for (let k = 0; k < shape.volumes.length; k++) {
    const volume = shape.volumes[k]!;
    locate(volume.start, pose, start);
    locate(volume.end, pose, end);
    if (!Number.isFinite(start[0]! + end[0]!)) {
      cones.put(first + k, NOWHERE, 0, NOWHERE, 0); // of a joint that is not seen
      continue;
    }
    cones.put(first + k, start, volume.startRadius, end, volume.endRadius);
    if (volume.width === 1) continue;
    const l = 3 * volume.left;
    const r = 3 * volume.right;
    cones.widen(first + k, pose[l]! - pose[r]!, pose[l + 1]! - pose[r + 1]!, pose[l + 2]! - pose[r + 2]!, volume.width);
  }
}

export class CapsuleBody implements Body {
  readonly object = new Group();
  private readonly cones: Cones;
  private readonly uniforms = bodyUniforms();
  private readonly solid: Mesh;
  private readonly depth: Mesh;
  private readonly cast = shadowMaterial();
  private readonly points: Float32Array;
  private joints = 0;

  constructor(
    private readonly shape: Shape,
    private readonly kind: BodyKind,
  ) {
    this.cones = new Cones(shape.volumes.length, roundCone(DETAIL));
    this.points = new Float32Array(3 * shape.points);
    this.solid = this.cones.mesh(bodyMaterial(this.uniforms));
    this.solid.castShadow = true;
    this.solid.customDepthMaterial = this.cones.dress(this.cast);
    this.depth = this.cones.mesh(depthMaterial(this.uniforms));
    this.object.add(this.depth, this.solid);
    this.setSolidity(1);
  }

  pose(clip: Clip, t: number): void {
    clip.poseAt(t, this.points);
    putShape(this.cones, this.shape, this.points);
    this.cones.done(this.shape.volumes.length);
  }

  shift(x: number, z: number): void {
    this.object.position.set(x, 0, z);
  }

  setSolidity(value: number): void {
    const faint = value < 1;
    this.uniforms.solidity.value = value;
    this.uniforms.behind.value = BEHIND * (1 - value);
    this.depth.visible = faint;
    this.depth.renderOrder = faint ? ORDER.faint : ORDER.body;
    this.solid.renderOrder = faint ? ORDER.faint + 1 : ORDER.body;
    this.solid.castShadow = value > 0.5; // two shadows in one place would only be darker
  }

  paint(palette: Palette): void {
    const given = this.kind === "original";
    this.uniforms.base.value.copy(given ? palette.originalBody : palette.retimedBody);
    this.uniforms.rimColor.value.copy(given ? palette.original : palette.retimed);
    this.uniforms.bounce.value = palette.dark ? 0.15 : 0.3;
    this.uniforms.marginal.value.copy(palette.marginal);
    this.uniforms.infeasible.value.copy(palette.infeasible);
  }

  setLoad(use: Float32Array | null, offset: number, joints: number): void {
    if (!use && this.joints === 0) return;
    this.joints = use ? joints : 0;
    this.shape.volumes.forEach((volume, k) => {
      const a = use && volume.startJoint < joints ? use[offset + volume.startJoint]! : 0;
      const b = use && volume.endJoint < joints ? use[offset + volume.endJoint]! : 0;
      this.cones.tint(k, a, b, 0, 1);
    });
    this.cones.done(this.shape.volumes.length);
  }

  dispose(): void {
    this.cones.dispose();
    this.cast.dispose();
    for (const mesh of [this.solid, this.depth]) (mesh.material as { dispose(): void }).dispose();
  }
}
