/** Time control surfaces in the view: the sheet of the selected key, and the joints that it drags. */

import { Group } from "three";
import type { Grip, Tool } from "./tools";

export class SurfaceTool implements Tool {
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
