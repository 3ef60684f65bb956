/** A method's form: what it shows by its declaration, with what a method adds of its own. */

import type { MethodForm } from "../protocol";
import * as state from "../store/state";
import { alignExtra } from "./align";
import { section } from "./controls";
import { element, watch, type Child } from "./dom";
import { fieldRow } from "./fields";
import { guidedExtra } from "./guided";
import { icon } from "./icons";
import { physicsExtra } from "./physics";
import { posesExtra } from "./poses";
import { arrange } from "./presentation";
import { surfaceExtra } from "./surface";
import { openProblem } from "./trouble";

/** What a method shows beside its generic form. */
export interface MethodExtra {
  /** Fields that it shows itself, and the form does not. */
  replaces: string[];
  above?(step: string, form: MethodForm): Child[];
  below?(step: string, form: MethodForm): Child[];
  moreTitle?: string;
  moreCaption?(): Child;
}

const EXTRAS: Record<string, MethodExtra> = {
  guided: guidedExtra,
  spline: guidedExtra,
  physics: physicsExtra,
  align: alignExtra,
  surface: surfaceExtra,
  stagger: posesExtra,
};

const LISTS = new Set(["keytimes", "pairs", "rows"]);

export function methodForm(step: string, form: MethodForm): Child[] {
  const extra: MethodExtra = EXTRAS[form.name] ?? { replaces: [] };
  const left = (fields: MethodForm["fields"]) => fields.filter((f) => !extra.replaces.includes(f.name));
  const { basic, more } = arrange(form);
  const plain = left(basic).filter((f) => !LISTS.has(f.kind));
  const lists = left(basic).filter((f) => LISTS.has(f.kind));
  const rest = left(more).sort((a, b) => Number(LISTS.has(a.kind)) - Number(LISTS.has(b.kind)));
  return [
    ...(extra.above?.(step, form) ?? []),
    ...grouped(plain.map((f) => fieldRow(step, f))),
    ...lists.map((f) => fieldRow(step, f)),
    ...(extra.below?.(step, form) ?? []),
    rest.length
      ? section(
          { id: `more-${form.name}`, title: extra.moreTitle ?? "More", caption: extra.moreCaption?.(), folded: true },
          ...rest.map((f) => fieldRow(step, f)),
        )
      : null,
  ];
}

/** Wide fields stand together, apart from the narrow ones, as in the pictures. */
function grouped(rows: HTMLElement[]): HTMLElement[] {
  const wide = rows.filter((row) => row.classList.contains("wide"));
  const narrow = rows.filter((row) => !row.classList.contains("wide"));
  const parts = [wide, narrow].filter((part) => part.length);
  return parts.map((part) => element("div", { className: "field-group" }, ...part));
}

/** What a step wants to say, and what the server has against it. */
export function stepNotes(step: string): HTMLElement {
  const made = element("div", { className: "step-notes" });
  watch(() => {
    const notes = state.result.value?.header.steps.find((s) => s.id === step)?.notes ?? [];
    const problem = openProblem(step);
    made.replaceChildren(
      ...notes.map((note) => element("p", { className: "note", textContent: note })),
      ...(problem ? [element("p", { className: "note problem" }, icon("alert"), problem.text)] : []),
    );
    made.hidden = made.childElementCount === 0;
  });
  return made;
}
