/** Numbers of a form: a slider with a typed field, a typed field alone, and words such as "free" beside them. */

import type { ComponentChildren } from "preact";
import { Amount, Captions } from "../../controls";
import type { FieldChoice } from "../../protocol";
import * as state from "../../store/state";
import { restLength, timeReader } from "../../store/times";
import { number } from "../../words/numbers";
import { durationBounds, durationCaptions } from "./duration";
import type { Parameter } from "./parameter";
import { numberLook } from "./presentation";

/** A number by its declaration; `captions` replace what stands under a wide slider. */
export function ParameterNumber(
  { parameter, captions }: { parameter: Parameter; captions?: ComponentChildren },
) {
  const { field, step } = parameter;
  const look = numberLook(field);
  const isDuration = field.name === "duration";
  const length = isDuration ? restLength(step) : undefined;
  const empty = length === undefined ? "–" : number(length, look.digits);
  const words = look.ends ?? (isDuration && look.wide ? durationCaptions(step, parameter.number) : []);
  return (
    <Amount
      label={field.label} unit={look.unit} digits={look.digits} step={look.step} wide={look.wide}
      whole={field.kind === "integer"} minimum={field.minimum ?? (isDuration ? look.step : null)}
      maximum={field.maximum} edit={{ ...parameter.editable(parameter.number), clear: () => parameter.reset() }}
      parse={look.unit === "s" ? timeReader("length", () => step) : undefined}
      bounds={isDuration ? durationBounds(step) : look.bounds} rest={length}
      placeholder={typeof parameter.value === "string" ? "" : empty}
      spoken={(value) => `${number(value, look.digits)} ${look.unit}`.trim()}
      words={field.choices.map((word) => <WordToggle key={word.value} {...{ parameter, word }} />)}
      captions={captions ?? <Captions words={words} />}
    />
  );
}

/** A word in place of a number: it stays chosen until a number is. */
function WordToggle({ parameter, word: { value, label } }: { parameter: Parameter; word: FieldChoice }) {
  const chosen = parameter.value === value;
  const why = chosen ? "" : whyNot(parameter, value);
  return (
    <button
      type="button" class="segment lone" aria-pressed={chosen} disabled={why !== ""} title={why}
      onClick={() => (chosen ? parameter.reset() : parameter.set(value))}
    >
      {label}
    </button>
  );
}

/** Why a word cannot be chosen now; empty where it can. */
export function whyNot({ field, step }: Pick<Parameter, "field" | "step">, word: string): string {
  const entry = state.stepNamed(step);
  const clash = entry?.method === "guided" && field.name === "duration" && word === "free";
  if (!clash || !state.keysOf(entry).length) return "";
  return "A free duration has no keytimes: delete them first";
}
