/** The dial of gravity: its length is the size, its angle the tilt. */

import type { TargetedPointerEvent } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { disc, followPress, line, type Pen, placeOn, Plot, token } from "../../controls";
import type { Drag } from "../../store/editable";
import { Nudges } from "../../store/nudges";
import { number } from "../../words/numbers";
import type { Parameter } from "../form/parameter";
import { degrees, EARTH, gravityOf, gravityValue, radians, type Gravity } from "./gravity_values";

const DIAL_MOST = 15; // m/s² at the rim
/** What an arrow key adds to the size and to the tilt. */
const NUDGES: Record<string, [number, number]> = {
  ArrowUp: [0.5, 0], ArrowDown: [-0.5, 0], ArrowLeft: [0, -5], ArrowRight: [0, 5],
};

export function Dial({ parameter }: { parameter: Parameter }) {
  const nudges = useMemo(() => new Nudges<true, Drag<Gravity>>(), []);
  useEffect(() => () => nudges.settle(), [nudges]);
  const now = (): Gravity => gravityOf(parameter.value);
  const edit = parameter.editable(now(), gravityValue);
  const { size, tilt } = now();
  const onPointerDown = (press: TargetedPointerEvent<HTMLCanvasElement>): void => {
    if (press.button !== 0) return;
    nudges.settle(); // before another drag begins
    const host = press.currentTarget;
    const drag = edit.drag();
    const move = (event: PointerEvent): void => drag.update(pointed(now(), host, event));
    followPress(host, press, { move, release: () => drag.commit(), giveUp: () => drag.discard() });
    move(press);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape" && nudges.giveUp()) return event.stopPropagation();
    const by = NUDGES[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const fine = event.shiftKey ? 0.1 : 1;
    const before = now();
    const drag = nudges.drag ?? edit.drag();
    drag.update({ ...before, size: Math.max(0.01, before.size + by[0] * fine), tilt: before.tilt + by[1] * fine });
    nudges.go(drag, true);
  };
  return (
    <Plot
      class="dial" role="slider" tabIndex={0} draw={(pen, width, height) => drawDial(pen, width, height, now())}
      label="Gravity: up and down for its size, left and right for its tilt" aria-valuenow={size}
      aria-valuetext={`${number(size)} m/s², tilted by ${number(tilt, 0)} degrees`}
      onPointerDown={onPointerDown} onKeyDown={onKeyDown} onBlur={() => nudges.settle()}
    />
  );
}

/** The gravity that a place on the dial means; close to straight down it is straight down. */
function pointed(now: Gravity, host: HTMLElement, event: PointerEvent): Gravity {
  const [x, y] = placeOn(host, event);
  const [dx, dy] = [x - host.clientWidth / 2, y - host.clientHeight / 2];
  const radius = Math.min(host.clientWidth, host.clientHeight) / 2;
  const tilt = Math.round(degrees(Math.atan2(dx, dy)));
  const size = Math.min(Math.max((Math.hypot(dx, dy) / radius) * DIAL_MOST, 0.1), DIAL_MOST);
  return { ...now, size: Math.round(size * 100) / 100, tilt: Math.abs(tilt) < 4 ? 0 : tilt };
}

function drawDial(pen: Pen, width: number, height: number, { size, tilt }: Gravity): void {
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
    line(pen, x + c * inner, y + s * inner, x + c * radius, y + s * radius);
  }
  const length = (Math.min(size, DIAL_MOST) / DIAL_MOST) * radius;
  const [dx, dy] = [Math.sin(radians(tilt)), Math.cos(radians(tilt))];
  pen.strokeStyle = pen.fillStyle = token("--accent");
  pen.lineWidth = 2;
  const shaft = Math.max(length - 6, 0);
  line(pen, x, y, x + dx * shaft, y + dy * shaft);
  pen.beginPath();
  pen.moveTo(x + dx * length, y + dy * length);
  pen.lineTo(x + dx * (length - 9) - dy * 5, y + dy * (length - 9) + dx * 5);
  pen.lineTo(x + dx * (length - 9) + dy * 5, y + dy * (length - 9) - dx * 5);
  pen.fill();
  pen.fillStyle = token("--selection");
  disc(pen, x, y, 3);
}
