/** Of guided and spline steps: moments worth a keytime, and the cost of the timing beside simpler ones. */

import { Bars, Button, Icon, IconButton, KeyMark, Section } from "../../controls";
import * as actions from "../../store/actions";
import * as state from "../../store/state";
import { openSuggestions, type Suggestion } from "../../store/suggested";
import { number, percent, seconds, titled } from "../../words/numbers";
import type { MethodPanel } from "../form/form";

export const guidedPanel: MethodPanel = {
  Below: ({ step }) => <><Suggested step={step} /><Costs step={step} /></>,
};

function Suggested({ step }: { step: string }) {
  const found = openSuggestions.value;
  if (!found.length) return null;
  const addAll = (): void => {
    const added = found.map(({ key }): state.Key => [actions.round(key[0]), actions.round(key[1])]);
    actions.setParameter(step, "keytimes", [...state.keys.value, ...added].sort((a, b) => a[0] - b[0]));
  };
  return (
    <Section
      id="suggested" title="Suggested" caption="where timing matters" class="suggested-section"
      actions={found.length > 1 && <Button class="link" onClick={addAll}>Add all</Button>}
    >
      <div class="suggested" role="list">
        {found.map((suggestion) => <SuggestedRow key={suggestion.key[1]} {...{ step, suggestion }} />)}
      </div>
    </Section>
  );
}

function SuggestedRow({ step, suggestion }: { step: string; suggestion: Suggestion }) {
  const { key: [output, given], shown, share } = suggestion;
  const add = (): void => {
    state.selectedStep.value = step;
    actions.addKeyAt(shown, given);
  };
  return (
    <div class="key-row suggestion" role="listitem">
      <KeyMark kind="suggested" />
      <span>{seconds(output)}</span><Icon name="arrow" /><span>{seconds(given)}</span>
      <span class="caption" title="How much its timing matters">{percent(share)}</span>
      <IconButton icon="plus" label={`Add a keytime at ${seconds(output)}`} onClick={add} />
    </div>
  );
}

function Costs({ step }: { step: string }) {
  const costs = Object.entries(state.stepResult(step)?.costs ?? {});
  if (!costs.length) return null;
  const most = Math.max(...costs.map(([, cost]) => cost), 1e-9);
  const method = state.stepNamed(step)?.method;
  const bars = costs.map(([name, cost]) => ({
    name: titled(name), share: cost / most, value: number(cost, 1), own: name === method,
  }));
  return <Section id="cost" title="Cost" caption="lower is better"><Bars bars={bars} /></Section>;
}
