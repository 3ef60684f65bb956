/** How fields are laid out, by what their declarations say of them. */

import type { FormField, MethodForm } from "../../protocol";

/** Split a form into what is shown at once and what is folded under "More"; what all methods share comes last. */
export function arrange(form: MethodForm): { basic: FormField[]; more: FormField[] } {
  const folded = (f: FormField) => f.advanced || f.shared;
  return { basic: form.fields.filter((f) => !folded(f)), more: form.fields.filter(folded) };
}

export interface NumberLook {
  bounds: [number, number] | null;
  unit: string;
  digits: number;
  step: number;
  wide: boolean;
  ends: [string, string] | null;
}

/** How a number is shown; no bounds means that it is typed, without a slider. */
export function numberLook(field: FormField): NumberLook {
  const whole = field.kind === "integer";
  const allowed: [number, number] | null =
    field.minimum !== null && field.maximum !== null ? [field.minimum, field.maximum] : null;
  // Bounds that span decades make a slider that jumps: such numbers are typed.
  const narrow = allowed && allowed[1] - allowed[0] <= (whole ? 32 : 20) ? allowed : null;
  return {
    bounds: field.slider ?? narrow,
    unit: field.unit,
    digits: whole ? 0 : Math.max(0, Math.ceil(-Math.log10(field.step))),
    step: whole ? 1 : field.step,
    // Several words and the number need a line of their own.
    wide: field.ends !== null || field.choices.length > 1,
    ends: field.ends?.some(Boolean) ? field.ends : null,
  };
}

/** Whether a field takes the whole width, with its control below its label. */
export const isWide = (field: FormField): boolean =>
  (field.kind === "number" || field.kind === "integer") && numberLook(field).wide;

/** Whether a field is a list of its own, shown after the plain fields. */
export const isList = ({ kind }: FormField): boolean => kind === "keytimes" || kind === "pairs" || kind === "rows";

/** Headings of columns whose name on the command line is short. */
const HEADINGS: Record<string, string> = {
  out: "output", src: "source", a: "from", b: "to", rate: "speed", slow: "slowest", fast: "fastest", v: "speed, m/s",
  w: "weight", hz: "frequency, Hz", s: "delay, s", power: "growth", x: "x, m", y: "y, m", z: "z, m",
  where: "carried by",
};

const WORDS = ["JOINT", "ROLE", "WHERE"];

/** Columns of a list, from a metavar as "OUT=SRC", "A:B:SLOW:FAST", "JOINT=FACTOR", or "KG@WHERE" for a place first. */
export function columns(field: FormField): { name: string; title: string; kind: "number" | "joint" | "text" }[] {
  const metavar = field.metavar ?? "A:B";
  const parts = metavar.includes("@") ? metavar.split("@").reverse() : metavar.split(/[=:,|]/);
  return parts.map((part) => ({
    name: part.toLowerCase(),
    title: HEADINGS[part.toLowerCase()] ?? part.toLowerCase(),
    kind: WORDS.includes(part) ? "joint" : part === "NAME" ? "text" : "number",
  }));
}

/** Groups of the menu that adds a step. */
export const METHOD_GROUPS: { heading: string; methods: string[] }[] = [
  { heading: "The whole body's time", methods: ["spline", "guided", "physics", "align", "sync", "warp"] },
  { heading: "Parts of the body", methods: ["surface", "stagger", "tween", "secondary", "pose"] },
  { heading: "After all other steps", methods: ["smooth", "hold"] },
];
