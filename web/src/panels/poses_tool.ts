/** A tool over the view: it previews while it is open, keeps one edit, and leaves nothing where it is closed. */

import { effect, signal, untracked } from "@preact/signals-core";
import * as actions from "../store/actions";
import { committedEdits, openTool, previewEdits, setEdits, toolClosed, type PoseEdit } from "../store/poses";
import * as state from "../store/state";
import { button, iconButton } from "./controls";
import { element, live, scope, type Child } from "./dom";
import { methodIcon } from "./icons";
import { numberField } from "./number";
import { row } from "./poses_pose";
import { scopeSegments } from "./poses_scope";
import { slider } from "./slider";

export interface Amount {
  label: string;
  unit?: string;
  value: { value: number };
  bounds: [number, number];
  step: number;
  digits: number;
  minimum: number;
}

/** An amount of a tool, to slide and to type. */
export function amountRow({ label, value, bounds, ...look }: Amount): HTMLElement {
  const set = (to: number): void => void (value.value = to);
  const editing = {
    label, value: () => value.value, step: look.step, preview: set, commit: set, discard: () => undefined,
  };
  return row(label, slider({ ...editing, bounds: () => bounds }), numberField({ ...editing, ...look, maximum: 10 }));
}

export const toolShown = signal<string | null>(null);

export interface ToolOptions {
  title: string;
  step: string;
  /** What it makes as its controls stand now; null where that cannot be done. */
  edit(): PoseEdit | null;
  /** Why it cannot be done. */
  trouble?(): string;
  build(): Child[];
  said(): string;
}

const present = (edit: PoseEdit | null): PoseEdit[] => (edit ? [edit] : []);

/** Open a tool at the lower right of the view, clear of the marks that it moves. */
export function showTool({ title, step, edit, trouble, build, said }: ToolOptions): void {
  if (toolShown.value === title) return;
  const opener = document.activeElement as HTMLElement | null;
  let end = (): void => undefined;
  let panel: HTMLElement | null = null;
  const close = (): void => {
    toolClosed();
    toolShown.value = null;
    end();
    window.removeEventListener("keydown", escape, true);
    const had = panel?.contains(document.activeElement);
    panel?.remove();
    if (had) opener?.focus({ preventScroll: true });
  };
  const giveUp = (): void => {
    close();
    actions.discard();
  };
  const escape = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    event.stopPropagation();
    giveUp();
  };
  const keep = (): void => {
    const made = edit();
    if (!made) return;
    close();
    setEdits(step, [...committedEdits(step), made]);
    state.announcement.value = said();
  };

  openTool(giveUp);
  toolShown.value = title;
  const [made, stop] = scope(() => {
    const apply = button("Apply", keep, "button filled");
    const made = element(
      "div",
      { className: "pose-tool", role: "dialog", ariaLabel: title },
      element(
        "div",
        { className: "pose-tool-head" },
        methodIcon("stagger"),
        element("h2", { textContent: title }),
        iconButton("close", `Close ${title.toLowerCase()} without a change`, giveUp),
      ),
      ...build(),
      live(() => trouble?.() ?? "", "caption pose-tool-trouble"),
      element("div", { className: "pose-tool-foot" }, scopeSegments(), apply),
    );
    return made;
  });
  panel = made;
  document.querySelector("[data-area=view]")?.append(made);
  window.addEventListener("keydown", escape, true);
  made.querySelector<HTMLElement>("select, input")?.focus({ preventScroll: true });

  // Another step, or a document that somebody else changed, is not what this was opened for.
  let shown = "";
  const preview = effect(() => {
    const edits = [...committedEdits(step), ...present(edit())];
    // What is asked for depends on poses too, and they come anew with every answer.
    if (JSON.stringify(edits) === shown) return;
    shown = JSON.stringify(edits);
    untracked(() => previewEdits(step, edits));
  });
  const leave = effect(() => {
    if (state.selectedStep.value !== step || state.link.value === "gone") queueMicrotask(giveUp);
  });
  end = () => {
    preview();
    leave();
    stop();
  };
}
