/** A third body: the take that a step follows, beside the retimed one. */

import { Group } from "three";
import type { SourceClip } from "../../store/clip";
import type { Palette } from "../palette";
import { CapsuleBody } from "./capsules";
import { shapeOf } from "./shape";

/** It stands so far aside, in its own sizes. */
export const ASIDE = 0.75;

export class TargetBody {
  readonly object = new Group();
  private body: CapsuleBody | null = null;
  private clip: SourceClip | null = null;
  private size = 1;
  private palette: Palette | null = null;
  private pose = new Float32Array(0);

  /** Show a take at a time beside a place, to the left as the camera sees it; null hides it. */
  show(clip: SourceClip | null, t: number, beside: [number, number], right: readonly number[], palette: Palette): void {
    this.object.visible = clip !== null;
    if (!clip) return;
    if (clip !== this.clip) this.make(clip);
    if (palette !== this.palette || !this.palette) this.paint(palette);
    const hips = Math.max(clip.header.roles.indexOf("hips"), 0);
    const at = Math.min(Math.max(t, clip.start), clip.end);
    clip.poseAt(at, this.pose);
    const away = ASIDE * this.size;
    this.body!.shift(
      beside[0] - this.pose[3 * hips]! - away * right[0]!, beside[1] - this.pose[3 * hips + 2]! - away * right[2]!);
    this.body!.pose(clip, at);
  }

  dispose(): void {
    this.body?.dispose();
  }

  private make(clip: SourceClip): void {
    if (this.body) {
      this.object.remove(this.body.object);
      this.body.dispose();
    }
    const shape = shapeOf(clip.header, clip);
    this.clip = clip;
    this.size = shape.size;
    this.pose = new Float32Array(3 * clip.points);
    this.body = new CapsuleBody(shape, "original");
    this.body.setSolidity(1);
    this.object.add(this.body.object);
    this.palette = null;
  }

  /** The colour of contacts is free of meaning on a body. */
  private paint(palette: Palette): void {
    this.palette = palette;
    this.body!.paint({ ...palette, originalBody: palette.contact, original: palette.contact });
  }
}
