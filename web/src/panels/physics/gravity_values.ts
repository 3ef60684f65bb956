/** Gravity as size and angles, and as the parameter holds it. */

export interface Gravity {
  size: number; // m/s²
  tilt: number; // degrees away from straight down
  turn: number; // degrees about the vertical in which it tilts; at 0 it tilts towards +X
}

export const EARTH = 9.81;

/** A parameter's value as size and angles; directions of the figure's own ("left:9.81") give their size only. */
export function gravityOf(value: unknown): Gravity {
  if (typeof value === "number") return { size: value, tilt: 0, turn: 0 };
  if (typeof value === "string") return { size: Number(value.split(":").at(-1)) || EARTH, tilt: 0, turn: 0 };
  if (!Array.isArray(value)) return { size: EARTH, tilt: 0, turn: 0 };
  const [x, y, z] = value.map(Number) as [number, number, number];
  const level = Math.hypot(x, z);
  let tilt = degrees(Math.atan2(level, -y));
  let turn = level > 1e-9 ? degrees(Math.atan2(-z, x)) : 0;
  // The dial tilts to both sides, so that half a turn is enough: it never flips under the hand.
  if (turn > 90 || turn <= -90) {
    tilt = -tilt;
    turn += turn > 0 ? -180 : 180;
  }
  return { size: Math.hypot(level, y), tilt, turn };
}

/** The value to write: a plain size where it points straight down. */
export function gravityValue({ size, tilt, turn }: Gravity): number | [number, number, number] {
  if (Math.abs(tilt) < 0.05) return round(size);
  const [t, a] = [radians(tilt), radians(turn)];
  return [
    round(size * Math.sin(t) * Math.cos(a)),
    round(-size * Math.cos(t)),
    round(-size * Math.sin(t) * Math.sin(a)),
  ];
}

export const degrees = (r: number): number => (r * 180) / Math.PI;
export const radians = (d: number): number => (d * Math.PI) / 180;
const round = (v: number): number => Math.round(v * 1e4) / 1e4 + 0;
