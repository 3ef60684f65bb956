/** A body with the file's own mesh: each joint's node is put where the motion says it is. */

import { Box3, Color, Group, Mesh, Quaternion, SkinnedMesh, Vector3, type Material, type Object3D } from "three";
import type { GLTF } from "three/addons/loaders/GLTFLoader.js";
import type { MotionHeader, Problem } from "../../protocol";
import { bisect, type Clip } from "../../store/clip";
import { BEHIND, ORDER, type Body, type BodyKind } from "./body";
import type { Palette } from "../palette";
import { count } from "../../words/numbers";

/** How much of the motion's colour goes over the mesh's own. */
const TINT = 0.85;
/** Of the original body, where it has a texture. */
const FAINT_TINT = 0.25;

interface Painted {
  material: Material & { color?: Color; map?: unknown; vertexColors?: boolean };
  own: Color | null;
}

/** The scene of a glTF or FBX file, with the place of each joint's node in the order of its traversal. */
export interface Skin {
  scene: Object3D;
  places: number[];
  /** How far the mesh reaches beyond its joints, in the file's units. */
  margin: number;
  /** The shortest side of the box round the mesh, in the file's units. */
  thickness: number;
  clone(scene: Object3D): Object3D;
}

/** Load a motion's mesh; it is refused if not every joint has a node. */
export const loadSkin = (header: MotionHeader): Promise<Skin> => (header.nodes.length ? fromGltf : fromFbx)(header);

/** The file with a motion's mesh: its own, or glTF that the server made of it. */
async function fileOf({ id }: MotionHeader): Promise<ArrayBuffer> {
  const reply = await fetch(`/motions/${encodeURIComponent(id)}/mesh`);
  if (reply.ok) return reply.arrayBuffer();
  const { text } = (await reply.json()) as Problem;
  throw new Error(text);
}

/** FBX names its nodes; the joints have the same names, perhaps without what stands before a colon. */
async function fromFbx(header: MotionHeader): Promise<Skin> {
  const [{ FBXLoader }, { clone }] = await Promise.all([
    import("three/addons/loaders/FBXLoader.js"),
    import("three/addons/utils/SkeletonUtils.js"),
  ]);
  const scene = new FBXLoader().parse(await fileOf(header), "");
  const byName = new Map<string, number>();
  const nodes: Object3D[] = [];
  scene.traverse((node) => {
    const original = (node.userData["originalName"] as string | undefined) ?? node.name;
    for (const name of [original, original.split(":").at(-1)!]) if (!byName.has(name)) byName.set(name, nodes.length);
    nodes.push(node);
  });
  const places = header.joints.map((name) => byName.get(name) ?? byName.get(name.split(":").at(-1)!) ?? -1);
  return skinOf(header, scene, places, nodes, clone);
}

function skinOf(
  header: MotionHeader, scene: Object3D, places: number[], nodes: Object3D[], clone: Skin["clone"],
): Skin {
  const lost = places.filter((place) => place < 0).length;
  if (lost || places.length !== header.joints.length)
    throw new Error(`${count(lost, "joint")} of the motion are not in the mesh's skeleton.`);
  return { scene, places, ...extentOf(scene, places.map((place) => nodes[place]!)), clone };
}

async function fromGltf(header: MotionHeader): Promise<Skin> {
  const [{ GLTFLoader }, { clone }] = await Promise.all([
    import("three/addons/loaders/GLTFLoader.js"),
    import("three/addons/utils/SkeletonUtils.js"),
  ]);
  const gltf: GLTF = await new GLTFLoader().parseAsync(await fileOf(header), "");
  const order = new Map<Object3D, number>();
  gltf.scene.traverse((node) => order.set(node, order.size));
  const byNode = new Map<number, number>();
  for (const [object, known] of gltf.parser.associations) {
    const node = (known as { nodes?: number } | undefined)?.nodes;
    const place = order.get(object as Object3D);
    // A mesh of several parts is bound to its node as well; the node itself comes first.
    if (node !== undefined && place !== undefined) byNode.set(node, Math.min(place, byNode.get(node) ?? place));
  }
  const places = header.nodes.map((node) => byNode.get(node) ?? -1);
  return skinOf(header, gltf.scene, places, [...order.keys()], clone);
}

