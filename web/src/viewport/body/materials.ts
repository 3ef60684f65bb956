/** How cones are painted: solid bodies, rim-lit ghosts, flat lines, and the passes that only write depth. */

import { Color, DoubleSide, ShaderMaterial, Vector3, type IUniform } from "three";
import { MAKE_CONE, READ_CONE } from "./cones";

/** Where the key light comes from, in the world; shared by all that is lit. */
export const keyDirection: IUniform<Vector3> = { value: new Vector3(0.4, 0.8, 0.45).normalize() };

/**
 * `behind` moves what is drawn away from the eye along its own ray: it stays where it is in the picture, and
 * whatever lies less than that in front of it hides it.
 */
const VERTEX = /* glsl */ `
invariant gl_Position; // the depth pass and the colours after it must agree to the last bit
uniform float behind;
varying vec3 vPlace;
varying vec3 vFacing;
varying vec4 vTint;
varying float vAlong;
${MAKE_CONE}
void main() {
  makeCone(vPlace, vFacing, vTint);
  vAlong = cap.x;
  vec4 seen = viewMatrix * vec4(vPlace, 1.0);
  seen.xyz += normalize(seen.xyz) * behind;
  gl_Position = projectionMatrix * seen;
}`;

const VARYINGS = /* glsl */ `
varying vec3 vPlace;
varying vec3 vFacing;
varying vec4 vTint;
varying float vAlong;
`;

/** Tint: share of the limit that the joint at either end uses; it turns marginal at 0.9, infeasible past 1. */
const BODY_FRAGMENT = /* glsl */ `
uniform vec3 base;
uniform vec3 marginal;
uniform vec3 infeasible;
uniform vec3 rimColor;
uniform vec3 keyDirection;
uniform float solidity;
uniform float bounce;
${VARYINGS}
void main() {
  vec3 n = normalize(vFacing);
  vec3 toEye = normalize(cameraPosition - vPlace);
  float load = mix(vTint.x, vTint.y, vAlong);
  vec3 color = mix(base, marginal, smoothstep(0.84, 0.92, load));
  color = mix(color, infeasible, smoothstep(0.97, 1.03, load));
  float key = clamp(dot(n, keyDirection) * 0.6 + 0.4, 0.0, 1.0);
  float sky = n.y * 0.5 + 0.5;
  float edge = 1.0 - clamp(dot(n, toEye), 0.0, 1.0);
  float gloss = pow(max(dot(n, normalize(keyDirection + toEye)), 0.0), 18.0);
  vec3 lit = color * (bounce + 0.25 * sky + 0.95 * pow(key, 1.7)) + vec3(0.3 * pow(key, 4.0) + 0.12 * gloss);
  lit += mix(color, vec3(1.0), 0.2) * pow(edge, 3.0) * (0.1 + 0.3 * sky);
  float rim = pow(edge, 2.2);
  vec3 faint = mix(color, rimColor, rim);
  gl_FragColor = vec4(mix(faint, lit, solidity), mix(0.2 + 0.6 * rim, 1.0, solidity));
  #include <colorspace_fragment>
}`;

/** Tint: opacity in its last number. */
const GHOST_FRAGMENT = /* glsl */ `
uniform vec3 base;
uniform vec3 rimColor;
${VARYINGS}
void main() {
  float edge = 1.0 - abs(dot(normalize(vFacing), normalize(cameraPosition - vPlace)));
  float rim = pow(edge, 2.4);
  gl_FragColor = vec4(mix(base, rimColor, 0.5 * rim), (0.3 + 0.65 * rim) * vTint.a);
  #include <colorspace_fragment>
}`;

