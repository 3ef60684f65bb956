/** A duration on its feasible range: hatched where no body could be so quick, marked where the limits are. */

import { classes } from "../../controls";
import * as state from "../../store/state";
import { sourceLength } from "../../store/times";
import { seconds } from "../../words/numbers";
import { durationBounds } from "../form/duration";
import { ParameterField } from "../form/fields";
import { ParameterNumber } from "../form/number";
import { namedParameter } from "../form/parameter";

export function FeasibleDuration({ step }: { step: string }) {
  const parameter = namedParameter(step, "physics", "duration");
  if (!parameter) return null;
  const [low, high] = durationBounds(step);
  const found = state.physics.value?.header;
  const { least = null, most = null } = found ?? {};
  const impossible = least !== null && (parameter.number ?? sourceLength(step)) < least - 1e-3;
  const share = (t: number): number => Math.min(Math.max((t - low) / (high - low), 0), 1);
  const captions = (
    <div class="slider-captions">
      <span class={least === null ? "" : "strong"}>{least === null ? seconds(low) : `${seconds(least)} minimum`}</span>
      <span>{seconds(sourceLength(step))} source</span>
    </div>
  );
  return (
    <ParameterField
      parameter={parameter} wide class={classes("feasible", found && "known", impossible && "impossible")}
      style={{ "--least": least === null ? 0 : share(least), "--most": most === null ? 1 : share(most) }}
    >
      <ParameterNumber {...{ parameter, captions }} />
    </ParameterField>
  );
}
