/** A sheet across time: its vertices where the drag put them, tinted by pull, with the wires of its grid. */

import { BufferAttribute, BufferGeometry, Color, DoubleSide, Mesh, ShaderMaterial } from "three";
import { ORDER } from "../body/body";
import type { Palette } from "../palette";

const VERTEX = /* glsl */ `
attribute vec2 cell;
attribute float pull;
varying vec2 vCell;
varying float vPull;
void main() {
  vCell = cell;
  vPull = pull;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

/** Wires are a pixel wide however near they are; where they would touch, they fade into the fill. */
const FRAGMENT = /* glsl */ `
uniform vec3 wire;
uniform vec3 tint;
uniform float strength;
varying vec2 vCell;
varying float vPull;
void main() {
  vec2 width = fwidth(vCell);
  vec2 far = abs(fract(vCell - 0.5) - 0.5) / max(width, vec2(1e-5));
  vec2 drawn = (1.0 - smoothstep(0.2, 1.1, far)) * clamp(1.6 - 3.0 * width, 0.15, 1.0);
  float line = max(drawn.x, drawn.y);
  float pulled = smoothstep(0.0, 1.0, vPull);
  float fill = 0.05 + 0.42 * pulled;
  vec3 color = mix(mix(wire, tint, 0.25 + 0.75 * pulled), mix(wire, tint, pulled), line);
  gl_FragColor = vec4(color, strength * max(fill, line * (0.32 + 0.3 * pulled)));
  #include <colorspace_fragment>
}`;

export class Sheet {
  readonly object: Mesh<BufferGeometry, ShaderMaterial>;
  private shown: Float32Array | null = null;
  private size = "";

  constructor() {
    const material = new ShaderMaterial({
      vertexShader: VERTEX, fragmentShader: FRAGMENT, transparent: true, depthWrite: false, side: DoubleSide,
      uniforms: { wire: { value: new Color() }, tint: { value: new Color() }, strength: { value: 1 } },
    });
    this.object = new Mesh(new BufferGeometry(), material);
    this.object.frustumCulled = false;
    this.object.renderOrder = ORDER.marks + 0.5;
  }

  /** Take (across, up, 4) numbers: place and pull. */
  show(grid: Float32Array, across: number, up: number): void {
    if (grid === this.shown) return;
    this.shown = grid;
    const count = across * up;
    const { geometry } = this.object;
    if (this.size !== `${across} ${up}`) {
      this.size = `${across} ${up}`;
      geometry.dispose();
      geometry.setAttribute("position", new BufferAttribute(new Float32Array(3 * count), 3));
      geometry.setAttribute("pull", new BufferAttribute(new Float32Array(count), 1));
      geometry.setAttribute("cell", new BufferAttribute(cells(across, up), 2));
      geometry.setIndex(triangles(across, up));
    }
    const places = geometry.getAttribute("position") as BufferAttribute;
    const pulls = geometry.getAttribute("pull") as BufferAttribute;
    for (let k = 0; k < count; k++) {
      places.setXYZ(k, grid[4 * k]!, grid[4 * k + 1]!, grid[4 * k + 2]!);
      pulls.setX(k, grid[4 * k + 3]!);
    }
    places.needsUpdate = pulls.needsUpdate = true;
  }

  paint({ ground, retimed }: Palette, strength: number): void {
    const { wire, tint, strength: strong } = this.object.material.uniforms;
    (wire!.value as Color).copy(ground);
    (tint!.value as Color).copy(retimed);
    strong!.value = strength;
  }

  dispose(): void {
    this.object.geometry.dispose();
    this.object.material.dispose();
  }
}

function cells(across: number, up: number): Float32Array {
  const made = new Float32Array(2 * across * up);
  for (let k = 0; k < across * up; k++) made.set([Math.floor(k / up), k % up], 2 * k);
  return made;
}

function triangles(across: number, up: number): number[] {
  const made: number[] = [];
  for (let i = 0; i + 1 < across; i++)
    for (let j = 0; j + 1 < up; j++) {
      const here = i * up + j;
      made.push(here, here + up, here + 1, here + 1, here + up, here + up + 1);
    }
  return made;
}
