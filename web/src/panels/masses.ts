/** What each segment weighs, as a factor of what it does: a slider for each of the body's roles. */

import * as state from "../store/state";
import { iconButton, section } from "./controls";
import { element, rebuild } from "./dom";
import { number, sentence } from "./format";
import { numberField } from "./number";
import { parameterOf } from "./parameter";
import { slider } from "./slider";

/** Segments that one would make heavier; helpers and fingers weigh next to nothing. */
const SEGMENTS = [
  "hips", "chest", "head", "left_upper_arm", "right_upper_arm", "left_lower_arm", "right_lower_arm", "left_hand",
  "right_hand", "left_upper_leg", "right_upper_leg", "left_lower_leg", "right_lower_leg", "left_foot", "right_foot",
];

export type Factors = [string, number][];

/** The list with one factor changed; a factor of one is no change and goes. */
export function withFactor(factors: Factors, role: string, factor: number): Factors | null {
  const next = factors.filter(([name]) => name !== role);
  if (Math.abs(factor - 1) > 1e-6) next.push([role, factor]);
  return next.length ? next : null;
}

export function massesSection(step: string): HTMLElement | null {
  const parameter = parameterOf(step, "physics", "mass_scale");
  if (!parameter) return null;
  const factors = (): Factors => parameter.rows as Factors;
  const rows = element("div", { className: "masses" });
  const roles = (): string[] => {
    const known = new Set(state.source.value?.header.roles ?? []);
    const named = factors().map(([name]) => name);
    return [...new Set([...SEGMENTS.filter((role) => known.has(role)), ...named])];
  };
  rebuild(rows, () => roles().join(), () => roles().map((role) => massRow(role)));

  function massRow(role: string): HTMLElement {
    const options = {
      label: `Mass of the ${role.replaceAll("_", " ")}`,
      value: (): number => factors().find(([name]) => name === role)?.[1] ?? 1,
      preview: (v: number) => parameter!.preview(withFactor(factors(), role, v)),
      commit: (v: number) => parameter!.commit(withFactor(factors(), role, v)),
      discard: () => parameter!.discard(),
    };
    return element(
      "div",
      { className: "field" },
      element(
        "span",
        { className: "field-label" },
        element("span", { className: "field-name", textContent: sentence(role) }),
      ),
      slider({ ...options, bounds: () => [0.2, 5], step: 0.1, spoken: (v) => `${number(v, 1)} times` }),
      element(
        "span",
        { className: "field-value" },
        numberField({ ...options, unit: "×", digits: 1, step: 0.1, minimum: 0.01 }),
      ),
    );
  }

  const reset = iconButton("reset", "All masses as they are", () => parameter.reset());
  return section(
    { id: "masses", title: "Limb masses", actions: [reset], folded: true },
    rows,
    element("p", { className: "field-help", textContent: parameter.field.help }),
  );
}
