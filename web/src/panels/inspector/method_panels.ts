/** What each method shows beside its generated form; methods without an entry show the form alone. */

import { alignPanel } from "../align/align";
import type { MethodPanel } from "../form/form";
import { guidedPanel } from "../guided/guided";
import { holdPanel } from "../hold/hold";
import { musicPanel } from "../music/music";
import { physicsPanel } from "../physics/physics";
import { posesPanel } from "../poses/poses";
import { surfacePanel } from "../surface/surface";

export const METHOD_PANELS: Readonly<Record<string, MethodPanel>> = {
  guided: guidedPanel,
  spline: guidedPanel,
  physics: physicsPanel,
  align: alignPanel,
  sync: musicPanel,
  surface: surfacePanel,
  stagger: posesPanel,
  hold: holdPanel,
};