function extentOf(scene: Object3D, joints: readonly Object3D[]): Pick<Skin, "margin" | "thickness"> {
  scene.updateMatrixWorld(true);
  const mesh = new Box3().setFromObject(scene);
  if (mesh.isEmpty()) throw new Error("The file has no mesh.");
  const thickness = Math.min(...mesh.getSize(new Vector3()).toArray());
  const bones = new Box3();
  for (const joint of joints) bones.expandByPoint(new Vector3().setFromMatrixPosition(joint.matrixWorld));
  const beyond = [
    ...mesh.max.sub(bones.max).toArray(),
    ...bones.min.sub(mesh.min).toArray(),
  ];
  return { margin: Math.max(0, ...beyond.filter(Number.isFinite)), thickness };
}

export class SkinBody implements Body {
  readonly object = new Group();
  private readonly joints: Object3D[];
  private readonly scales: Vector3[] = [];
  private readonly painted: Painted[] = [];
  private readonly behind = { value: 0 };
  private readonly tint = new Color();
  private readonly worst = { load: 0, marginal: new Color(), infeasible: new Color() };
  private readonly place = new Vector3();
  private readonly turn = new Quaternion();

  constructor(
    skin: Skin,
    scale: number,
    private readonly kind: BodyKind,
  ) {
    const scene = skin.clone(skin.scene);
    const nodes: Object3D[] = [];
    scene.traverse((node) => nodes.push(node));
    this.joints = skin.places.map((place) => nodes[place]!);
    scene.updateMatrixWorld(true);
    const spare = new Quaternion();
    for (const joint of this.joints) {
      const size = new Vector3();
      joint.matrixWorld.decompose(this.place, spare, size);
      this.scales.push(size.multiplyScalar(scale));
      // Joints are placed in the world; what hangs on them still follows by itself.
      joint.matrixWorldAutoUpdate = false;
    }
    for (const node of nodes) if (node instanceof Mesh) this.prepare(node);
    this.object.scale.setScalar(scale);
    this.object.add(scene);
  }

  private prepare(mesh: Mesh): void {
    mesh.frustumCulled = false; // its box is that of the rest pose
    mesh.castShadow = true;
    const own = (Array.isArray(mesh.material) ? mesh.material : [mesh.material]).map((material: Material) => {
      const copy = material.clone() as Painted["material"];
      copy.onBeforeCompile = (shader) => {
        shader.uniforms["behind"] = this.behind;
        shader.vertexShader = shader.vertexShader
          .replace("void main() {", "uniform float behind;\nvoid main() {")
          .replace("#include <project_vertex>", `#include <project_vertex>
            mvPosition.xyz += normalize(mvPosition.xyz) * behind;
            gl_Position = projectionMatrix * mvPosition;`);
      };
      this.painted.push({ material: copy, own: copy.color ? copy.color.clone() : null });
      return copy;
    });
    mesh.material = own.length === 1 ? own[0]! : own;
  }

  pose(clip: Clip, t: number): void {
    const turns = clip.rotations;
    if (!turns) return;
    const k = bisect(clip.times, t);
    const next = Math.min(k + 1, clip.frames - 1);
    const width = clip.times[next]! - clip.times[k]!;
    const share = width > 0 ? Math.min(Math.max((t - clip.times[k]!) / width, 0), 1) : 0;
    const count = this.joints.length;
    const p = clip.positions;
    for (let j = 0; j < count; j++) {
      const a = 3 * (k * clip.points + j);
      const b = 3 * (next * clip.points + j);
      this.place.set(
        p[a]! + share * (p[b]! - p[a]!) + this.object.position.x,
        p[a + 1]! + share * (p[b + 1]! - p[a + 1]!),
        p[a + 2]! + share * (p[b + 2]! - p[a + 2]!) + this.object.position.z,
      );
      this.between(turns, 4 * (k * count + j), 4 * (next * count + j), share);
      this.joints[j]!.matrixWorld.compose(this.place, this.turn, this.scales[j]!);
    }
  }

