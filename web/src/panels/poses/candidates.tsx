/** Candidates: the moments that could be poses, kept and left one by one. */

import { Section } from "../../controls";
import * as actions from "../../store/actions";
import { endTool, poses, type PosesView } from "../../store/poses";
import * as state from "../../store/state";
import { timeText } from "../../words/units";

type Candidate = PosesView["candidates"][number];

/** The value of `keep` with one candidate more or less, as times of the step's input. */
export const keepWith = (candidates: readonly Candidate[], n: number): number[] =>
  candidates.filter((c, k) => c.kept !== (k === n)).map((c) => Number(c.keep.toFixed(5)));

export function CandidatesSection({ step }: { step: string }) {
  const candidates = poses.value?.candidates ?? [];
  const kept = candidates.filter((c) => c.kept).length;
  const flip = (n: number): void => {
    endTool();
    const one = candidates[n]!;
    actions.change(step, { parameters: { keep: keepWith(candidates, n) } });
    state.announcement.value = `The pose at ${timeText(one.at)} is ${one.kept ? "left out" : "kept"}.`;
  };
  return (
    <Section id="pose-candidates" title="Candidates" caption={`${kept} of ${candidates.length} kept`} folded>
      <ul class="pose-set" aria-label="Moments that could be poses">
        {candidates.map((one, n) => (
          <li key={n}>
            <label>
              <input type="checkbox" checked={one.kept} onChange={() => flip(n)} />
              {timeText(one.at)}
              <span class="pose-likely" style={{ width: `${Math.round(48 * one.likely)}px` }} />
            </label>
          </li>
        ))}
      </ul>
    </Section>
  );
}
