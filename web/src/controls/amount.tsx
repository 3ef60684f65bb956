/** A number as a slider with a typed field beside it, or above it where the row is wide. */

import type { ComponentChildren } from "preact";
import { Field } from "./field";
import { NumberField, type NumberProps } from "./number";
import { Slider } from "./slider";

interface AmountProps extends NumberProps {
  /** Without bounds there is no slider. */
  bounds: readonly [number, number] | null;
  /** Where the knob stands while there is no value. */
  rest?: number;
  spoken?: (value: number) => string;
  wide?: boolean | undefined;
  /** Words that can be chosen in place of a number. */
  words?: ComponentChildren;
  /** What stands under the slider. */
  captions?: ComponentChildren;
}

export function Amount({ bounds, rest, spoken, wide, words, captions, ...typed }: AmountProps) {
  const { label, edit, step } = typed;
  const value = <span class="field-value">{words}<NumberField {...typed} /></span>;
  const slid = rest === undefined ? edit : { ...edit, value: edit.value ?? rest };
  const slider = bounds && <Slider {...{ label, bounds, step, spoken }} edit={slid} />;
  return wide ? <>{value}{slider}{captions}</> : <>{slider}{value}</>;
}

interface AmountFieldProps extends AmountProps {
  /** What stands before the slider; left out, it is the amount's own label. */
  name?: string;
  mark?: ComponentChildren;
}

/** An amount in a row of its own. */
export const AmountField = ({ name, mark, ...amount }: AmountFieldProps) => (
  <Field label={name ?? amount.label} mark={mark}><Amount {...amount} /></Field>
);

/** What the ends of a slider mean, and its middle. */
export const Captions = ({ words }: { words: readonly string[] }) => (
  <div class="slider-captions">{words.map((word, k) => <span key={k}>{word}</span>)}</div>
);
