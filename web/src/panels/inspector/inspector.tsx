/** The inspector: the selected step's parameters, what it found, and the status line. */

import { computed, signal } from "@preact/signals";
import { classes, IconButton, IconToggle, MenuButton, MethodIcon, Online } from "../../controls";
import { poses } from "../../store/poses";
import * as state from "../../store/state";
import { surfaceIndex, surfaceKeys } from "../../store/surface";
import { StepForm, StepNotes } from "../form/form";
import { inspectorHidden, inspectorOpen } from "../page/layout";
import { AddStep } from "../recipe/add_step";
import { stepMenu, stepTitle } from "../recipe/step";
import { METHOD_PANELS } from "./method_panels";
import { StatusLine } from "./status";

const helpShown = signal(false);

/** The step that the form is made for; its parameters may change without making the form again. */
const stepId = computed(() => state.step.value?.id ?? null);
const method = computed(() => state.step.value?.method ?? "");

export const Inspector = () => (
  <aside
    class={classes("inspector", helpShown.value && "with-help", inspectorOpen.value && "open")}
    aria-label="Parameters" tabIndex={-1} data-area="inspector"
  >
    <div class="inspector-body">{!inspectorHidden.value && <Body />}</div>
    <StatusLine />
  </aside>
);

function Body() {
  const [step, form] = [stepId.value, state.methods.value.get(method.value)];
  // The document may come before the welcome message that lists the methods.
  if (!step || !form) return <NothingChosen />;
  return (
    <>
      <TitleBar id={step} method={form.name} />
      <div class="inspector-form" key={`${step} ${form.name}`}>
        <Online><StepForm {...{ step, form }} panel={METHOD_PANELS[form.name] ?? {}} /></Online>
        <StepNotes step={step} />
      </div>
    </>
  );
}

/** The part of a step that is edited, where it is edited in parts: which surface key, which pose. */
export function partTitle(): string | null {
  if (method.value === "surface" && surfaceIndex.value !== null)
    return `Surface key ${surfaceIndex.value + 1} of ${surfaceKeys.value.length}`;
  const [pose, count] = [state.selectedPose.value, poses.value?.count ?? 0];
  return method.value === "stagger" && pose !== null && pose < count ? `Pose ${pose + 1} of ${count}` : null;
}

function TitleBar({ id, method }: { id: string; method: string }) {
  const [part, title] = [partTitle(), stepTitle(state.step.value)];
  return (
    <div class="inspector-title">
      <MethodIcon method={method} />
      <h2>{part ?? title}</h2>
      <span class="caption">{part !== null && title}</span>
      <IconToggle
        icon="help" label="Explain every field" on={helpShown.value}
        onClick={() => (helpShown.value = !helpShown.value)}
      />
      <Online>
        <MenuButton icon="more" label="What to do with this step" name="Step" rows={() => stepMenu(id)} />
      </Online>
      <IconButton
        icon="close" label="Close the parameters" class="drawer-button" onClick={() => (inspectorOpen.value = false)}
      />
    </div>
  );
}

const NothingChosen = () => (
  <div class="inspector-empty">
    <h2>No step</h2>
    <span class="caption">
      {state.source.value
        ? "A step changes when things happen. Add one, or press K for a keytime at the playhead."
        : "Parameters of a step are shown when a motion is open."}
    </span>
    {state.source.value && <div><AddStep>Add a step</AddStep></div>}
  </div>
);
