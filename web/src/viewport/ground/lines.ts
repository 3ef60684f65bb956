/** Thin things in the view (trails, arrows, skate marks) in one draw call; a line without a length is a dot. */

import type { Color, Mesh, ShaderMaterial } from "three";
import { ORDER } from "../body/body";
import { flatCone } from "../body/cone_corners";
import { Cones } from "../body/cones";
import { lineMaterial } from "../body/materials";

const MOST = 1024;

export class Lines {
  readonly object: Mesh;
  private readonly cones = new Cones(MOST, flatCone());
  private count = 0;

  constructor({ onTop = false } = {}) {
    const material = lineMaterial();
    material.depthTest = !onTop;
    this.object = this.cones.mesh(material);
    this.object.renderOrder = onTop ? ORDER.onTop : ORDER.lines;
  }

  begin(): void {
    this.count = 0;
  }

  add(
    a: ArrayLike<number>, aRadius: number, b: ArrayLike<number>, bRadius: number, color: Color, opacity: number,
  ): void {
    if (this.count >= MOST) return;
    this.cones.put(this.count, a, aRadius, b, bRadius);
    this.cones.tint(this.count, color.r, color.g, color.b, opacity);
    this.count++;
  }

  finish(): void {
    this.cones.done(this.count);
  }

  dispose(): void {
    this.cones.dispose();
    (this.object.material as ShaderMaterial).dispose();
  }
}
