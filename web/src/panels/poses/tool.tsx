/** A tool over the view: one open drag that is shown while the tool is open, kept by Apply and discarded otherwise. */

import { effect, signal, untracked } from "@preact/signals";
import type { FunctionComponent } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { AmountField, Button, IconButton, MethodIcon, type NumberProps } from "../../controls";
import { ofWindow } from "../../store/editable";
import { addEdits, committedEdits, editsChange, openTool, toolClosed, type PoseEdit } from "../../store/poses";
import * as state from "../../store/state";
import { begin } from "../../store/transaction";
import { ScopeSegments } from "./scope";

export interface PoseTool {
  title: string;
  step: string;
  /** The edit as the controls stand now; null where that cannot be done. */
  edit(): PoseEdit | null;
  /** Why it cannot be done. */
  trouble(): string;
  Controls: FunctionComponent;
  /** What is announced once it is kept. */
  said(): string;
}

interface OpenTool extends PoseTool {
  keep(): void;
  giveUp(): void;
}

export const toolShown = signal<OpenTool | null>(null);

export function showTool(tool: PoseTool): void {
  const { title, step, edit, said } = tool;
  if (toolShown.value?.title === title) return;
  const opener = document.activeElement as HTMLElement | null;
  const drag = begin(step);
  const close = (): void => {
    const hadFocus = document.querySelector(".pose-tool")?.contains(document.activeElement);
    toolClosed();
    toolShown.value = null;
    stopShowing();
    stopWatching();
    window.removeEventListener("keydown", escape, true);
    if (hadFocus) opener?.focus({ preventScroll: true });
  };
  const giveUp = (): void => {
    close();
    drag.discard();
  };
  const keep = (): void => {
    const made = edit();
    if (!made) return;
    close();
    if (drag.isOpen) drag.commit();
    else addEdits(step, made); // another control was dragged since
    state.announcement.value = said();
  };
  const escape = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    event.stopPropagation();
    giveUp();
  };

  openTool(giveUp);
  toolShown.value = { ...tool, keep, giveUp };
  window.addEventListener("keydown", escape, true);
  let shown = "";
  const stopShowing = effect(() => {
    const made = edit();
    const edits = [...committedEdits(step), ...(made ? [made] : [])];
    // The edit depends on poses too, which come again with every result.
    if (JSON.stringify(edits) === shown) return;
    shown = JSON.stringify(edits);
    untracked(() => drag.update(editsChange(edits)));
  });
  // Another step, or a server that is gone, is not what this was opened for.
  const stopWatching = effect(() => {
    if (state.selectedStep.value !== step || state.link.value === "gone") queueMicrotask(giveUp);
  });
}

/** The open tool, at the lower right of the view, clear of the marks that it moves. */
export const ToolPanel = () =>
  toolShown.value && <OpenPanel key={toolShown.value.title} tool={toolShown.value} />;

function OpenPanel({ tool: { title, Controls, trouble, keep, giveUp } }: { tool: OpenTool }) {
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => panel.current?.querySelector<HTMLElement>("select, input")?.focus({ preventScroll: true }), []);
  return (
    <div ref={panel} class="pose-tool" role="dialog" aria-label={title}>
      <div class="pose-tool-head">
        <MethodIcon method="stagger" />
        <h2>{title}</h2>
        <IconButton icon="close" label={`Close ${title.toLowerCase()} without a change`} onClick={giveUp} />
      </div>
      <Controls />
      <span class="caption pose-tool-trouble">{trouble()}</span>
      <div class="pose-tool-foot">
        <ScopeSegments /><Button class="button filled" onClick={keep}>Apply</Button>
      </div>
    </div>
  );
}

interface ToolAmountProps extends Omit<NumberProps, "edit"> {
  value: { value: number };
  bounds: [number, number];
}

/** An amount of a tool, to slide and to type. */
export const ToolAmount = ({ value, ...rest }: ToolAmountProps) => (
  <AmountField maximum={10} edit={ofWindow(value.value, (to) => (value.value = to))} {...rest} />
);
