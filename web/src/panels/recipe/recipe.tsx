/** The recipe: steps in the order they act, to select, weigh, mute, reorder and remove. */

import { computed } from "@preact/signals";
import type { TargetedKeyboardEvent } from "preact";
import { Icon, openMenu, Section } from "../../controls";
import type { StepEntry } from "../../protocol";
import * as actions from "../../store/actions";
import * as state from "../../store/state";
import { count } from "../../words/numbers";
import { AddStep } from "./add_step";
import { RecipeMenu } from "./clipboard";
import { lineOf, moveBy, stepMenu, stepTitle } from "./step";
import { focusRow, StepEye, StepRows, StepWeight } from "./step_rows";

const stepCount = computed(() => state.steps.value.length);

export const RecipeSection = () => (
  <Section id="recipe" title="Recipe" caption={count(stepCount.value, "step")} actions={<><RecipeMenu /><AddStep /></>}>
    <StepRows
      name="step" label="Steps of the recipe" choose={(id) => (state.selectedStep.value = id)} onKeyDown={rowKey}
      afterLast={() => document.querySelector<HTMLElement>("[data-section=recipe] [aria-label='Add a step']")?.focus()}
      words={(step) => (
        <span class="step-words">
          <span class="step-name">{stepTitle(step)}</span><span class="step-line">{describe(step)}</span>
        </span>
      )}
      gripped
      row={(step, choose, grip) => (
        <>
          <span class="grip" aria-hidden="true" {...grip}><Icon name="grip" /></span>
          {choose}<StepWeight step={step} /><StepEye step={step} />
        </>
      )}
    />
    {stepCount.value === 0 && <p class="empty-note">No steps yet: the motion plays as it is.</p>}
  </Section>
);

/** What the step did; a muted step says so, one without a result what it is for. */
const describe = ({ id, mute, method }: StepEntry): string =>
  lineOf(id) || (mute ? "muted" : (state.methods.value.get(method)?.summary ?? ""));

function rowKey(event: TargetedKeyboardEvent<HTMLElement>, id: string, index: number): void {
  if ((event.target as Element).tagName === "INPUT") return;
  const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (by !== undefined) {
    event.preventDefault();
    event.stopPropagation();
    if (event.altKey) moveBy(id, by);
    else goTo(event.currentTarget, index + by);
  } else if (event.key === "Delete") {
    event.stopPropagation();
    actions.run({ type: "remove_step", id });
  } else if (event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey)) {
    event.preventDefault();
    openMenu((event.target as Element).getBoundingClientRect(), "Step", stepMenu(id));
  }
}

function goTo(row: HTMLElement, index: number): void {
  const next = state.steps.value[index];
  if (!next) return;
  state.selectedStep.value = next.id;
  focusRow(row.parentElement!, next.id);
}
