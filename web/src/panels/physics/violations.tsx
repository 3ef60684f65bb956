/** Why a timing is impossible: each stretch with its cause and its smallest fix; a click goes there. */

import { Button, Icon, Section } from "../../controls";
import type { ViolationRow } from "../../protocol";
import * as actions from "../../store/actions";
import * as state from "../../store/state";
import { seconds, titled } from "../../words/numbers";

export function ViolationsSection({ step }: { step: string }) {
  const { violations = [], least = null } = state.physics.value?.header ?? {};
  if (!violations.length) return null;
  // At the very least everything is at its limit; a tenth more leaves room for the effort to be natural.
  const slow = least === null ? null : Math.ceil(least * 1.1 * 100) / 100;
  const fix = slow !== null && slow > lengthNow(step) + 0.005 && ( // never to a faster timing
    <Button class="link" onClick={() => actions.setParameter(step, "duration", slow)}>Slow to {seconds(slow)}</Button>
  );
  return (
    <Section id="violations" title="Why it is impossible" caption="frames" actions={fix}>
      <ul class="violations">{violations.map((row, k) => <Violation key={k} row={row} />)}</ul>
    </Section>
  );
}

/** How long a step's result is now, or will be by the duration that is asked for. */
function lengthNow(step: string): number {
  const asked = state.stepNamed(step)?.parameters?.["duration"];
  if (typeof asked === "number") return asked;
  const made = state.stepResult(step)?.made;
  return made ? made[1] - made[0] : Infinity;
}

function Violation({ row }: { row: ViolationRow }) {
  const [t, fps] = [state.time.value, state.fps.value];
  return (
    <li class={t >= row.output_start && t <= row.output_end ? "selected" : ""}>
      <button type="button" class="violation" onClick={() => actions.seek(row.output_start)}>
        <Icon name="alert" />
        <span class="violation-words">
          <span class="violation-text">{titled(row.text || row.cause)}</span>
          <span class="violation-mend">{row.mend}</span>
        </span>
        <span class="caption">{Math.round(row.output_start * fps)}–{Math.round(row.output_end * fps)}</span>
      </button>
    </li>
  );
}
