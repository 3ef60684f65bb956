/** Editing a pose in the view: rings that turn a joint, arrows that move a hand or a foot. */

import { Group } from "three";
import type { Grip, Tool } from "./tools";

export class PoseTool implements Tool {
  readonly object = new Group();
  update(): void {}
  hover(): string | null {
    return null;
  }
  grab(): Grip | null {
    return null;
  }
  dispose(): void {}
}
