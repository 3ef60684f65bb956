/** Keytimes as a list to type: at which output time which moment of the source is shown. */

import { classes, FieldHelp, Icon, IconButton, KeyMark, NumberField, Section } from "../../controls";
import * as actions from "../../store/actions";
import * as state from "../../store/state";
import { givenTo, sourceLength, timeReader } from "../../store/times";
import { seconds } from "../../words/numbers";
import { timeText, timeUnit } from "../../words/units";
import type { Parameter } from "./parameter";

const sorted = ({ step }: Parameter): state.Key[] =>
  state.keysOf(state.stepNamed(step)).sort((a, b) => a[0] - b[0]);

export function KeytimesField({ parameter }: { parameter: Parameter }) {
  const add = (): void => actions.addKeyAt(state.time.value);
  return (
    <Section
      id="keytimes" title={parameter.field.label} caption="output → source"
      actions={<IconButton icon="plus" label="Add a keytime at the playhead" onClick={add} />}
    >
      <div class="keytimes" role="list">
        {sorted(parameter).map((key, k) => <KeyRow key={k} {...{ parameter, k }} times={key} />)}
        <EndRow step={parameter.step} />
      </div>
      <FieldHelp>{parameter.field.help}</FieldHelp>
    </Section>
  );
}

function KeyRow({ parameter, k, times }: { parameter: Parameter; k: number; times: state.Key }) {
  const choose = (): void => {
    state.selectedKey.value = k;
    actions.seek(state.stepTimes.value.toResult(times[0]));
  };
  const remove = (): void => {
    state.selectedStep.value = parameter.step;
    actions.deleteKey(k);
  };
  const time = (side: 0 | 1) => {
    const write = (t: number): state.Key[] =>
      sorted(parameter).map((key, i) => (i === k ? (key.with(side, actions.round(t)) as state.Key) : key));
    return (
      <NumberField
        label={`Keytime ${k + 1}, ${side === 0 ? "output" : "source"}`} unit="s"
        step={1 / Math.max(state.fps.value, 1)} edit={parameter.editable(times[side], write)}
        parse={timeReader(side === 0 ? "output" : "source", () => parameter.step)}
      />
    );
  };
  return (
    <div
      class={classes("key-row", state.selectedKey.value === k && "selected")} role="listitem"
      onFocusIn={() => (state.selectedKey.value = k)}
    >
      <button
        type="button" class="key-button" onClick={choose}
        aria-label={`Go to keytime ${k + 1}: ${seconds(times[0])} shows ${seconds(times[1])}`}
      >
        <KeyMark kind="key" />
      </button>
      {time(0)}<Icon name="arrow" />{time(1)}
      <IconButton icon="close" label={`Delete keytime ${k + 1}`} onClick={remove} />
    </div>
  );
}

/** The end is fixed by the duration: shown, not edited. */
function EndRow({ step }: { step: string }) {
  const given = state.stepNamed(step)?.parameters?.["duration"];
  const output = typeof given === "number" ? given : (state.stepResult(step)?.made[1] ?? sourceLength(step));
  const fixed = (label: string, t: number) => {
    const unit = { seconds: "s", frames: "f", timecode: "" }[timeUnit.value];
    const text = timeText(t).replace(/ [sf]$/, "");
    return (
      <span class="number">
        <input type="text" readOnly aria-label={unit ? `${label}, ${unit}` : label} value={text} />
        {unit && <span class="unit">{unit}</span>}
      </span>
    );
  };
  return (
    <div class="key-row end" role="listitem">
      <KeyMark kind="end" />
      {fixed("End, output", output)}<Icon name="arrow" />{fixed("End, source", givenTo(step)[1])}
      <span class="caption">end</span>
      <span class="key-lock" title="The end follows the duration"><Icon name="lock" /></span>
    </div>
  );
}
