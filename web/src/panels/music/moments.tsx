/** Moments of the source that must be on a beat: locked at the playhead, typed, or removed. */

import { FieldHelp, IconButton, KeyMark, NumberField, Section } from "../../controls";
import * as actions from "../../store/actions";
import { ofStep } from "../../store/editable";
import * as state from "../../store/state";
import { timeReader } from "../../store/times";
import { count, seconds } from "../../words/numbers";

export function momentsOf(step: string): number[] {
  const listed = state.stepNamed(step)?.parameters?.["moments"];
  return Array.isArray(listed) ? (listed as number[]).filter((t) => typeof t === "number") : [];
}

/** Moments in order, to a tenth of a millisecond, none twice; null where there are none. */
export function withMoments(moments: readonly number[]): number[] | null {
  const all = [...new Set(moments.map(actions.round))].sort((a, b) => a - b);
  return all.length ? all : null;
}

/** The moment of the step's input that is shown at the playhead. */
function shownMoment(): number {
  const source = state.result.value?.sourceAt(state.time.value) ?? state.time.value;
  return state.stepTimes.value.fromSource(source);
}

export function Moments({ step }: { step: string }) {
  const moments = momentsOf(step);
  const set = (to: readonly number[]): void => actions.setParameter(step, "moments", withMoments(to));
  const off = state.link.value !== "open" || !state.source.value;
  const help = state.methods.value.get("sync")?.fields.find((field) => field.name === "moments")?.help ?? "";
  return (
    <Section
      id="moments" title="Locked moments" caption={moments.length ? count(moments.length, "moment") : "none"}
      actions={
        <IconButton
          icon="plus" label="Lock the pose at the playhead to a beat" disabled={off}
          onClick={() => set([...moments, shownMoment()])}
        />
      }
    >
      <div class="keytimes" role="list">
        {moments.map((t, k) => (
          <div key={k} class="key-row" role="listitem">
            <button
              type="button" class="key-button" aria-label={`Go to locked moment ${k + 1}, ${seconds(t)}`}
              onClick={() => goTo(t)}
            >
              <KeyMark kind="key" />
            </button>
            <NumberField
              label={`Locked moment ${k + 1}, source`} unit="s" step={1 / Math.max(state.fps.value, 1)}
              parse={timeReader("source", () => step)}
              edit={ofStep(step, t, (to: number) => ({
                parameters: { moments: withMoments(moments.map((old, n) => (n === k ? to : old))) },
              }))}
            />
            <IconButton
              icon="close" label={`Unlock moment ${k + 1}`} onClick={() => set(moments.filter((_, n) => n !== k))}
            />
          </div>
        ))}
      </div>
      <FieldHelp>{help}</FieldHelp>
    </Section>
  );
}

function goTo(moment: number): void {
  const source = state.stepTimes.value.toSource(moment);
  state.playing.value = false;
  actions.seek(state.result.value?.outputOf(source) ?? source);
}
