/** Words that parameters take, with the labels that their declarations give them. */

import type { FieldChoice } from "../protocol";
import * as state from "./state";

/** The words of a method's parameter, in their order. */
export const choicesOf = (method: string, name: string): FieldChoice[] =>
  state.methods.value.get(method)?.fields.find((field) => field.name === name)?.choices ?? [];

/** Words as the options of a menu. */
export const optionsOf = (choices: readonly FieldChoice[]): { value: string; label: string }[] =>
  choices.map(({ value, label }) => ({ value, label }));

/** The label of a word; the word itself where it has none. */
export const labelOf = (choices: readonly FieldChoice[], value: string): string =>
  choices.find((choice) => choice.value === value)?.label ?? value;
