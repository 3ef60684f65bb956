/** Lists of tuples, as "JOINT=FACTOR" or "A:B:SLOW:FAST" declare them: a line each, a cell for each part. */

import * as state from "../store/state";
import { timeReader, type TimeKind } from "../store/times";
import { iconButton, section } from "./controls";
import { element, live, rebuild, watch, type Child } from "./dom";
import { numberField } from "./number";
import type { Parameter } from "./parameter";
import { columns } from "./presentation";

type Cell = string | number;
/** Columns that hold times, by their names. */
const KINDS: Readonly<Record<string, TimeKind>> = {
  src: "source", a: "source", b: "source", from: "source", to: "output", out: "output", s: "length",
};

export function rowsField(parameter: Parameter): HTMLElement {
  const { field } = parameter;
  const parts = columns(field);
  // One tuple, as a grid's "P,Q", rather than a list of them.
  const single = Array.isArray(field.default) && field.default.length > 0 && !Array.isArray(field.default[0]);
  const rows = (): Cell[][] => (single ? [parameter.value as Cell[]] : (parameter.rows as Cell[][]));
  const kept = (next: Cell[][]): unknown => (single ? next[0] : next.length ? next : null);

  const caption = (): string => (rows().length ? "" : parts.map((p) => p.name).join(", "));

  const list = element("div", { className: "tuples", role: "list" });
  rebuild(list, () => rows().length, (count) => [
    count && !single ? tuple("tuple tuple-head", ...parts.map((p) => heading(p.name))) : null,
    ...Array.from({ length: count }, (_, r) => tupleRow(r)),
  ]);

  function tupleRow(r: number): HTMLElement {
    const changed = (c: number, value: Cell): unknown =>
      kept(rows().map((row, i) => (i === r ? row.map((old, j) => (j === c ? value : old)) : row)));
    const cells = parts.map((part, c): Child => {
      const label = `${field.label} ${r + 1}, ${part.name}`;
      const word = (): string => String(rows()[r]?.[c] ?? "");
      if (part.kind !== "number") return wordCell(label, word, (v) => parameter.commit(changed(c, v)));
      return numberField({
        label,
        value: () => asNumber(rows()[r]?.[c]),
        ...(KINDS[part.name] ? { parse: timeReader(KINDS[part.name]!, () => parameter.step) } : {}),
        step: 0.01,
        preview: (v) => parameter.preview(changed(c, v)),
        commit: (v) => parameter.commit(changed(c, v)),
        discard: () => parameter.discard(),
      });
    });
    const remove = iconButton("close", `Remove ${field.label} ${r + 1}`, () =>
      parameter.commit(kept(rows().filter((_, i) => i !== r))),
    );
    const made = tuple("tuple", ...cells, single ? null : remove);
    made.role = "listitem";
    return made;
  }

  /** Words need more room than numbers. */
  function tuple(className: string, ...cells: Child[]): HTMLElement {
    const made = element("div", { className }, ...cells);
    const widths = parts.map((p) => (p.kind === "number" ? "minmax(0, 2fr)" : "minmax(0, 3fr)"));
    made.style.gridTemplateColumns = [...widths, single ? "" : "var(--hit-size)"].join(" ");
    return made;
  }

  const add = iconButton("plus", `Add to ${field.label}`, () =>
    parameter.commit([...rows(), parts.map((part) => first(part, state.time.value))]),
  );
  return section(
    { id: `rows-${field.name}`, title: field.label, caption: live(caption), actions: single ? [] : [add] },
    list,
    element("p", { className: "field-help", textContent: field.help }),
  );
}

const heading = (name: string): HTMLElement => element("span", { className: "caption", textContent: name });
const asNumber = (value: Cell | undefined): number | null => (value === undefined ? null : Number(value));

/** What a new row holds: the playhead for times, one for factors, the first joint for names. */
function first(part: { name: string; kind: string }, now: number): Cell {
  if (part.kind === "joint") return state.source.value?.header.joints[0] ?? "";
  if (part.kind === "text") return "";
  const shown = state.stepTimes.value.fromSource(state.result.value?.sourceAt(now) ?? now);
  const source = Math.round(shown * 1e3) / 1e3;
  if (part.name === "b" || part.name === "to") return Math.round((source + 0.2) * 1e3) / 1e3;
  return part.name === "src" || part.name === "a" || part.name === "from" ? source : 1;
}

/** A word with the joints and roles of the motion to choose from. */
function wordCell(label: string, value: () => string, set: (value: string) => void): HTMLElement {
  const input = element("input", { type: "text", className: "text", ariaLabel: label });
  input.setAttribute("list", "joint-names");
  watch(() => {
    const now = value();
    if (document.activeElement !== input) input.value = now;
  });
  input.onchange = () => set(input.value.trim());
  return input;
}

/** Names that word cells offer: roles first, they fit every skeleton. */
export function jointNames(): HTMLElement {
  const list = element("datalist", { id: "joint-names" });
  watch(() => {
    const header = state.source.value?.header;
    const names = new Set([...(header?.roles ?? []).filter((r) => r !== null), ...(header?.joints ?? [])]);
    list.replaceChildren(...[...names].map((value) => element("option", { value })));
  });
  return list;
}
