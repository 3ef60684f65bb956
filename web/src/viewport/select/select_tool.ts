/** Clicking the body selects a joint; the selected joint and the bones that it turns are marked. */

import { Group } from "three";
import { clickJoint } from "../../store/selection";
import * as state from "../../store/state";
import { Lines } from "../ground/lines";
import { poseColors } from "../poses/pose_colors";
import type { Point } from "../poses/pose_math";
import { Screen, type Spot } from "../poses/pose_screen";
import type { Tool, ToolPointer, ToolView } from "../tools";
import { nearestJoint } from "./nearest_joint";

/** Radii of the mark, pixels. */
const MARK = { joint: 5, bone: 1.5 };

export class SelectTool implements Tool {
  readonly object = new Group();
  private readonly lines = new Lines({ onTop: true });
  private view: ToolView | null = null;
  private pose = new Float32Array(0);

  constructor() {
    this.object.add(this.lines.object);
    latest = this;
  }

  update(view: ToolView | null): void {
    this.view = view;
    this.lines.begin();
    const joint = state.selectedJoint.peek();
    if (view && joint !== null && joint < view.source.header.joints.length) this.mark(view, joint);
    this.lines.finish();
  }

  hover(): string | null {
    return null;
  }
  grab(): null {
    return null;
  }

  /** A click beside the body selects nothing. */
  click({ x, y }: ToolPointer): void {
    if (!this.view) return;
    const { joints, parents } = this.view.source.header;
    clickJoint(nearestJoint({ x, y }, joints.map((_, j) => this.spotOf(j)), parents));
  }

  spotOf(joint: number): Spot | null {
    if (!this.view) return null;
    this.posed(this.view);
    return new Screen(this.view.camera, this.view.box).spot(this.place(joint));
  }

  dispose(): void {
    this.lines.dispose();
    if (latest === this) latest = null;
  }

  private mark(view: ToolView, joint: number): void {
    this.posed(view);
    view.camera.updateMatrixWorld();
    const screen = new Screen(view.camera, view.box);
    const { box } = poseColors(view.palette);
    const place = this.place(joint);
    const px = screen.pixel(place);
    this.lines.add(place, MARK.joint * px, place, MARK.joint * px, box, 0.9);
    view.source.header.parents.forEach((parent, child) => {
      if (parent === joint) this.lines.add(place, MARK.bone * px, this.place(child), MARK.bone * px, box, 0.7);
    });
  }

  private posed({ source, result, t }: ToolView): void {
    const clip = result ?? source;
    if (this.pose.length !== 3 * clip.points) this.pose = new Float32Array(3 * clip.points);
    clip.poseAt(t, this.pose);
  }

  private place(joint: number): Point {
    return [this.pose[3 * joint]!, this.pose[3 * joint + 1]!, this.pose[3 * joint + 2]!];
  }
}

let latest: SelectTool | null = null;
/** Where a joint of the body is, client coordinates. For tests. */
export const bodyJointPosition = (joint: number): Spot | null => latest?.spotOf(joint) ?? null;
