/** The retimed body at other moments, rim-lit, so that the way is seen at a glance. */

import { Group } from "three";
import type { Clip } from "../../store/clip";
import { BEHIND, ORDER } from "./body";
import { putShape } from "./capsules";
import { roundCone } from "./cone_corners";
import { Cones } from "./cones";
import { bodyUniforms, depthMaterial, ghostMaterial } from "./materials";
import type { Palette } from "../palette";
import { slimmed, type Shape } from "./shape";

const MOST = 4;
const DETAIL = { around: 16, rings: 4 };
const STEP = 0.25; // seconds between ghosts where no keytimes say otherwise
const NEAREST = 0.08; // a ghost closer to the playhead than this is the body itself

/** The moments to show: the nearest keytimes, or regular ones round the playhead. */
export function ghostTimes(t: number, keys: readonly number[], start: number, end: number): number[] {
  const wanted = keys.length ? keys : [t - STEP, t + STEP, t - 2 * STEP, t + 2 * STEP];
  return wanted
    .filter((x) => x >= start && x <= end && Math.abs(x - t) > NEAREST)
    .sort((a, b) => Math.abs(a - t) - Math.abs(b - t))
    .slice(0, MOST);
}

export class Ghosts {
  readonly object = new Group();
  private readonly cones: Cones;
  private readonly uniforms = bodyUniforms();
  private readonly materials = [depthMaterial(this.uniforms), ghostMaterial(this.uniforms)];
  private readonly points: Float32Array;

  constructor(private shape: Shape) {
    this.cones = new Cones(MOST * shape.volumes.length, roundCone(DETAIL));
    this.points = new Float32Array(3 * shape.points);
    this.uniforms.behind.value = BEHIND;
    this.materials.forEach((material, k) => {
      const mesh = this.cones.mesh(material);
      mesh.renderOrder = ORDER.ghosts + k;
      this.object.add(mesh);
    });
  }

  /** Limit the radius of ghosts to half the thickness of the mesh. */
  slim(most: number): void {
    this.shape = slimmed(this.shape, most);
  }

  show(clip: Clip, t: number, times: readonly number[]): void {
    const size = this.shape.volumes.length;
    times.forEach((time, n) => {
      clip.poseAt(time, this.points);
      putShape(this.cones, this.shape, this.points, n * size);
      const opacity = Math.max(0.45, 1 - Math.abs(time - t));
      for (let k = 0; k < size; k++) this.cones.tint(n * size + k, 0, 0, 0, opacity);
    });
    this.cones.done(times.length * size);
  }

  paint(palette: Palette): void {
    this.uniforms.base.value.copy(palette.retimedBody);
    this.uniforms.rimColor.value.copy(palette.retimed);
  }

  dispose(): void {
    this.cones.dispose();
    for (const material of this.materials) material.dispose();
  }
}
