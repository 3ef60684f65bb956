/** The character of one source motion: both bodies, its ghosts, and what is known of its shape. */

import { Group } from "three";
import type { Clip, RetimedClip, SourceClip } from "../../store/clip";
import type { Body } from "./body";
import { extent } from "./bones";
import { CapsuleBody } from "./capsules";
import { Feet } from "../ground/feet";
import { Ghosts, ghostTimes } from "./ghosts";
import type { Palette } from "../palette";
import type { Place } from "./place";
import { trailPoints } from "../ground/pointpath";
import { noteMesh } from "../../store/mesh_notes";
import { shapeOf, type Shape } from "./shape";
import { disposeSkin, loadSkin, SkinBody, type Skin } from "./skin";

/** Mean distance of joints, metres, up to which both bodies are one; and from which each is solid. */
const ONE = 0.05;
const TWO = 0.1;
const TALLEST_SAMPLES = 24;

/** How solid a body is that is so far from another, metres of its joints' mean distance: 0 where they are one. */
export const solidityAt = (mean: number): number => Math.min(Math.max((mean - ONE) / (TWO - ONE), 0), 1);

export class Subject {
  readonly object = new Group();
  readonly shape: Shape;
  readonly feet: Feet;
  /** Where the body's volumes end, and how far it reaches beyond these, metres. */
  readonly places: Place[];
  reach: number;
  /** Points whose way is drawn. */
  readonly trailed: number[];
  readonly ghosts: Ghosts;
  original: Body;
  retimed: Body;
  private skin: Skin | null = null;
  private palette: Palette | null = null;
  private gone = false;
  private measured: { clip: Clip; size: number } | null = null;
  private readonly poses: [Float32Array, Float32Array];

  constructor(readonly source: SourceClip, changed: () => void) {
    const { header } = source;
    this.shape = shapeOf(header, source);
    this.places = this.shape.volumes.flatMap((volume) => [volume.start, volume.end]);
    this.reach = Math.max(...this.shape.volumes.flatMap((volume) => [volume.startRadius, volume.endRadius]));
    this.feet = new Feet(header, this.shape.size);
    this.trailed = trailPoints(header, source);
    this.ghosts = new Ghosts(this.shape);
    this.original = new CapsuleBody(this.shape, "original");
    this.retimed = new CapsuleBody(this.shape, "retimed");
    this.poses = [new Float32Array(3 * source.points), new Float32Array(3 * source.points)];
    this.object.add(this.original.object, this.retimed.object, this.ghosts.object);
    if (header.mesh && source.rotations) void this.dress(changed);
  }

  /** Put the file's mesh in the place of the capsules, when it has come. */
  private async dress(changed: () => void): Promise<void> {
    const { header } = this.source;
    try {
      const skin = await loadSkin(header);
      if (this.gone) return disposeSkin(skin);
      this.skin = skin;
      this.reach = Math.max(this.reach, header.scale * skin.margin);
      this.ghosts.slim((header.scale * skin.thickness) / 2);
      this.replace(new SkinBody(skin, header.scale, "original"), new SkinBody(skin, header.scale, "retimed"));
      changed();
    } catch (error) {
      noteMesh(header.id, (error as Error).message);
    }
  }

  private replace(original: Body, retimed: Body): void {
    for (const old of [this.original, this.retimed]) {
      this.object.remove(old.object);
      old.dispose();
    }
    this.original = original;
    this.retimed = retimed;
    this.object.add(original.object, retimed.object);
    if (this.palette) this.paint(this.palette);
  }

  paint(palette: Palette): void {
    this.palette = palette;
    this.original.paint(palette);
    this.retimed.paint(palette);
    this.ghosts.paint(palette);
  }

  /**
   * Take the poses at a time; the original stands `x`, `z` metres aside, or in the same place if both are 0. Another
   * clip of the same joints may be shown in its place.
   */
  pose(result: RetimedClip | null, t: number, x: number, z: number, against: Clip = this.source): void {
    const together = x === 0 && z === 0;
    this.original.shift(x, z);
    this.original.pose(against, t);
    this.original.setSolidity(result && together ? this.apart(result, t, against) : 1);
    this.retimed.object.visible = result !== null;
    if (result) this.retimed.pose(result, t);
  }

  /** A clip's pose at a time, (points, 3); valid until the next one is asked for. */
  poseOf(clip: Clip, t: number): Float32Array {
    clip.poseAt(t, this.poses[0]);
    return this.poses[0];
  }

  /** Where a clip's body is over the ground, x and z. */
  middle(clip: Clip, t: number): [number, number] {
    const pose = this.poseOf(clip, t);
    let x = 0;
    let z = 0;
    for (let k = 0; k < pose.length; k += 3) {
      x += pose[k]!;
      z += pose[k + 2]!;
    }
    return [(3 * x) / pose.length, (3 * z) / pose.length];
  }

  /** 0 where both bodies are one, 1 where they are two. */
  private apart(result: Clip, t: number, against: Clip): number {
    const [a, b] = this.poses;
    against.poseAt(t, a);
    result.poseAt(t, b);
    let sum = 0;
    for (let k = 0; k < a.length; k += 3)
      sum += Math.hypot(a[k]! - b[k]!, a[k + 1]! - b[k + 1]!, a[k + 2]! - b[k + 2]!);
    return solidityAt((3 * sum) / a.length);
  }

  /** The longest side of the box round any of a clip's poses, metres. */
  tallest(clip: Clip): number {
    if (this.measured?.clip === clip) return this.measured.size;
    let size = 0;
    for (let n = 0; n <= TALLEST_SAMPLES; n++) {
      size = Math.max(size, extent(this.poseOf(clip, clip.start + (clip.duration * n) / TALLEST_SAMPLES)));
    }
    this.measured = { clip, size: size + 2 * this.reach };
    return this.measured.size;
  }

  /** Where the vertices of the retimed body's mesh are, (vertices, 3); none while it has no mesh. */
  meshVertices(): number[] {
    return this.retimed instanceof SkinBody ? this.retimed.vertices() : [];
  }

  showGhosts(result: RetimedClip | null, t: number, keys: readonly number[]): void {
    this.ghosts.object.visible = result !== null;
    if (result) this.ghosts.show(result, t, ghostTimes(t, keys, result.start, result.end));
  }

  dispose(): void {
    this.gone = true;
    this.original.dispose();
    this.retimed.dispose();
    this.ghosts.dispose();
    if (this.skin) disposeSkin(this.skin);
  }
}
