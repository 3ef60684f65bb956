/** Editing a pose in the view: rings that turn a joint, arrows that move a hand or a foot. */

import { effect } from "@preact/signals";
import { Group } from "three";
import * as actions from "../../store/actions";
import * as state from "../../store/state";
import { Lines } from "../ground/lines";
import { PoseChip } from "./pose_chip";
import { poseColors, type PoseColors } from "./pose_colors";
import { editedJoint, editedPose, hoveredHandle, isReaching, jointLabel, onPose, placeAt, target } from "./pose_edit";
import { MoveGrip, TurnGrip } from "./pose_grips";
import { Handles, type Part } from "./pose_handles";
import { distance, type Quat } from "./pose_math";
import { missWords } from "./pose_miss";
import { JointPoints } from "./pose_points";
import { Screen, type Spot } from "./pose_screen";
import type { Grip, Tool, ToolPointer, ToolView } from "../tools";

/** A joint farther from its target than this, pixels, is joined to it by a line. */
const APART = 6;
/** A press that travels no farther is a click, pixels. */
const UNSTEADY = 4;

export class PoseTool implements Tool {
  readonly object = new Group();
  private readonly lines = new Lines({ onTop: true });
  private readonly chip = new PoseChip();
  private view: ToolView | null = null;
  private screen: Screen | null = null;
  private points: JointPoints | null = null;
  private handles: Handles | null = null;
  private turning: TurnGrip | null = null;
  private held = false;
  /** The joint that the pointer is over. */
  private pointed: number | null = null;
  private host: HTMLElement | null = null;
  private readonly forget: () => void;

  constructor() {
    this.object.add(this.lines.object);
    // A pose that is chosen is what is to be seen, also where it is known only later than it is chosen.
    let seen = "";
    this.forget = effect(() => {
      const edited = editedPose.value;
      const key = edited ? `${edited.step} ${edited.pose}` : "";
      if (key === seen) return;
      seen = key;
      if (!edited) return;
      state.playing.value = false;
      actions.seek(edited.at);
    });
    latest = this;
  }

  update(view: ToolView | null): void {
    this.view = view;
    this.lines.begin();
    const edited = view?.result && onPose.peek() && !state.playing.peek() ? editedPose.peek() : null;
    this.screen = edited && view ? this.look(view) : null;
    this.points = edited && this.screen && new JointPoints(edited, this.screen);
    this.handles = this.screen && this.makeHandles(this.screen);
    if (view && this.points && this.screen) this.draw(this.points, this.screen, poseColors(view.palette));
    this.lines.finish();
    this.tell();
  }

  hover(pointer: ToolPointer): string | null {
    if (this.held) return null;
    const part = this.handles?.at(pointer) ?? null;
    const joint = part ? null : (this.points?.at(pointer) ?? null);
    hoveredHandle.value = part;
    if (joint !== null) state.hoveredJoint.value = joint;
    else this.leave();
    this.pointed = joint;
    this.tell();
    return part ? "grab" : joint !== null ? "pointer" : null;
  }

  grab(pointer: ToolPointer): Grip | null {
    const edited = editedJoint.peek();
    const { handles, screen } = this;
    const part = handles?.at(pointer);
    if (!part || !edited || !handles || !screen) {
      const joint = this.points?.at(pointer) ?? null;
      return joint === null ? null : new ChooseGrip(joint, pointer);
    }
    this.held = true;
    hoveredHandle.value = part;
    const ended = (): void => {
      this.held = false;
      this.turning = null;
      hoveredHandle.value = null;
    };
    if (handles.kind === "ik") return new MoveGrip(edited, part, handles, screen, pointer, ended);
    this.turning = new TurnGrip(edited, part, handles, screen, pointer, this.parentTurn(edited.joint), ended);
    return this.turning;
  }

  dispose(): void {
    this.forget();
    this.host?.removeEventListener("pointerleave", this.leave);
    this.lines.dispose();
    this.chip.dispose();
    if (latest === this) latest = null;
  }

  // ---- for tests

