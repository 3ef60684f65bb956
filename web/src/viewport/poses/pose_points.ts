/** The joints of an edited pose as points on the body: small to see, large to click. */

import * as state from "../../store/state";
import type { Lines } from "../ground/lines";
import type { PoseColors } from "./pose_colors";
import { placeAt, type EditedPose } from "./pose_edit";
import type { Screen, Spot } from "./pose_screen";

const HALF_TARGET = 12; // pixels
/** Radii, pixels. */
const DOT = { usual: 3, hovered: 4, chosen: 5 };

export class JointPoints {
  constructor(
    private readonly edited: EditedPose,
    private readonly screen: Screen,
  ) {}

  /** Where a joint's point is, client coordinates. */
  spot(joint: number): Spot | null {
    const place = placeAt(joint, this.edited.at);
    return place && this.screen.spot(place);
  }

  /** The joint under the pointer: the nearest within reach of it. */
  at(pointer: Spot): number | null {
    let best: number | null = null;
    let least = HALF_TARGET;
    for (const joint of this.edited.joints) {
      const spot = this.spot(joint);
      const far = spot ? Math.hypot(spot.x - pointer.x, spot.y - pointer.y) : Infinity;
      if (far < least) [best, least] = [joint, far];
    }
    return best;
  }

  draw(lines: Lines, colors: PoseColors): void {
    for (const joint of this.edited.joints) {
      const place = placeAt(joint, this.edited.at);
      if (!place) continue;
      const px = this.screen.pixel(place);
      const radius = px * (joint === state.hoveredJoint.peek() ? DOT.hovered : DOT.usual);
      if (joint === state.selectedJoint.peek())
        lines.add(place, DOT.chosen * px, place, DOT.chosen * px, colors.box, 1);
      lines.add(place, radius, place, radius, colors.joint, 1);
    }
  }
}
