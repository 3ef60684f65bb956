/** Gravity on a dial, with numbers and three places to fall on beside it. */

import { FieldHelp, FieldLabel, NumberField, type NumberProps, Segments } from "../../controls";
import { namedParameter } from "../form/parameter";
import { Dial } from "./dial";
import { EARTH, gravityOf, gravityValue, type Gravity } from "./gravity_values";

const PLACES: Record<string, number> = { Moon: 1.62, Mars: 3.71, Earth: EARTH };

export function GravityGroup({ step }: { step: string }) {
  const parameter = namedParameter(step, "physics", "gravity");
  if (!parameter) return null;
  const now = (): Gravity => gravityOf(parameter.value);
  const part = (key: keyof Gravity, look: Omit<NumberProps, "edit">) => (
    <NumberField {...look} edit={parameter.editable(now()[key], (v) => gravityValue({ ...now(), [key]: v }))} />
  );
  const place = Object.keys(PLACES).find((name) => Math.abs(now().size - PLACES[name]!) < 0.005) ?? "";
  const { label, help } = parameter.field;
  return (
    <div class="field-group gravity">
      <Dial parameter={parameter} />
      <div class="gravity-numbers">
        <FieldLabel {...{ label, help }} reset={parameter.changed ? () => parameter.reset() : null} />
        {part("size", { label: "Gravity", unit: "m/s²", step: 0.05, minimum: 0.01, maximum: 100 })}
        <div class="pair">
          {part("tilt", { label: "Tilt", unit: "° tilt", digits: 0, step: 1, minimum: -180, maximum: 180 })}
          {part("turn", { label: "Turn", unit: "° turn", digits: 0, step: 1, minimum: -90, maximum: 90 })}
        </div>
        <Segments
          label="Where" options={Object.keys(PLACES).map((name) => ({ value: name, label: name }))} value={place}
          onChange={(name) => parameter.set(gravityValue({ ...now(), size: PLACES[name] ?? EARTH }))}
        />
      </div>
      <FieldHelp>{help}</FieldHelp>
    </div>
  );
}
