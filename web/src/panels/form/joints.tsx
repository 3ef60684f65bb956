/** Several joints: chips of those chosen, and a list to add from. */

import { Icon, Select } from "../../controls";
import * as state from "../../store/state";
import { titled } from "../../words/numbers";
import type { Parameter } from "./parameter";

/** Words that stand for several joints, as the body's own names do. */
const GROUPS = ["feet", "toes", "hands"];

export function JointsField({ parameter }: { parameter: Parameter }) {
  const chosen = Array.isArray(parameter.value) ? (parameter.value as string[]) : [];
  const set = (names: string[]): void => (names.length ? parameter.set(names) : parameter.reset());
  const header = state.source.value?.header;
  const group = (heading: string, names: string[]) => ({
    heading,
    options: names.filter((n) => !chosen.includes(n)).map((value) => ({ value, label: titled(value) })),
  });
  return (
    <span class="joints-field">
      <span class="chips">
        {chosen.map((name) => (
          <button
            key={name} type="button" class="chip-button" aria-label={`Remove ${name}`}
            onClick={() => set(chosen.filter((other) => other !== name))}
          >
            {titled(name)}<Icon name="close" />
          </button>
        ))}
      </span>
      <Select
        label={`Add to ${parameter.field.label}`} value="" onChange={(name) => name && set([...chosen, name])}
        options={[{ value: "", label: chosen.length ? "Add" : "All that apply" }]}
        groups={[
          group("Groups", GROUPS),
          group("Roles", (header?.roles ?? []).filter((r) => r !== null)),
          group("Joints", header?.joints ?? []),
        ]}
      />
    </span>
  );
}