  spotOf(part: Part): Spot | null {
    return this.handles?.parts.includes(part) ? this.handles.grabSpot(part) : null;
  }
  spotOfJoint(joint: number): Spot | null {
    return this.points?.spot(joint) ?? null;
  }

  // ---- what is there

  /** The page's box of the picture; the camera is as it will be drawn. */
  private look({ camera, box }: ToolView): Screen | null {
    if (!this.host?.isConnected) {
      this.host = document.querySelector<HTMLElement>(".view-canvas");
      this.host?.addEventListener("pointerleave", this.leave);
    }
    if (!this.host) return null;
    camera.updateMatrixWorld();
    return new Screen(camera, box);
  }

  private makeHandles(screen: Screen): Handles | null {
    const edited = editedJoint.peek();
    const centre = edited?.handle === "ik" ? target.peek() : edited && placeAt(edited.joint, edited.at);
    return edited?.free && centre ? new Handles(centre, edited.handle, screen) : null;
  }

  private draw(points: JointPoints, screen: Screen, colors: PoseColors): void {
    points.draw(this.lines, colors);
    const { handles } = this;
    const joint = editedJoint.peek();
    const place = joint && placeAt(joint.joint, joint.at);
    if (!handles || !place) return;
    const px = screen.pixel(handles.centre);
    // What the limb falls short of is seen as a line.
    if (distance(place, handles.centre) > APART * px)
      this.lines.add(place, 0.8 * px, handles.centre, 0.8 * px, colors.box, 0.7);
    handles.draw(this.lines, colors, hoveredHandle.peek());
  }

  /** The chip: of the joint that is pointed at, else of the one that has handles. */
  private tell(): void {
    const header = this.view?.source.header;
    if (!this.screen || !this.host || !header) return this.chip.hide();
    const edited = editedJoint.peek();
    const pointed = this.held ? null : this.pointed;
    const joint = pointed ?? edited?.joint ?? null;
    if (joint === null) return this.chip.hide();
    const ofHandles = joint === edited?.joint && this.handles;
    const spot = ofHandles ? this.screen.spot(this.handles!.centre) : this.spotOfJoint(joint);
    if (!spot) return this.chip.hide();
    const [detail, away] = ofHandles ? [this.detail(), 74] : ["", 12];
    this.chip.show(this.host, this.screen.box, jointLabel(header, joint), detail, spot, away);
  }

  private detail(): string {
    if (this.turning) return `${((180 / Math.PI) * this.turning.angle).toFixed(1).replace("-", "−")}°`;
    return this.handles?.kind === "ik" && isReaching.peek() ? missWords.peek() : "";
  }

  private readonly leave = (): void => {
    if (this.pointed !== null && state.hoveredJoint.peek() === this.pointed) state.hoveredJoint.value = null;
    this.pointed = null;
    if (!this.held) this.tell();
  };

  /** The parent's rotation in the world at the playhead; a root's parent is the world. */
  private parentTurn(joint: number): Quat {
    const { result, source, t } = this.view ?? {};
    const parent = source?.header.parents[joint] ?? -1;
    if (!result?.rotations || parent < 0) return [1, 0, 0, 0];
    const joints = result.rotations.length / 4 / result.frames;
    const at = 4 * (result.frameAt(t!) * joints + parent);
    return [...result.rotations.subarray(at, at + 4)] as unknown as Quat;
  }
}

/** A click on a joint chooses it. */
class ChooseGrip implements Grip {
  private far = 0;
  constructor(private readonly joint: number, private readonly start: Spot) {}
  move({ x, y }: ToolPointer): void {
    this.far = Math.max(this.far, Math.hypot(x - this.start.x, y - this.start.y));
  }
  drop(): void {
    if (this.far <= UNSTEADY) state.selectedJoint.value = this.joint;
  }
  cancel(): void {}
}

let latest: PoseTool | null = null;

/** Where a handle can be taken hold of, client coordinates; null while it is not shown. For tests. */
export const poseHandlePosition = (part: Part): Spot | null => latest?.spotOf(part) ?? null;
/** Where a joint's point is, client coordinates. For tests. */
export const posePointPosition = (joint: number): Spot | null => latest?.spotOfJoint(joint) ?? null;
