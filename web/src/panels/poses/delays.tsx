/** The delays of a succession: which joints it goes through, and how late each arrives. */

import { type Pen, Plot, tickFont, token } from "../../controls";
import { limbsOf } from "../../store/limbs";
import * as state from "../../store/state";
import { jointLabel } from "../../timeline/poses/pose_rows";
import { lengthText } from "../../words/units";

/** Joints from one down to the end that is farthest from it. */
export function chainBelow(parents: readonly number[], start: number): number[] {
  const depth = new Map([[start, 0]]);
  let last = start;
  for (let j = start + 1; j < parents.length; j++) {
    const above = depth.get(parents[j]!);
    if (above === undefined) continue;
    depth.set(j, above + 1);
    if (above + 1 > depth.get(last)!) last = j;
  }
  const chain = [last];
  while (chain[0] !== start) chain.unshift(parents[chain[0]!]!);
  return chain;
}

/** How much later a joint so many joints below the start arrives. */
export const delay = (depth: number, step: number, power: number): number => (depth ? step * depth ** power : 0);

/** Joints of a chain, and how many seconds late each is. */
interface Delayed {
  joints: number[];
  late: number[];
}

/** The delays down the chain, drawn over the joints' names. */
export function Delays({ delayed }: { delayed(): Delayed }) {
  const { joints, late } = delayed();
  const said = joints.map((j, d) => `${nameOf(j)} ${lengthText(late[d]!, 3)}`);
  return (
    <Plot
      class="pose-delays" label={`Delays: ${said.join(", ")}`}
      draw={(pen, width, height) => drawDelays(pen, width, height, delayed())}
    />
  );
}

function nameOf(joint: number): string {
  const header = state.source.value!.header;
  return jointLabel(header.joints[joint]!, header.roles[joint]);
}

function drawDelays(pen: Pen, width: number, height: number, { joints, late }: Delayed): void {
  const [low, high] = [Math.min(...late, 0), Math.max(...late, 1e-3)];
  const x = (d: number): number => (joints.length > 1 ? 30 + (d * (width - 60)) / (joints.length - 1) : width / 2);
  const y = (t: number): number => height - 26 - ((t - low) / (high - low)) * (height - 40);
  pen.strokeStyle = token("--retimed");
  pen.lineWidth = 1.5;
  pen.beginPath();
  late.forEach((t, d) => (d ? pen.lineTo(x(d), y(t)) : pen.moveTo(x(d), y(t))));
  pen.stroke();
  pen.font = tickFont();
  const limb = limbsOf(state.source.value!.header)[joints[0]!]!;
  const every = Math.ceil(joints.length / Math.max(Math.floor(width / 64), 1));
  late.forEach((t, d) => {
    pen.fillStyle = token(`--limb-${limb.replace("_", "-")}`);
    pen.beginPath();
    pen.moveTo(x(d), y(t) - 5);
    pen.lineTo(x(d) + 5, y(t));
    pen.lineTo(x(d), y(t) + 5);
    pen.lineTo(x(d) - 5, y(t));
    pen.fill();
    pen.fillStyle = token("--text-3");
    if (d % every) return;
    const [first, last] = [d === 0, d === late.length - 1]; // names at the edges stay inside
    pen.textAlign = first ? "left" : last ? "right" : "center";
    const room = width / Math.ceil(joints.length / every) - 4;
    pen.fillText(nameOf(joints[d]!), first ? 6 : last ? width - 6 : x(d), height - 6, room);
  });
}
