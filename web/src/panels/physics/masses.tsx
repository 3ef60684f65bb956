/** Mass factors of the body's segments: a slider for each of the body's roles. */

import { AmountField, FieldHelp, IconButton, Section } from "../../controls";
import * as state from "../../store/state";
import { number, titled } from "../../words/numbers";
import { namedParameter, type Parameter } from "../form/parameter";

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

export function MassesSection({ step }: { step: string }) {
  const parameter = namedParameter(step, "physics", "mass_scale");
  if (!parameter) return null;
  const known = new Set(state.source.value?.header.roles ?? []);
  const named = (parameter.rows as Factors).map(([name]) => name);
  const roles = new Set([...SEGMENTS.filter((role) => known.has(role)), ...named]);
  const reset = <IconButton icon="reset" label="Reset all masses" onClick={() => parameter.reset()} />;
  return (
    <Section id="masses" title="Limb masses" actions={reset} folded>
      <div class="masses">{[...roles].map((role) => <MassRow key={role} {...{ parameter, role }} />)}</div>
      <FieldHelp>{parameter.field.help}</FieldHelp>
    </Section>
  );
}

function MassRow({ parameter, role }: { parameter: Parameter; role: string }) {
  const factors = (): Factors => parameter.rows as Factors;
  const value = factors().find(([name]) => name === role)?.[1] ?? 1;
  return (
    <AmountField
      name={titled(role)} label={`Mass of the ${role.replaceAll("_", " ")}`} unit="×" digits={1} step={0.1}
      minimum={0.01} bounds={[0.2, 5]} spoken={(v) => `${number(v, 1)} times`}
      edit={parameter.editable(value, (factor) => withFactor(factors(), role, factor))}
    />
  );
}
