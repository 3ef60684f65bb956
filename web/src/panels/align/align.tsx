/** Of align steps: how long the reference is beside this motion. */

import * as state from "../../store/state";
import { percent, seconds } from "../../words/numbers";
import type { MethodPanel } from "../form/form";
import { OWN_MOTION } from "../form/motions";

export const alignPanel: MethodPanel = { Below: Lengths };

function Lengths({ step }: { step: string }) {
  const chosen = state.stepNamed(step)?.parameters?.["reference"];
  const other = typeof chosen === "string" ? state.clips.value.get(chosen.replace(OWN_MOTION, "")) : null;
  const source = state.source.value;
  return (
    <span class="note">
      {other && source && (
        `The reference lasts ${seconds(other.duration)}, ${percent(other.duration / source.duration)} of this motion.`
      )}
    </span>
  );
}