/** A strip along the line as it is seen, or a square round a dot, a little wider than what is painted on it. */
const LINE_VERTEX = /* glsl */ `
varying vec3 vSpot; // along and across the line from its start, and half its width there
varying float vLong;
varying vec4 vTint;
${READ_CONE}
const float MARGIN = 1.5;
void main() {
  vec4 start, finish, side;
  readCone(start, finish, side, vTint);
  vec3 a = (viewMatrix * modelMatrix * vec4(start.xyz, 1.0)).xyz;
  vec3 b = (viewMatrix * modelMatrix * vec4(finish.xyz, 1.0)).xyz;
  float shrinks = a.z / b.z; // what is at b looks so much smaller than at a
  vec2 way = b.xy * shrinks - a.xy;
  float len = length(way);
  vLong = len < 1e-5 ? 0.0 : len;
  vec2 along = vLong > 0.0 ? way / len : vec2(1.0, 0.0);
  vec2 across = vec2(-along.y, along.x);
  bool last = cap.x > 0.5;
  float radius = last ? finish.w : start.w;
  float past = vLong > 0.0 ? 0.0 : (last ? MARGIN : -MARGIN) * radius;
  vec3 place = last ? b : a;
  place.xy += along * past + across * position.x * MARGIN * radius;
  vec4 seen = projectionMatrix * vec4(place, 1.0);
  // Measures go evenly over the picture, not into its depth. What reaches behind the eye is left out.
  gl_Position = max(a.z, b.z) < -0.01 ? vec4(seen.xyz / seen.w, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
  float scale = last ? shrinks : 1.0;
  vSpot = vec3((last ? vLong : 0.0) + past * scale, position.x * MARGIN * radius * scale, radius * scale);
}`;

const LINE_FRAGMENT = /* glsl */ `
varying vec3 vSpot;
varying float vLong;
varying vec4 vTint;
void main() {
  float far = vLong > 0.0 ? abs(vSpot.y) : length(vSpot.xy);
  float pixel = length(vec2(dFdx(vSpot.y), dFdy(vSpot.y)));
  float covered = clamp((vSpot.z - far) / max(pixel, 1e-9) + 0.5, 0.0, 1.0);
  if (covered <= 0.0) discard;
  gl_FragColor = vec4(vTint.rgb, vTint.a * covered);
  #include <colorspace_fragment>
}`;

const NOTHING_FRAGMENT = /* glsl */ `void main() { gl_FragColor = vec4(1.0); }`;

/** Uniforms of a body and of the depth pass before it, which must put the same corners at the same places. */
export interface BodyUniforms {
  [name: string]: IUniform;
  behind: IUniform<number>;
  base: IUniform<Color>;
  rimColor: IUniform<Color>;
  marginal: IUniform<Color>;
  infeasible: IUniform<Color>;
  solidity: IUniform<number>;
  /** Light that comes back from all around. */
  bounce: IUniform<number>;
}

export function bodyUniforms(): BodyUniforms {
  return {
    behind: { value: 0 },
    base: { value: new Color() },
    rimColor: { value: new Color() },
    marginal: { value: new Color() },
    infeasible: { value: new Color() },
    solidity: { value: 1 },
    bounce: { value: 0.15 },
    keyDirection,
  };
}

const cones = (fragmentShader: string, uniforms: Record<string, IUniform>): ShaderMaterial =>
  new ShaderMaterial({ vertexShader: VERTEX, fragmentShader, uniforms, transparent: true });

export const bodyMaterial = (uniforms: BodyUniforms): ShaderMaterial => cones(BODY_FRAGMENT, uniforms);
export const ghostMaterial = (uniforms: BodyUniforms): ShaderMaterial => cones(GHOST_FRAGMENT, uniforms);

/** Tint: the colour itself. */
export const lineMaterial = (): ShaderMaterial =>
  new ShaderMaterial({ vertexShader: LINE_VERTEX, fragmentShader: LINE_FRAGMENT, uniforms: {}, transparent: true });

/** Writes depth only: what is drawn after it shows its front surface and nothing of what lies inside. */
export function depthMaterial(uniforms: BodyUniforms): ShaderMaterial {
  const material = cones(NOTHING_FRAGMENT, uniforms);
  material.colorWrite = false;
  return material;
}

/** For the shadow map: as the light sees it. */
export function shadowMaterial(): ShaderMaterial {
  const material = cones(NOTHING_FRAGMENT, { behind: { value: 0 } });
  material.transparent = false;
  material.side = DoubleSide;
  return material;
}
