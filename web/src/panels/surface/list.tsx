/** The surface keys of a step as a list: when each arrives, and what it moves. */

import type { JSX } from "preact";
import { classes, IconButton, KeyMark, Section } from "../../controls";
import * as actions from "../../store/actions";
import * as state from "../../store/state";
import { farthestOf, removeSurface, surfaceIndex, surfaceKeys } from "../../store/surface";
import { seconds } from "../../words/numbers";
import { keyWords } from "../../words/surface_keys";

export function KeysSection({ add }: { add: JSX.Element }) {
  if (surfaceKeys.value.length < 2) return null;
  return (
    <Section id="surface-keys" title="Surface keys" caption="when they arrive" actions={add}>
      <div class="surface-keys" role="list">
        {surfaceKeys.value.map((key, k) => {
          const arrival = state.stepTimes.value.toResult(key.time + farthestOf(key));
          const selected = surfaceIndex.value === k;
          const choose = (): void => {
            state.selectedSurface.value = k;
            actions.seek(arrival);
          };
          return (
            <div key={k} class={classes("surface-key-row", selected && "selected")} role="listitem">
              <button type="button" class="surface-key" aria-pressed={selected} onClick={choose}>
                <KeyMark kind="key" />
                <span class="surface-key-time">{seconds(arrival)}</span>
                <span class="surface-key-words">{keyWords(state.source.value?.header, key)}</span>
              </button>
              <IconButton icon="close" label={`Remove surface key ${k + 1}`} onClick={() => removeSurface(k)} />
            </div>
          );
        })}
      </div>
    </Section>
  );
}
