/** What is possible at this frame: a region of acceleration and squared speed, and where the timing is in it. */

import { Plot, Section } from "../../controls";
import type { PhysicsView } from "../../store/clip";
import * as state from "../../store/state";
import { number } from "../../words/numbers";
import { drawRegion, timingAt } from "./region_plot";

/** The frame of the physics at the playhead. */
const shownFrame = (physics: PhysicsView): number =>
  physics.frameAt(state.result.value?.sourceAt(state.time.value) ?? state.time.value);

export function RegionSection() {
  const physics = state.physics.value;
  if (!physics) return null;
  const frame = shownFrame(physics);
  const where = physics.stateAt(frame);
  const outputFrame = Math.round((state.time.value - state.domain.value[0]) * state.fps.value);
  return (
    <Section id="region" title="Region" caption={`frame ${outputFrame}${where ? `, ${where}` : ""}`}>
      <Plot
        class="region" label={spoken(physics, frame)}
        draw={(pen, width, height) => {
          const now = state.physics.value;
          if (now) drawRegion(pen, width, height, now, shownFrame(now));
        }}
      />
    </Section>
  );
}

function spoken(physics: PhysicsView, frame: number): string {
  const [acceleration, speed2] = timingAt(physics, frame);
  const speed = number(Math.sqrt(Math.max(speed2, 0)));
  const where = physics.stateAt(frame);
  return `This frame is ${where}: speed ${speed} times, acceleration ${number(acceleration)} a second.`;
}