  /** The turn a share of the way between two, wxyz in the array, along the shorter way. */
  private between(turns: Float32Array, a: number, b: number, share: number): void {
    const along = turns[a]! * turns[b]! + turns[a + 1]! * turns[b + 1]! + turns[a + 2]! * turns[b + 2]!
      + turns[a + 3]! * turns[b + 3]!;
    const from = 1 - share;
    const to = along < 0 ? -share : share;
    this.turn.set(
      from * turns[a + 1]! + to * turns[b + 1]!,
      from * turns[a + 2]! + to * turns[b + 2]!,
      from * turns[a + 3]! + to * turns[b + 3]!,
      from * turns[a]! + to * turns[b]!,
    ).normalize();
  }

  /** Comes before `pose`, which puts the joints in the world. */
  shift(x: number, z: number): void {
    this.object.position.set(x, 0, z);
  }

  setSolidity(value: number): void {
    this.behind.value = BEHIND * (1 - value);
    const faint = value < 1;
    for (const { material } of this.painted) {
      material.opacity = 0.3 + 0.7 * value;
      if (material.transparent !== faint) material.needsUpdate = true;
      material.transparent = faint;
    }
    this.object.traverse((part) => {
      part.renderOrder = faint ? ORDER.faint : ORDER.body;
      part.castShadow = value > 0.5;
    });
  }

  paint(palette: Palette): void {
    this.tint.copy(this.kind === "original" ? palette.originalBody : palette.retimedBody);
    this.worst.marginal.copy(palette.marginal);
    this.worst.infeasible.copy(palette.infeasible);
    this.repaint();
  }

  /** A mesh has no limbs to tell apart: the worst joint colours it all. */
  setLoad(use: Float32Array | null, offset: number, joints: number): void {
    let load = 0;
    if (use) for (let j = 0; j < joints; j++) load = Math.max(load, use[offset + j]!);
    if (load === this.worst.load) return;
    this.worst.load = load;
    this.repaint();
  }

  private repaint(): void {
    const { load, marginal, infeasible } = this.worst;
    const color = load > 1 ? infeasible : load > 0.9 ? marginal : this.tint;
    for (const { material, own } of this.painted) {
      if (!own) continue;
      // Textures and coloured vertices keep their colours: only what is wrong tints them. The other body is faint.
      const coloured = (material.map || material.vertexColors) && load <= 0.9;
      const share = coloured ? (this.kind === "original" ? FAINT_TINT : 0) : TINT;
      material.color!.copy(own).lerp(color, share);
    }
  }

  /** Where the vertices of the mesh are in the scene, (vertices, 3). */
  vertices(): number[] {
    this.object.updateMatrixWorld(true);
    const places: number[] = [];
    this.object.traverse((part) => {
      if (!(part instanceof SkinnedMesh)) return;
      for (let k = 0; k < part.geometry.attributes["position"]!.count; k++)
        places.push(...part.localToWorld(part.getVertexPosition(k, new Vector3())).toArray());
    });
    return places;
  }

  dispose(): void {
    for (const { material } of this.painted) material.dispose();
  }
}

/** Free what all clones of a skin share. */
export function disposeSkin(skin: Skin): void {
  skin.scene.traverse((part) => {
    if (!(part instanceof Mesh)) return;
    part.geometry.dispose();
    for (const material of [part.material].flat() as Material[]) {
      for (const value of Object.values(material)) if (value?.isTexture) value.dispose();
      material.dispose();
    }
  });
}
