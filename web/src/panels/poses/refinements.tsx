/** Refinements of the selected pose or of all: scaled, cleared, and tools that make them. */

import { AmountField, Button, classes, Section } from "../../controls";
import { ofStep } from "../../store/editable";
import { addEdits, editChange, editsOf, goingOn, poses, type PoseEdit } from "../../store/poses";
import * as state from "../../store/state";
import { openRandom } from "./random";
import { freePose, poseScope, scopedPoses, scopeText } from "./scope";
import { openSuccession } from "./succession";
import { toolShown } from "./tool";
import { lengthText } from "../../words/units";

const scaling = (percent: number): PoseEdit => ({ do: "scale_refinements", share: percent / 100, ...scopedPoses() });
const TOOLS = { Succession: openSuccession, Random: openRandom };

export function RefinementsSection({ step }: { step: string }) {
  const percent = Math.round(100 * (goingOn(editsOf(state.stepNamed(step)), scaling(100), "share") ?? 1));
  const edit = ofStep(step, percent, (to) => editChange(step, scaling(to)), (to) => {
    state.announcement.value = `Refinements scaled to ${to} %, ${scopeText()}.`;
  });
  const clear = (): void => {
    addEdits(step, { do: "clear_refinements", ...scopedPoses() });
    state.announcement.value = `All parts arrive together, ${scopeText()}.`;
  };
  return (
    <Section id="pose-refinements" title="Refinements" caption={caption()}>
      <AmountField
        name="Scale" label="Scale of refinements" unit="%" whole step={1} minimum={0} maximum={10000}
        bounds={[0, 200]} edit={edit} spoken={(value) => `${value} %`}
      />
      <div class="pose-tools">
        {Object.entries(TOOLS).map(([title, open]) => (
          <Button key={title} class={classes("button", toolShown.value?.title === title && "on")} onClick={() => open(step)}>
            {title}
          </Button>
        ))}
        <Button onClick={clear}>Clear</Button>
      </div>
    </Section>
  );
}

/** How far the parts of the selected pose, or of any, are from it. */
function caption(): string {
  const [view, k] = [poses.value, freePose()];
  if (!view) return "";
  if (k !== null && poseScope.value === "this") return `up to ${lengthText(view.most(k))}`;
  const most = Math.max(0, ...Array.from({ length: view.count }, (_, n) => view.most(n)));
  return `up to ${lengthText(most)}, ${scopeText()}`;
}
