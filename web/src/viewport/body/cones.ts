/** Many rounded cones in one draw call: the hull of two balls, with both ends and radii given for each. */

import {
  BufferAttribute, DataTexture, FloatType, InstancedBufferGeometry, Mesh, RGBAFormat, type ShaderMaterial,
} from "three";
import type { ConeCorners } from "./cone_corners";

/** Numbers per cone: start and radius, end and radius, side and width, tint; four to a texel. */
const STRIDE = 16;
/**
 * Cones in one instance. A processor that draws takes each instance as a draw call of its own, so a body is one of them
 * and not one for each cone; which cone a corner belongs to is looked up in a texture.
 */
const BLOCK = 64;
/** Cones in one row of the texture. */
const ROW = 64;

/** Vertex code that reads the cone of a corner: places and radii of its ends, its side and its tint. */
export const READ_CONE = /* glsl */ `
attribute vec2 cap; // which end of the cone, and which cone of the block
uniform highp sampler2D cones;

void readCone(out vec4 start, out vec4 finish, out vec4 side, out vec4 tint) {
  int which = gl_InstanceID * ${BLOCK} + int(cap.y);
  ivec2 at = ivec2(4 * (which % ${ROW}), which / ${ROW});
  start = texelFetch(cones, at, 0);
  finish = texelFetch(cones, at + ivec2(1, 0), 0);
  side = texelFetch(cones, at + ivec2(2, 0), 0);
  tint = texelFetch(cones, at + ivec2(3, 0), 0);
}`;

/** Vertex code that makes `place` and `facing` (world) of a corner of a cone, and tells the cone's `tint`. */
export const MAKE_CONE = /* glsl */ `
${READ_CONE}
void makeCone(out vec3 place, out vec3 facing, out vec4 tint) {
  vec4 start, finish, side;
  readCone(start, finish, side, tint);
  vec3 axis = finish.xyz - start.xyz;
  float len = length(axis);
  vec3 y = len > 1e-5 ? axis / len : vec3(0.0, 1.0, 0.0);
  vec3 x = side.xyz - y * dot(side.xyz, y);
  if (dot(x, x) < 1e-6) x = abs(y.x) < 0.9 ? cross(y, vec3(1.0, 0.0, 0.0)) : cross(y, vec3(0.0, 0.0, 1.0));
  x = normalize(x);
  vec3 z = cross(x, y);
  // Both balls touch the cone where its normal leans by this angle: the caps meet it there without a crease.
  float lean = asin(clamp((start.w - finish.w) / max(len, 1e-5), -1.0, 1.0));
  float latitude = cap.x > 0.5 ? mix(lean, 1.5707963, position.z) : mix(-1.5707963, lean, position.z);
  vec3 n = vec3(cos(latitude) * position.x, sin(latitude), cos(latitude) * position.y);
  vec3 from = mix(start.xyz, finish.xyz, cap.x);
  float radius = mix(start.w, finish.w, cap.x);
  place = (modelMatrix * vec4(from + radius * (x * n.x * side.w + y * n.y + z * n.z), 1.0)).xyz;
  facing = normalize(mat3(modelMatrix) * (x * n.x / side.w + y * n.y + z * n.z));
}`;

/** Whether the frame that is being made must not take long: cones that are put meanwhile have few corners. */
export const haste = { value: false };

export class Cones {
  readonly geometry = new InstancedBufferGeometry();
  /** (capacity, 16) numbers; write through `put`, `widen` and `tint`, then call `done`. */
  private readonly values: Float32Array;
  private readonly texture: DataTexture;
  /** Cones of one instance, and how many numbers of the index one has with all and with few corners. */
  private readonly block: number;
  private readonly fine: number;
  private readonly few: number;

  constructor(capacity: number, { places: ofOne, caps: capsOfOne, fine, few }: ConeCorners) {
    this.block = Math.min(Math.max(capacity, 1), BLOCK);
    const rows = Math.ceil(Math.max(capacity, 1) / ROW);
    this.values = new Float32Array(STRIDE * ROW * rows);
    this.texture = new DataTexture(this.values, 4 * ROW, rows, RGBAFormat, FloatType);

    const each = ofOne.length / 3;
    const places = new Float32Array(this.block * ofOne.length);
    const caps = new Float32Array(2 * this.block * each);
    const index = new Uint32Array(this.block * (fine.length + few.length));
    for (let n = 0; n < this.block; n++) {
      places.set(ofOne, n * ofOne.length);
      capsOfOne.forEach((cap, k) => caps.set([cap, n], 2 * (n * each + k)));
      index.set(fine.map((k) => n * each + k), n * fine.length);
      index.set(few.map((k) => n * each + k), this.block * fine.length + n * few.length);
    }
    this.fine = fine.length;
    this.few = few.length;
    this.geometry.setAttribute("position", new BufferAttribute(places, 3));
    this.geometry.setAttribute("cap", new BufferAttribute(caps, 2));
    this.geometry.setIndex(new BufferAttribute(index, 1));
    this.geometry.instanceCount = 0;
  }

  /** Let a material of cones draw these. */
  dress<M extends ShaderMaterial>(material: M): M {
    material.uniforms["cones"] = { value: this.texture };
    return material;
  }

  mesh(material: ShaderMaterial): Mesh {
    const mesh = new Mesh(this.geometry, this.dress(material));
    mesh.frustumCulled = false; // its corners are known to the graphics card only
    return mesh;
  }

  put(k: number, a: ArrayLike<number>, aRadius: number, b: ArrayLike<number>, bRadius: number): void {
    const at = STRIDE * k;
    const v = this.values;
    for (let i = 0; i < 3; i++) {
      v[at + i] = a[i]!;
      v[at + 4 + i] = b[i]!;
      v[at + 8 + i] = 0;
    }
    v[at + 3] = aRadius;
    v[at + 7] = bRadius;
    v[at + 11] = 1;
  }

  /** Make a cone wider than deep along a direction. */
  widen(k: number, x: number, y: number, z: number, width: number): void {
    const at = STRIDE * k + 8;
    const size = Math.hypot(x, y, z) || 1;
    this.values[at] = x / size;
    this.values[at + 1] = y / size;
    this.values[at + 2] = z / size;
    this.values[at + 3] = width;
  }

  /** Four numbers for the material: a colour, or whatever it takes them for. */
  tint(k: number, r: number, g: number, b: number, a: number): void {
    const at = STRIDE * k + 12;
    this.values[at] = r;
    this.values[at + 1] = g;
    this.values[at + 2] = b;
    this.values[at + 3] = a;
  }

  /** Show the first `count` cones as they were put. */
  done(count: number): void {
    const blocks = Math.ceil(count / this.block);
    // The last block is drawn whole where there are several: cones without a radius have nothing to draw.
    for (let k = count; k < blocks * this.block; k++) this.values.fill(0, STRIDE * k, STRIDE * k + 12);
    this.geometry.instanceCount = blocks;
    const drawn = blocks > 1 ? this.block : count;
    if (haste.value) this.geometry.setDrawRange(this.block * this.fine, drawn * this.few);
    else this.geometry.setDrawRange(0, drawn * this.fine);
    this.texture.needsUpdate = true;
  }

  dispose(): void {
    this.geometry.dispose();
    this.texture.dispose();
  }
}
