/** Lists of tuples, as "JOINT=FACTOR" or "A:B:SLOW:FAST" declare them: a line each, a cell for each part. */

import { FieldHelp, IconButton, NumberField, Section, TextField } from "../../controls";
import * as actions from "../../store/actions";
import * as state from "../../store/state";
import { timeReader, type TimeKind } from "../../store/times";
import type { Parameter } from "./parameter";
import { columns } from "./presentation";

type Cell = string | number;
/** Columns that hold times, by their names. */
const KINDS: Readonly<Record<string, TimeKind>> = {
  src: "source", a: "source", b: "source", from: "source", to: "output", out: "output", s: "length",
};

export function RowsField({ parameter }: { parameter: Parameter }) {
  const { field } = parameter;
  const parts = columns(field);
  // One tuple, as a grid's "P,Q", rather than a list of them.
  const single = Array.isArray(field.default) && field.default.length > 0 && !Array.isArray(field.default[0]);
  const rows = (): Cell[][] => (single ? [parameter.value as Cell[]] : (parameter.rows as Cell[][]));
  const kept = (next: Cell[][]): unknown => (single ? next[0] : next.length ? next : null);
  const count = rows().length;
  // Words need more room than numbers.
  const widths = parts.map((p) => (p.kind === "number" ? "minmax(0, 2fr)" : "minmax(0, 3fr)"));
  const style = { gridTemplateColumns: [...widths, single ? "" : "var(--hit-size)"].join(" ") };

  const cell = (r: number, c: number) => {
    const { name, title, kind } = parts[c]!;
    const label = `${field.label} ${r + 1}, ${title}`;
    const value = rows()[r]?.[c];
    const write = (to: Cell): unknown => kept(rows().map((row, k) => (k === r ? row.with(c, to) : row)));
    if (kind === "number") {
      const times = KINDS[name];
      const parse = times && timeReader(times, () => parameter.step);
      return <NumberField key={c} {...{ label, parse }} edit={parameter.editable(Number(value ?? 0), write)} />;
    }
    const keep = (word: string): void => parameter.set(write(word));
    return <TextField key={c} label={label} list={JOINT_NAMES} value={String(value ?? "")} onChange={keep} />;
  };
  const add = (): void => parameter.set([...rows(), parts.map(first)]);
  return (
    <Section
      id={`rows-${field.name}`} title={field.label} caption={count ? "" : parts.map((p) => p.title).join(", ")}
      actions={!single && <IconButton icon="plus" label={`Add to ${field.label}`} onClick={add} />}
    >
      <div class="tuples" role="list">
        {count > 0 && !single && (
          <div class="tuple tuple-head" style={style} role="presentation">
            {parts.map(({ name, title }) => <span key={name} class="caption">{title}</span>)}
          </div>
        )}
        {rows().map((_, r) => (
          <div key={r} class="tuple" style={style} role="listitem">
            {parts.map((_, c) => cell(r, c))}
            {!single && (
              <IconButton
                icon="close" label={`Remove ${field.label} ${r + 1}`}
                onClick={() => parameter.set(kept(rows().filter((_, k) => k !== r)))}
              />
            )}
          </div>
        ))}
      </div>
      <FieldHelp>{field.help}</FieldHelp>
    </Section>
  );
}

/** Places that a load can be carried at besides joints, and the kilograms of a new one. */
const PLACES = ["backpack", "hands"];
const USUAL_LOAD = 10;

/** What a new row holds: the playhead for times, one for factors, the first joint for names. */
function first({ name, kind }: { name: string; kind: string }): Cell {
  if (name === "where") return PLACES[0]!;
  if (name === "kg") return USUAL_LOAD;
  if (kind === "joint") return state.source.value?.header.joints[0] ?? "";
  if (kind === "text") return "";
  const now = state.time.value;
  const source = state.stepTimes.value.fromSource(state.result.value?.sourceAt(now) ?? now);
  if (name === "b" || name === "to") return actions.round(source + 0.2);
  return name === "src" || name === "a" || name === "from" ? actions.round(source) : 1;
}

const JOINT_NAMES = "joint-names";

/** Names that word cells offer, once on the page: places and roles first, they fit every skeleton. */
export function JointNames() {
  const header = state.source.value?.header;
  const names = new Set([...PLACES, ...(header?.roles ?? []).filter((r) => r !== null), ...(header?.joints ?? [])]);
  return <datalist id={JOINT_NAMES}>{[...names].map((value) => <option key={value} value={value} />)}</datalist>;
}
