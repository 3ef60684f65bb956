/** Rings on the ground: many in one draw call. */

import {
  BufferAttribute, DynamicDrawUsage, InstancedBufferAttribute, InstancedBufferGeometry, Mesh, ShaderMaterial,
  type Color,
} from "three";
import { ORDER } from "../body/body";

const MOST = 32;

const VERTEX = /* glsl */ `
attribute vec4 spot;
attribute vec4 tint;
varying vec2 vPlace;
varying vec4 vTint;
void main() {
  vPlace = position.xz;
  vTint = tint;
  gl_Position = projectionMatrix * viewMatrix * vec4(spot.xyz + spot.w * position, 1.0);
}`;

const FRAGMENT = /* glsl */ `
varying vec2 vPlace;
varying vec4 vTint;
void main() {
  float far = length(vPlace);
  float soft = fwidth(far) * 1.2;
  float inside = 1.0 - smoothstep(1.0 - soft, 1.0, far);
  float line = smoothstep(0.86 - soft, 0.86, far);
  gl_FragColor = vec4(vTint.rgb, vTint.a * inside * mix(0.22, 1.0, line));
  #include <colorspace_fragment>
}`;

export class Rings {
  readonly object: Mesh;
  private readonly geometry = new InstancedBufferGeometry();
  private readonly spots = new InstancedBufferAttribute(new Float32Array(4 * MOST), 4);
  private readonly tints = new InstancedBufferAttribute(new Float32Array(4 * MOST), 4);
  private readonly material = new ShaderMaterial({
    vertexShader: VERTEX, fragmentShader: FRAGMENT, transparent: true, depthWrite: false,
  });
  private count = 0;

  constructor() {
    const corners = new Float32Array([-1, 0, -1, -1, 0, 1, 1, 0, 1, 1, 0, -1]);
    this.geometry.setAttribute("position", new BufferAttribute(corners, 3));
    this.geometry.setIndex([0, 1, 2, 0, 2, 3]);
    this.geometry.setAttribute("spot", this.spots.setUsage(DynamicDrawUsage));
    this.geometry.setAttribute("tint", this.tints.setUsage(DynamicDrawUsage));
    this.object = new Mesh(this.geometry, this.material);
    this.object.frustumCulled = false;
    this.object.renderOrder = ORDER.marks;
  }

  begin(): void {
    this.count = 0;
  }

  add(x: number, y: number, z: number, radius: number, color: Color, opacity: number): void {
    if (this.count >= MOST) return;
    this.spots.setXYZW(this.count, x, y, z, radius);
    this.tints.setXYZW(this.count, color.r, color.g, color.b, opacity);
    this.count++;
  }

  finish(): void {
    this.geometry.instanceCount = this.count;
    this.spots.needsUpdate = true;
    this.tints.needsUpdate = true;
  }

  dispose(): void {
    this.geometry.dispose();
    this.material.dispose();
  }
}
