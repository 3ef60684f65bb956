/** Gravity on a dial: length is size, angle is tilt. Numbers and three places to fall on stand beside it. */

import { Nudges } from "../store/nudges";
import { element, onEnd, watch } from "./dom";
import { segments } from "./controls";
import { help, label } from "./fields";
import { number } from "./format";
import { drag, plot } from "./plot";
import { numberField } from "./number";
import { Parameter, parameterOf } from "./parameter";
import { token } from "./theme";

export interface Gravity {
  size: number; // m/s²
  tilt: number; // degrees away from straight down
  turn: number; // degrees about the vertical in which it tilts; at 0 it tilts towards +X
}

const EARTH = 9.81;
const PLACES: [string, number][] = [["Moon", 1.62], ["Mars", 3.71], ["Earth", EARTH]];
const DIAL_MOST = 15; // m/s² at the rim

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

const degrees = (r: number): number => (r * 180) / Math.PI;
const radians = (d: number): number => (d * Math.PI) / 180;
const round = (v: number): number => Math.round(v * 1e4) / 1e4 + 0;

export function gravityGroup(step: string): HTMLElement | null {
  const parameter = parameterOf(step, "physics", "gravity");
  if (!parameter) return null;
  const now = (): Gravity => gravityOf(parameter.value);
  const part = (
    name: string,
    key: keyof Gravity,
    unit: string,
    stepSize: number,
    most: number,
    least: number,
  ): HTMLElement =>
    numberField({
      label: name,
      unit,
      digits: key === "size" ? 2 : 0,
      step: stepSize,
      minimum: least,
      maximum: most,
      value: () => now()[key],
      preview: (v) => parameter.preview(gravityValue({ ...now(), [key]: v })),
      commit: (v) => parameter.commit(gravityValue({ ...now(), [key]: v })),
      discard: () => parameter.discard(),
    });
  const places = segments(
    "Where",
    PLACES.map(([name]) => ({ value: name, label: name })),
    () => PLACES.find(([, size]) => Math.abs(now().size - size) < 0.005)?.[0] ?? "",
    (name) => parameter.commit(gravityValue({ ...now(), size: PLACES.find(([n]) => n === name)?.[1] ?? EARTH })),
  );
  return element(
    "div",
    { className: "field-group gravity" },
    dial(parameter, now),
    element(
      "div",
      { className: "gravity-numbers" },
      label(parameter),
      part("Gravity", "size", "m/s²", 0.05, 100, 0.01),
      element(
        "div",
        { className: "pair" },
        part("Tilt", "tilt", "° tilt", 1, 180, -180),
        part("Turn", "turn", "° turn", 1, 90, -90),
      ),
      places,
    ),
    help(parameter),
  );
}

function dial(parameter: Parameter, now: () => Gravity): HTMLElement {
  const canvas = element("canvas", { className: "dial", tabIndex: 0, role: "slider" });
  canvas.ariaLabel = "Gravity: up and down for its size, left and right for its tilt";
  plot(canvas, (pen, width, height) => drawDial(pen, width, height, now()));
  watch(() => {
    const { size, tilt } = now();
    canvas.ariaValueNow = number(size);
    canvas.ariaValueText = `${number(size)} m/s², tilted by ${number(tilt, 0)} degrees`;
  });
  const at = (x: number, y: number): unknown => {
    const radius = Math.min(canvas.clientWidth, canvas.clientHeight) / 2;
    const [dx, dy] = [x - canvas.clientWidth / 2, y - canvas.clientHeight / 2];
    const tilt = Math.round(degrees(Math.atan2(dx, dy)));
    const size = Math.min(Math.max((Math.hypot(dx, dy) / radius) * DIAL_MOST, 0.1), DIAL_MOST);
    return gravityValue({ ...now(), size: Math.round(size * 100) / 100, tilt: Math.abs(tilt) < 4 ? 0 : tilt });
  };
  drag(canvas, {
    preview: (x, y) => parameter.preview(at(x, y)),
    commit: (x, y) => parameter.commit(at(x, y)),
    discard: () => parameter.discard(),
  });
  const nudges = new Nudges<true>();
  canvas.addEventListener("pointerdown", () => nudges.settle(), { capture: true }); // before a drag begins
  canvas.onkeydown = (event) => {
    const fine = event.shiftKey ? 0.1 : 1;
    const change = { ArrowUp: [0.5, 0], ArrowDown: [-0.5, 0], ArrowLeft: [0, -5], ArrowRight: [0, 5] }[event.key];
    if (event.key === "Escape" && nudges.giveUp()) return event.stopPropagation();
    if (!change) return;
    event.preventDefault();
    event.stopPropagation();
    const { size, tilt, turn } = now();
    parameter.preview(gravityValue({
      size: Math.max(0.01, size + change[0]! * fine),
      tilt: tilt + change[1]! * fine,
      turn,
    }));
    nudges.go(true);
  };
  canvas.onblur = () => nudges.settle();
  onEnd(() => nudges.settle());
  return canvas;
}

function drawDial(pen: CanvasRenderingContext2D, width: number, height: number, { size, tilt }: Gravity): void {
  const [x, y] = [width / 2, height / 2];
  const radius = Math.min(x, y) - 2;
  const ring = (r: number, dashes: number[]): void => {
    pen.setLineDash(dashes);
    pen.beginPath();
    pen.arc(x, y, r, 0, 2 * Math.PI);
    pen.stroke();
  };
  pen.lineWidth = 1;
  pen.strokeStyle = token("--line-strong");
  ring(radius, []);
  ring((radius * EARTH) / DIAL_MOST, [2, 3]);
  pen.setLineDash([]);
  for (let k = 0; k < 24; k++) {
    const [c, s] = [Math.cos((k * Math.PI) / 12), Math.sin((k * Math.PI) / 12)];
    const inner = radius - (k % 6 === 0 ? 6 : 3);
    pen.beginPath();
    pen.moveTo(x + c * inner, y + s * inner);
    pen.lineTo(x + c * radius, y + s * radius);
    pen.stroke();
  }
  const length = (Math.min(size, DIAL_MOST) / DIAL_MOST) * radius;
  const [dx, dy] = [Math.sin(radians(tilt)), Math.cos(radians(tilt))];
  pen.strokeStyle = pen.fillStyle = token("--accent");
  pen.lineWidth = 2;
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(x + dx * Math.max(length - 6, 0), y + dy * Math.max(length - 6, 0));
  pen.stroke();
  pen.beginPath();
  pen.moveTo(x + dx * length, y + dy * length);
  pen.lineTo(x + dx * (length - 9) - dy * 5, y + dy * (length - 9) + dx * 5);
  pen.lineTo(x + dx * (length - 9) + dy * 5, y + dy * (length - 9) - dx * 5);
  pen.fill();
  pen.fillStyle = token("--selection");
  pen.beginPath();
  pen.arc(x, y, 3, 0, 2 * Math.PI);
  pen.fill();
}
