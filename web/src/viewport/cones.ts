/** Many rounded cones in one draw call: the hull of two balls, with both ends and radii given per instance. */

import {
  BufferAttribute, DynamicDrawUsage, InstancedBufferGeometry, InstancedInterleavedBuffer, InterleavedBufferAttribute,
  Mesh, type Material,
} from "three";
import { drawsInSoftware } from "./software";

/** Numbers per cone: start and radius, end and radius, side and width, tint. */
const STRIDE = 16;

/** Vertex code that makes `place` and `facing` (world) and `along` (0 at the start, 1 at the end) of a cone. */
export const CONE_VERTEX = /* glsl */ `
attribute float cap;
attribute vec4 start;
attribute vec4 finish;
attribute vec4 side;
attribute vec4 tint;

void makeCone(out vec3 place, out vec3 facing) {
  vec3 axis = finish.xyz - start.xyz;
  float len = length(axis);
  vec3 y = len > 1e-5 ? axis / len : vec3(0.0, 1.0, 0.0);
  vec3 x = side.xyz - y * dot(side.xyz, y);
  if (dot(x, x) < 1e-6) x = abs(y.x) < 0.9 ? cross(y, vec3(1.0, 0.0, 0.0)) : cross(y, vec3(0.0, 0.0, 1.0));
  x = normalize(x);
  vec3 z = cross(x, y);
  // Both balls touch the cone where its normal leans by this angle: the caps meet it there without a crease.
  float lean = asin(clamp((start.w - finish.w) / max(len, 1e-5), -1.0, 1.0));
  float latitude = cap > 0.5 ? mix(lean, 1.5707963, position.z) : mix(-1.5707963, lean, position.z);
  vec3 n = vec3(cos(latitude) * position.x, sin(latitude), cos(latitude) * position.y);
  vec3 from = mix(start.xyz, finish.xyz, cap);
  float radius = mix(start.w, finish.w, cap);
  place = (modelMatrix * vec4(from + radius * (x * n.x * side.w + y * n.y + z * n.z), 1.0)).xyz;
  facing = normalize(mat3(modelMatrix) * (x * n.x / side.w + y * n.y + z * n.z));
}`;

/** A unit cone: position holds the cosine and sine round the axis and the share of the cap's latitude. */
function coneGeometry(around: number, rings: number): InstancedBufferGeometry {
  const corners: number[] = [];
  const caps: number[] = [];
  const index: number[] = [];
  for (let row = 0; row < 2 * (rings + 1); row++) {
    const cap = row > rings ? 1 : 0;
    const share = (row - cap * (rings + 1)) / rings;
    for (let k = 0; k <= around; k++) {
      const turn = (2 * Math.PI * k) / around;
      corners.push(Math.cos(turn), Math.sin(turn), share);
      caps.push(cap);
      if (row === 0 || k === around) continue;
      const here = row * (around + 1) + k;
      const below = here - around - 1;
      index.push(below, here, below + 1, here, here + 1, below + 1);
    }
  }
  const geometry = new InstancedBufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(corners), 3));
  geometry.setAttribute("cap", new BufferAttribute(new Float32Array(caps), 1));
  geometry.setIndex(index);
  return geometry;
}

export class Cones {
  readonly geometry: InstancedBufferGeometry;
  /** (capacity, 16) numbers; write through `put`, `turn` and `tint`, then call `done`. */
  private readonly values: Float32Array;
  private readonly buffer: InstancedInterleavedBuffer;

  constructor(readonly capacity: number, detail: { around: number; rings: number }) {
    const coarse = drawsInSoftware() ? 2 : 1;
    this.geometry = coneGeometry(detail.around / coarse, Math.ceil(detail.rings / coarse));
    this.values = new Float32Array(STRIDE * Math.max(capacity, 1));
    this.buffer = new InstancedInterleavedBuffer(this.values, STRIDE);
    this.buffer.setUsage(DynamicDrawUsage);
    ["start", "finish", "side", "tint"].forEach((name, k) =>
      this.geometry.setAttribute(name, new InterleavedBufferAttribute(this.buffer, 4, 4 * k)));
    this.geometry.instanceCount = 0;
  }

  mesh(material: Material): Mesh {
    const mesh = new Mesh(this.geometry, material);
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
    this.geometry.instanceCount = count;
    this.buffer.clearUpdateRanges();
    this.buffer.addUpdateRange(0, STRIDE * count);
    this.buffer.needsUpdate = true;
  }

  dispose(): void {
    this.geometry.dispose();
  }
}
