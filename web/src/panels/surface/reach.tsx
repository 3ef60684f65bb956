/** How much of a key's shift each part of the body takes, as bars. */

import { Section } from "../../controls";
import * as state from "../../store/state";
import { surfaceView } from "../../store/surface";
import { percent } from "../../words/numbers";
import { shares } from "./shares";

export function ReachSection({ index }: { index: number }) {
  const header = state.source.value?.header;
  const view = surfaceView(index)?.view;
  return (
    <Section id="surface-reach" title="Reach" caption="share of the shift">
      <div class="surface-reach" role="list">
        {header && view && shares(header, view.weights).map(({ title, share, limb }) => (
          <div key={title} class="surface-share" role="listitem">
            <span>{title}</span>
            <span class="bar" data-limb={limb} style={{ "--share": Math.min(Math.abs(share), 1).toFixed(2) }}>
              <span class="bar-fill" />
            </span>
            <span class="cost-number">{percent(share)}</span>
          </div>
        ))}
      </div>
    </Section>
  );
}
