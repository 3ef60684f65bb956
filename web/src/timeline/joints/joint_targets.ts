/** What is under the pointer in the Joint times tab. */

import type { Limb } from "../../store/limbs";
import { curveAt, legendPlaces } from "./joint_curves";
import type { JointPlot } from "./joint_plot";
import { keyAt } from "./surface_row";

export type JointTarget =
  | { kind: "key"; index: number }
  | { kind: "reach"; index: number }
  | { kind: "curve"; joint: number }
  | { kind: "limb"; limb: Limb }
  | { kind: "range"; edge: 0 | 1 }
  | { kind: "ruler" }
  | { kind: "empty" };

const REACH = 12;

export function jointTargetAt(plot: JointPlot, x: number, y: number): JointTarget | null {
  if (x < plot.theme.gutter) {
    const found = legendPlaces(plot).find((place) => Math.abs(place.y - y) <= 8);
    return found ? { kind: "limb", limb: found.limb } : null;
  }
  if (y < plot.rows.ruler.height) return rangeEdgeAt(plot, x) ?? { kind: "ruler" };
  const key = keyAt(plot, x, y);
  if (key) return { kind: key.diamond ? "key" : "reach", index: key.index };
  const joint = curveAt(plot, x, y);
  return joint === null ? { kind: "empty" } : { kind: "curve", joint };
}

function rangeEdgeAt({ scene, time }: JointPlot, x: number): JointTarget | null {
  if (!scene.range) return null;
  const [near, far] = scene.range.map((t) => Math.abs(time.at(t) - x)) as [number, number];
  if (Math.min(near, far) > REACH) return null;
  return { kind: "range", edge: near <= far ? 0 : 1 };
}

export const sameJointTarget = (a: JointTarget | null, b: JointTarget | null): boolean =>
  JSON.stringify(a) === JSON.stringify(b);
