/** Texts of the library as sentences of the page. */

import { lengthText, timeText, timeUnit } from "./units";

/** A time that the server marked: its kind, one or two numbers of seconds, and its text in seconds. */
const MARK = /\ue000([mls])\|([^|\ue001]+)(?:\|([^|\ue001]+))?\|([^|\ue001]+)\ue001/g;

/** Begin with a capital letter, unless the first word is a name of a file or a number; times in the chosen unit. */
export function sentence(text: string): string {
  const whole = inUnit(text);
  return /^[a-z]+[ ,:]/.test(whole) ? whole.charAt(0).toUpperCase() + whole.slice(1) : whole;
}

/** Put times in the chosen unit in place of their marks. */
export function inUnit(text: string): string {
  return text.replace(MARK, (_, kind: string, first: string, second: string | undefined, plain: string) => {
    if (timeUnit.value === "seconds") return plain;
    if (kind === "l") return lengthText(Number(first));
    const start = timeText(Number(first));
    return kind === "s" ? `${start} to ${timeText(Number(second))}` : start;
  });
}
