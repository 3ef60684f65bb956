/** Both bodies while a motion is followed live: the performer in cyan, what it is followed in in purple. */

import { fitsBody, type LiveBodies } from "../../store/live";
import type { Subject } from "./subject";

/** Pose both; the performer stands aside by x and z from where the other began, so that both are in the picture. */
export function poseLive(
  subject: Subject, { performer, at, reference, shows }: LiveBodies, x: number, z: number,
): void {
  const { original, retimed } = subject;
  retimed.object.visible = true;
  retimed.pose(reference, shows);
  original.object.visible = fitsBody(performer);
  if (!original.object.visible) return;
  const [fromX, fromZ] = subject.middle(performer, performer.start);
  const [toX, toZ] = subject.middle(reference, reference.start);
  original.shift(toX - fromX + x, toZ - fromZ + z);
  original.pose(performer, at);
  original.setSolidity(x === 0 && z === 0 ? 0 : 1);
}
