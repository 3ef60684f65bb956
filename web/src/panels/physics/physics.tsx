/** Of physics steps: what the body can do, how far off this timing is, and the smallest change that fixes it. */

import { Button, Icon } from "../../controls";
import * as actions from "../../store/actions";
import * as state from "../../store/state";
import { number } from "../../words/numbers";
import type { MethodPanel } from "../form/form";
import { FeasibleDuration } from "./feasible";
import { GravityGroup } from "./gravity";
import { MassesSection } from "./masses";
import { RegionSection } from "./region";
import { ViolationsSection } from "./violations";

export const physicsPanel: MethodPanel = {
  replaces: ["duration", "gravity", "mass_scale"],
  Above: ({ step }) => (
    <>
      <div class="field-group"><FeasibleDuration step={step} /></div>
      <GravityGroup step={step} />
      <RegionSection />
      <ViolationsSection step={step} />
      <WatchButton step={step} />
    </>
  ),
  Below: MassesSection,
  moreTitle: "Body and limits",
  MoreCaption: BodyCaption,
};

function BodyCaption() {
  const found = state.physics.value?.header;
  return <>{found && `${number(found.mass, 0)} kg, friction ${number(found.friction)}`}</>;
}

const WatchButton = ({ step }: { step: string }) => (
  <div class="field-group">
    <Button
      title="Solve slowly enough to follow: drag the curve to push it" onClick={() => actions.watchSolving(step)}
      disabled={state.link.value !== "open" || state.computing.value}
    >
      <Icon name="play" />Watch it being solved
    </Button>
  </div>
);
