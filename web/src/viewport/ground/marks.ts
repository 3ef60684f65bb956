/** What is drawn about the bodies: trails, contacts, skating, loads and forces. */

import { Group } from "three";
import * as state from "../../store/state";
import { Lines } from "./lines";
import type { Palette } from "../palette";
import { Rings } from "./rings";
import { addTrail } from "./trails";
import type { Shown } from "../camera/viewpoint";

export class Marks {
  readonly object = new Group();
  private readonly lines = new Lines();
  private readonly arrows = new Lines({ onTop: true }); // legs would hide them
  private readonly rings = new Rings();

  constructor() {
    this.object.add(this.rings.object, this.lines.object, this.arrows.object);
  }

  /** Draw the marks of a moment; the original stands aside by x and z, lines are `thick` metres to either side. */
  show(shown: Shown | null, palette: Palette, thick: number, x: number, z: number): void {
    for (const part of [this.lines, this.arrows, this.rings]) part.begin();
    if (shown) {
      if (state.showTrails.peek()) this.addTrails(shown, palette, thick, x, z);
      if (state.showContacts.peek()) this.addContacts(shown, palette, thick, x, z);
      this.addLoads(shown, palette);
    }
    for (const part of [this.lines, this.arrows, this.rings]) part.finish();
  }

  private addTrails({ subject, result, t }: Shown, palette: Palette, thick: number, x: number, z: number): void {
    for (const point of subject.trailed) {
      addTrail(this.lines, subject.source, point, t, palette.original, result ? 0.4 : 0.9, 0.8 * thick, x, z);
      if (result) addTrail(this.lines, result, point, t, palette.retimed, 1, thick);
    }
  }

  private addContacts({ subject, result, t }: Shown, palette: Palette, thick: number, x: number, z: number): void {
    const { feet, source } = subject;
    feet.addContacts(this.rings, source, t, palette.contact, result ? 0.6 : 0.95, x, z);
    if (!result) return;
    feet.addContacts(this.rings, result, t, palette.contact, 0.95);
    feet.addSkating(this.lines, result, t, palette.infeasible, 1.4 * thick);
  }

  private addLoads({ subject, result, t }: Shown, palette: Palette): void {
    const physics = state.showFeasibility.peek() ? state.physics.peek() : null;
    if (!physics || !physics.times.length || !result) {
      subject.retimed.setLoad(null, 0, 0);
      return;
    }
    const frame = physics.frameAt(result.sourceAt(t));
    subject.retimed.setLoad(physics.use, frame * physics.joints, physics.joints);
    const trouble = physics.stateAt(frame) === "infeasible" ? palette.infeasible : null;
    subject.feet.addForces(this.arrows, this.rings, result, t, physics.force[frame] ?? 0, palette.contact, trouble);
  }

  dispose(): void {
    for (const part of [this.lines, this.arrows, this.rings]) part.dispose();
  }
}
