/** What the bodies stand in: background, ground with its grid, light and shadow. */

import {
  Color, DirectionalLight, Group, HemisphereLight, Mesh, PlaneGeometry, ShaderMaterial, ShadowMaterial, Vector3,
} from "three";
import { drawsInSoftware } from "../software";
import { ORDER } from "../body/body";
import { keyDirection } from "../body/materials";
import type { Palette } from "../palette";

const SHADOW_SIZE = 1024;
/** Metres of a person. */
const TALL = 1.7;
const GROUND = 60; // metres across, far beyond where the grid has faded out
/** Metres from which the key light looks at the bodies. */
const LIGHT_AWAY = 12;

const BACKGROUND_VERTEX = /* glsl */ `
varying float vUp;
void main() {
  vUp = position.y * 0.5 + 0.5;
  gl_Position = vec4(position.xy, 1.0, 1.0);
}`;

// The gradient is mixed as the eye sees it (in the theme's own numbers), with a grain below one step of 8 bits. Here
// and on the ground colours come in as the screen's: a processor that draws would turn them for every pixel.
const BACKGROUND_FRAGMENT = /* glsl */ `
uniform vec3 top;
uniform vec3 bottom;
varying float vUp;
void main() {
  float grain = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) - 0.5;
  gl_FragColor = vec4(mix(bottom, top, smoothstep(0.0, 1.0, vUp)) + grain / 255.0, 1.0);
}`;

const GRID_VERTEX = /* glsl */ `
varying vec2 vPlace;
void main() {
  vec4 world = modelMatrix * vec4(position, 1.0);
  vPlace = world.xz;
  gl_Position = projectionMatrix * viewMatrix * world;
}`;

const GRID_FRAGMENT = /* glsl */ `
uniform vec3 color;
uniform vec2 centre;
uniform float reach;
uniform float strength;
uniform float unit;
varying vec2 vPlace;
float lines(float spacing, float width) {
  vec2 at = vPlace / spacing;
  vec2 step = max(fwidth(at), vec2(1e-6));
  vec2 near = abs(fract(at - 0.5) - 0.5) / step;
  // Where lines come closer than their own width they would shimmer: they fade first.
  vec2 seen = (1.0 - smoothstep(vec2(width - 0.5), vec2(width + 0.5), near)) * (1.0 - smoothstep(0.2, 0.6, step));
  return max(seen.x, seen.y);
}
void main() {
  float fade = 1.0 - smoothstep(0.15, 1.0, distance(vPlace, centre) / reach);
  float line = max(0.45 * lines(0.25 * unit, 0.6), lines(unit, 0.9));
  // A faint floor under the lines gives the shadow something to darken.
  gl_FragColor = vec4(color, max(line * strength, 0.1 * strength) * fade * fade);
}`;

/**
 * Metres between the strong lines of the grid: 1 under a person, and 1, 2 or 5 times a power of ten under others. The
 * size is a person's stature, or the longest side of anything else: a snake is not tall.
 */
export function gridUnit(size: number): number {
  const wanted = size / TALL;
  if (wanted > 0.6 && wanted < 1.5) return 1;
  const power = 10 ** Math.floor(Math.log10(wanted));
  return power * ([5, 2].find((n) => n * power <= wanted) ?? 1);
}

export class Environment {
  readonly object = new Group();
  private readonly background = new ShaderMaterial({
    vertexShader: BACKGROUND_VERTEX, fragmentShader: BACKGROUND_FRAGMENT, depthTest: false, depthWrite: false,
    uniforms: { top: { value: new Color() }, bottom: { value: new Color() } },
  });
  private readonly grid = new ShaderMaterial({
    vertexShader: GRID_VERTEX, fragmentShader: GRID_FRAGMENT, transparent: true, depthWrite: false,
    uniforms: {
      color: { value: new Color() }, centre: { value: new Vector3() }, reach: { value: 6 }, strength: { value: 0.3 },
      unit: { value: 1 },
    },
  });
  private readonly shade = new ShadowMaterial({ depthWrite: false });
  private readonly shadows: Mesh;
  private readonly ground = new Group();
  private readonly key = new DirectionalLight();
  private readonly sky = new HemisphereLight();
  readonly lights = new Group();

  constructor() {
    const backdrop = new Mesh(new PlaneGeometry(2, 2), this.background);
    backdrop.frustumCulled = false;
    backdrop.renderOrder = ORDER.background;
    const plane = new PlaneGeometry(GROUND, GROUND).rotateX(-Math.PI / 2);
    this.shadows = new Mesh(plane, this.shade);
    this.shadows.receiveShadow = true;
    const grid = new Mesh(plane, this.grid);
    grid.renderOrder = ORDER.ground;
    this.shadows.renderOrder = ORDER.ground + 0.5; // over the floor
    this.ground.add(this.shadows, grid);
    this.object.add(backdrop, this.ground);

    this.key.castShadow = true;
    this.key.intensity = 2.2;
    const size = drawsInSoftware() ? SHADOW_SIZE / 2 : SHADOW_SIZE;
    this.key.shadow.mapSize.set(size, size);
    this.key.shadow.radius = 5;
    this.key.shadow.bias = -0.001;
    this.sky.intensity = 1.1;
    this.lights.add(this.key, this.key.target, this.sky);
  }

  paint(palette: Palette): void {
    this.background.uniforms["top"]!.value.copyLinearToSRGB(palette.viewTop);
    this.background.uniforms["bottom"]!.value.copyLinearToSRGB(palette.viewBottom);
    this.grid.uniforms["color"]!.value.copyLinearToSRGB(palette.ground);
    this.grid.uniforms["strength"]!.value = palette.dark ? 0.34 : 0.5;
    this.shade.color.copy(palette.shadow).multiplyScalar(palette.dark ? 0.25 : 1);
    this.shade.opacity = palette.dark ? 0.8 : 0.45;
  }

  /** Show where bodies keep the light off the ground, or not. */
  castShadows(on: boolean): void {
    this.shadows.visible = on;
  }

  /** Let the key light come from a direction. */
  light(from: Vector3): void {
    keyDirection.value.copy(from).normalize();
  }

  /** Metres between the strong lines. */
  get gridStep(): number {
    return this.grid.uniforms["unit"]!.value as number;
  }

  /**
   * Put ground and light where the bodies are: `size` is the reach of shadows, `seen` that of the grid, and `longest` a
   * person's stature or the longest side of another figure, metres.
   */
  follow(x: number, y: number, z: number, size: number, seen: number, longest: number = TALL): void {
    this.ground.position.set(x, y, z);
    const unit = gridUnit(longest);
    this.grid.uniforms["unit"]!.value = unit;
    this.ground.scale.setScalar(Math.max(unit, seen / GROUND));
    this.grid.uniforms["centre"]!.value.set(x, z, 0);
    this.grid.uniforms["reach"]!.value = seen;
    this.key.target.position.set(x, y, z);
    this.key.position.copy(keyDirection.value).multiplyScalar(LIGHT_AWAY * size).add(this.key.target.position);
    const camera = this.key.shadow.camera;
    if (camera.right !== 1.5 * size) {
      camera.left = camera.bottom = -1.5 * size;
      camera.right = camera.top = 1.5 * size;
      camera.near = 0.1 * size;
      camera.far = 2 * LIGHT_AWAY * size;
      camera.updateProjectionMatrix();
    }
  }

  dispose(): void {
    this.key.dispose();
    this.key.shadow.dispose();
    for (const material of [this.background, this.grid, this.shade]) material.dispose();
    this.object.traverse((part) => part instanceof Mesh && part.geometry.dispose());
  }
}
