/** Steps as rows to choose, weigh, mute and drag to another place, in the recipe and in the layers. */

import { useSignal, type Signal } from "@preact/signals";
import type { ComponentChildren, HTMLAttributes, JSX, TargetedKeyboardEvent } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { classes, IconButton, MethodIcon, NumberField, Online, openMenuAt } from "../../controls";
import type { StepEntry } from "../../protocol";
import { ofStep } from "../../store/editable";
import * as state from "../../store/state";
import { reorder, type Drop } from "./reorder";
import { move, stepMenu, toggleMute } from "./step";

/** What a row is dragged by. */
type Grip = Pick<HTMLAttributes<HTMLElement>, "title" | "onPointerDown">;

interface RowsProps {
  /** Name of the classes: `x-rows` of `x`, each with an `x-choose`. */
  name: string;
  label: string;
  choose(id: string): void;
  /** What the button that chooses a step says beside its icon. */
  words(step: StepEntry): ComponentChildren;
  /** The row around that button; without a grip in it the button is dragged. */
  row(step: StepEntry, choose: JSX.Element, grip: Grip): ComponentChildren;
  gripped?: boolean;
  onKeyDown?(event: TargetedKeyboardEvent<HTMLElement>, id: string, index: number): void;
  /** Where the focus goes when the last row is gone. */
  afterLast?(): void;
}

export function StepRows(props: RowsProps) {
  const { name, label, choose, afterLast } = props;
  const list = useRef<HTMLOListElement>(null);
  const drop = useSignal<Drop | null>(null);
  const steps = state.steps.value;
  const ids = steps.map((s) => s.id);
  const order = ids.join();
  // Before the rows change: a row that is moved keeps the focus, one that is removed gives it to its neighbour.
  const rows = [...(list.current?.children ?? [])] as HTMLElement[];
  const place = rows.findIndex((row) => row.contains(document.activeElement));
  useLayoutEffect(() => {
    if (place < 0 || !list.current || list.current.contains(document.activeElement)) return;
    const id = rows[place]!.dataset["step"]!;
    const next = nextFocus(ids, id, place);
    if (next === null) return afterLast?.();
    if (next !== id) choose(next);
    focusRow(list.current, next);
    // Only a change of the rows moves the focus.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [order]);
  return (
    <ol ref={list} class={`${name}-rows`} aria-label={label}>
      {steps.map((step, index) => <StepRow key={step.id} {...props} {...{ step, index, drop }} />)}
    </ol>
  );
}

/** Which of the steps that are left has the focus next: the same one, else what came to its place, else the last. */
export function nextFocus(ids: readonly string[], id: string, place: number): string | null {
  return ids.includes(id) ? id : (ids[Math.min(place, ids.length - 1)] ?? null);
}

export const focusRow = (list: ParentNode, id: string): void =>
  list.querySelector<HTMLElement>(`[data-step="${CSS.escape(id)}"] [data-choose]`)?.focus();

interface RowProps extends RowsProps {
  step: StepEntry;
  index: number;
  drop: Signal<Drop | null>;
}

function StepRow({ name, choose, words, row, gripped, onKeyDown, step, index, drop }: RowProps) {
  const { id, method, mute } = step;
  const selected = state.selectedStep.value === id;
  const none = !state.stepNamed(state.selectedStep.value ?? "");
  const grip: Grip = {
    title: "Drag to reorder (Alt+↑ ↓)",
    onPointerDown: (press) => reorder(press, index, drop, (to) => move(id, to)),
  };
  const { from, gap } = drop.value ?? { from: -1, gap: -1 };
  const moves = from >= 0 && gap !== from && gap !== from + 1;
  const last = index === state.steps.value.length - 1;
  return (
    <li
      data-step={id} onContextMenu={(event) => openMenuAt(event, "Step", stepMenu(id))}
      onKeyDown={(event) => onKeyDown?.(event, id, index)}
      class={classes(
        "step-row", name, selected && "selected", mute && "muted", from === index && "dragged",
        moves && gap === index && "drop-before", moves && last && gap === index + 1 && "drop-after",
      )}
    >
      {row(step, (
        // One stop of the Tab key for the list: arrows move inside it.
        <button
          type="button" class={`${name}-choose`} data-choose={id} aria-current={selected}
          tabIndex={selected || (index === 0 && none) ? 0 : -1} onClick={() => choose(id)} {...(gripped ? {} : grip)}
        >
          <MethodIcon method={method} />{words(step)}
        </button>
      ), grip)}
    </li>
  );
}

export const StepWeight = ({ step: { id, weight } }: { step: StepEntry }) => (
  <Online>
    <NumberField
      class="bare step-weight" title="Weight: drag or type" label="Weight" unit="%" whole step={1} minimum={0}
      maximum={100} edit={ofStep(id, 100 * (weight ?? 1), (percent) => ({ weight: percent / 100 }))}
    />
  </Online>
);

export const StepEye = ({ step: { id, mute = false } }: { step: StepEntry }) => (
  <Online>
    <IconButton
      icon={mute ? "eye-off" : "eye"} label={mute ? "Unmute (M)" : "Mute (M)"} aria-pressed={mute}
      onClick={() => toggleMute(id)}
    />
  </Online>
);
