/** How fields are best shown where their declaration cannot say it: order, usual bounds, units, words at the ends. */

import type { FormField, MethodForm } from "../protocol";

interface Look {
  /** Bounds of a slider where the allowed ones are open or far wider than what anyone uses. */
  usual?: [number, number];
  unit?: string;
  digits?: number;
  step?: number;
  /** Own line for the slider, with words under its ends. */
  wide?: boolean;
  ends?: [string, string];
}

const LOOKS: Record<string, Look> = {
  duration: { unit: "s", digits: 2, step: 0.01, wide: true },
  influence: { wide: true, ends: ["Spline", "Guided"] },
  max_speed: { usual: [1, 8], unit: "×", digits: 1, step: 0.1 },
  min_speed: { usual: [0, 1], unit: "×", digits: 2 },
  speed_change: { usual: [0, 1] },
  price: { usual: [0, 2] },
  average: { usual: [0, 1] },
  friction: { usual: [0, 1.5] },
  limit_factor: { usual: [1, 4], unit: "×", digits: 1, step: 0.1 },
  torque_limits: { unit: "N·m", digits: 0, step: 1 },
  acceleration_limit: { unit: "rad/s²", digits: 0, step: 1 },
  mass: { digits: 1, step: 0.5 },
  smoothing: { usual: [0, 20], digits: 1, step: 0.1 },
  alpha: { digits: 0, step: 1 },
  jitter: { usual: [0, 0.3] },
  overlap: { usual: [0, 2] },
  exaggerate: { usual: [-1, 1] },
  detail: { usual: [0, 2] },
  bound: { usual: [0, 0.5] },
  filter: { usual: [0, 0.5] },
  tolerance: { usual: [0, 0.1], digits: 3, step: 0.001 },
  minimum: { usual: [0, 1] },
  fade: { usual: [0, 0.5] },
  strength: { digits: 1, step: 0.1 },
  rate: { digits: 0, step: 1 },
  max_stall: { usual: [0, 2] },
};

/** What people reach for, in the order of the pictures; a method that is not here shows its first fields. */
const BASIC: Record<string, string[]> = {
  guided: ["duration", "influence", "reference", "max_speed", "speed_change", "keytimes"],
  spline: ["duration", "keytimes"],
  physics: ["duration", "gravity", "mass_scale", "keytimes", "objective"],
  align: ["b", "open_end", "max_step", "max_stall"],
  stagger: ["keep", "exaggerate", "overlap", "jitter", "succession", "moves"],
  surface: ["keys", "mode", "min_slope", "cartoon", "constraints"],
  hold: ["joints", "tolerance", "minimum", "fade"],
};

const MOST_BASIC = 6;
/** What every method takes comes last where nobody said otherwise. */
const COMMON = new Set(["range", "loop", "rest"]);

/** Split a form into what is shown at once and what is folded under "More". */
export function arrange(form: MethodForm): { basic: FormField[]; more: FormField[] } {
  const named = BASIC[form.name];
  const basic = named
    ? named.map((name) => form.fields.find((f) => f.name === name)).filter((f) => f !== undefined)
    : form.fields.filter((f) => !COMMON.has(f.name)).slice(0, MOST_BASIC);
  const rest = form.fields.filter((f) => !basic.includes(f));
  return { basic, more: [...rest.filter((f) => !COMMON.has(f.name)), ...rest.filter((f) => COMMON.has(f.name))] };
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
  const look = LOOKS[field.name] ?? {};
  const whole = field.kind === "integer";
  const allowed: [number, number] | null =
    field.minimum !== null && field.maximum !== null ? [field.minimum, field.maximum] : null;
  // Bounds that span decades make a slider that jumps: such numbers are typed.
  const narrow = allowed && allowed[1] - allowed[0] <= (whole ? 32 : 20) ? allowed : null;
  return {
    bounds: look.usual ?? narrow,
    unit: look.unit ?? field.unit,
    digits: whole ? 0 : (look.digits ?? 2),
    step: whole ? 1 : (look.step ?? 0.01),
    wide: look.wide ?? false,
    ends: look.ends ?? null,
  };
}

/** Columns of a list, from a metavar as "OUT=SRC", "A:B:SLOW:FAST" or "JOINT=FACTOR". */
export function columns(field: FormField): { name: string; kind: "number" | "joint" | "text" }[] {
  return (field.metavar ?? "A:B").split(/[=:,|]/).map((part) => ({
    name: part.toLowerCase(),
    kind: part === "JOINT" || part === "ROLE" ? "joint" : part === "NAME" ? "text" : "number",
  }));
}

/** Groups of the menu that adds a step. */
export const METHOD_GROUPS: { heading: string; methods: string[] }[] = [
  { heading: "The whole body's time", methods: ["spline", "guided", "physics", "align", "warp"] },
  { heading: "Parts of the body", methods: ["surface", "stagger", "pose"] },
  { heading: "After all else", methods: ["smooth", "hold"] },
];
