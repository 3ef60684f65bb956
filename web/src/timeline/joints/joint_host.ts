/** What the tab's gestures and keys work on. */

import type { GestureHost } from "../plot/gesture_host";
import type { JointPlot } from "./joint_plot";
import type { KeyDragView } from "./surface_row";

export interface JointHost extends GestureHost {
  plot(): JointPlot;
  /** Show the room of a key that is dragged, and where the pointer is if it stopped. */
  showDrag(drag: KeyDragView | null): void;
}
