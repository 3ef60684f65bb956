/** A method's form: generated from its declaration, with what its panel adds. */

import type { FunctionComponent, JSX } from "preact";
import { Icon, Section } from "../../controls";
import type { FormField, MethodForm } from "../../protocol";
import * as state from "../../store/state";
import { openProblem } from "../../store/trouble";
import { sentence } from "../../words/sentence";
import { FieldRow } from "./fields";
import { parameterOf } from "./parameter";
import { arrange, isList, isWide } from "./presentation";

export interface PanelProps {
  step: string;
  form: MethodForm;
}

/** What a method shows beside its generated form. */
export interface MethodPanel {
  /** Fields that the panel shows itself. */
  replaces?: readonly string[];
  Above?: FunctionComponent<PanelProps>;
  Below?: FunctionComponent<PanelProps>;
  moreTitle?: string;
  MoreCaption?: FunctionComponent;
}

export function StepForm({ step, form, panel }: PanelProps & { panel: MethodPanel }) {
  const { replaces = [], Above, Below, moreTitle = "More", MoreCaption } = panel;
  // Data that only a recipe can give is shown where it does, so that it can be reset.
  const hasControl = (f: FormField): boolean =>
    f.kind !== "data" || f.name === "contacts" || parameterOf(step, f).changed;
  const left = (fields: FormField[]): FormField[] =>
    fields.filter((f) => !replaces.includes(f.name) && hasControl(f));
  const { basic, more } = arrange(form);
  const plain = left(basic).filter((f) => !isList(f));
  const rest = left(more).sort((a, b) => Number(isList(a)) - Number(isList(b)));
  const rows = (fields: FormField[]) =>
    fields.map((field) => <FieldRow key={field.name} {...{ step, field }} />);
  // Wide fields stand together, apart from the narrow ones.
  const groups = [plain.filter(isWide), plain.filter((f) => !isWide(f))].filter((fields) => fields.length);
  return (
    <>
      {Above && <Above {...{ step, form }} />}
      {groups.map((fields, k) => <div key={k} class="field-group">{rows(fields)}</div>)}
      {rows(left(basic).filter(isList))}
      {Below && <Below {...{ step, form }} />}
      {rest.length > 0 && (
        <Section id={`more-${form.name}`} title={moreTitle} caption={MoreCaption && <MoreCaption />} folded>
          {rows(rest)}
        </Section>
      )}
    </>
  );
}

/** Notes of a step's result, and the problem that the server reported for it. */
export function StepNotes({ step }: { step: string }) {
  const problem = openProblem(step);
  const notes = state.stepResult(step)?.notes ?? [];
  return (
    <Notes notes={notes}>
      {problem && <p class="note problem"><Icon name="alert" />{sentence(problem.text)}</p>}
    </Notes>
  );
}

export const Notes = ({ notes, children }: { notes: string[]; children?: JSX.Element | null }) => (
  <div class="step-notes" hidden={!notes.length && !children}>
    {notes.map((note) => <p key={note} class="note">{sentence(note)}</p>)}
    {children}
  </div>
);
