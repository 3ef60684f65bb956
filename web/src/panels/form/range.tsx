/** A part of the clip: from when to when, typed or taken from the play range. */

import { Button, NumberField } from "../../controls";
import * as actions from "../../store/actions";
import * as state from "../../store/state";
import { timeReader } from "../../store/times";
import type { Parameter } from "./parameter";

type Span = [number, number];

export function RangeField({ parameter }: { parameter: Parameter }) {
  const given = (): Span | null => (Array.isArray(parameter.value) ? (parameter.value as Span) : null);
  const whole: Span = [state.source.value?.start ?? 0, state.source.value?.end ?? 1];
  const end = (side: 0 | 1) => {
    const write = (t: number): Span => {
      const [a, b] = given() ?? whole;
      return side === 0 ? [actions.round(t), b] : [a, actions.round(t)];
    };
    return (
      <NumberField
        label={`${parameter.field.label}, ${side === 0 ? "from" : "to"}`} unit="s" placeholder={whole[side].toFixed(2)}
        parse={timeReader("source", () => parameter.step)}
        edit={{ ...parameter.editable(given()?.[side] ?? null, write), clear: () => parameter.reset() }}
      />
    );
  };
  return (
    <>
      <span class="field-value">{end(0)}<span class="caption">to</span>{end(1)}</span>
      <span class="field-actions">
        {state.playRange.value && (
          <Button class="button small" onClick={() => takePlayRange(parameter)}>From play range</Button>
        )}
        {given() && <Button class="button small quiet" onClick={() => parameter.reset()}>Whole clip</Button>}
      </span>
    </>
  );
}

/** Play ranges are in the result's time; a step's range is in that of its own input. */
function takePlayRange(parameter: Parameter): void {
  const source = state.playRange.value?.map((t) => state.result.value?.sourceAt(t) ?? t);
  if (source) parameter.set(source.map((s) => actions.round(state.stepTimes.value.fromSource(s))));
}
