/** Succession: movement travels down a limb, each joint below the start arrives later than the one above. */

import { signal } from "@preact/signals-core";
import { poses } from "../store/poses";
import * as state from "../store/state";
import { jointLabel } from "../timeline/poses/pose_rows";
import { element, watch } from "./dom";
import { number } from "./format";
import { icon } from "./icons";
import { LIMB_TITLES, LIMBS, limbsOf } from "./limbs";
import { plot } from "./plot";
import { row } from "./poses_pose";
import { scopedPoses, scopeText } from "./poses_scope";
import { amountRow, showTool } from "./poses_tool";
import { token } from "./theme";

const joint = signal("");
const step = signal(0.02);
const growth = signal(1.5);

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

export function openSuccession(id: string): void {
  const header = state.source.value?.header;
  if (!header) return;
  const chosen = state.selectedJoint.value;
  const arm = header.roles.indexOf("right_upper_arm");
  joint.value = header.joints[chosen ?? (arm >= 0 ? arm : 0)] ?? header.joints[0]!;
  const chain = (): number[] => chainBelow(header.parents, header.joints.indexOf(joint.value));
  const most = (): number => Math.abs(delay(chain().length - 1, step.value, growth.value));
  const length = (): number => {
    const times = poses.value?.times;
    return times?.length ? times[times.length - 1]! - times[0]! : 1;
  };
  const fits = (): boolean => most() <= length();
  showTool({
    title: "Succession",
    step: id,
    edit: () =>
      fits() ? { do: "succession", joint: joint.value, step: step.value, power: growth.value, ...scopedPoses() } : null,
    trouble: () => {
      if (chain().length < 2) return `Nothing hangs on ${joint.value}: choose a joint further up.`;
      if (fits()) return "";
      return `The last joint would be ${number(most())} s late, and the clip lasts ${number(length())} s.`;
    },
    said: () => `Succession from ${joint.value}, ${scopeText()}.`,
    build: () => [
      row("Start joint", startSelect()),
      amountRow({ label: "Step", unit: "s", value: step, bounds: [0, 0.06], step: 0.001, digits: 3, minimum: -1 }),
      amountRow({ label: "Growth", value: growth, bounds: [0, 3], step: 0.05, digits: 2, minimum: 0 }),
      delays(chain),
    ],
  });
}

/** Joints by limb; with their own names, as the skeleton's tree has them. */
function startSelect(): HTMLElement {
  const header = state.source.value!.header;
  const limbs = limbsOf(header);
  const list = element("select", { ariaLabel: "Start joint", onchange: () => (joint.value = list.value) });
  list.append(
    ...LIMBS.map((limb) =>
      element(
        "optgroup",
        { label: LIMB_TITLES[limb] },
        ...header.joints
          .filter((_, j) => limbs[j] === limb && header.parents.includes(j))
          .map((name) => element("option", { value: name, textContent: name })),
      ),
    ),
  );
  watch(() => {
    list.value = joint.value;
  });
  return element("span", { className: "select" }, list, icon("down"));
}

/** The delays down the chain, drawn over the joints' names. */
function delays(chain: () => number[]): HTMLElement {
  const canvas = element("canvas", { className: "pose-delays", role: "img" });
  const header = state.source.value!.header;
  const name = (j: number): string => jointLabel(header.joints[j]!, header.roles[j]);
  watch(() => {
    const said = chain().map((j, d) => `${name(j)} ${number(delay(d, step.value, growth.value), 3)} s`);
    canvas.ariaLabel = `Delays: ${said.join(", ")}`;
  });
  plot(canvas, (pen, width, height) => {
    const joints = chain();
    const late = joints.map((_, d) => delay(d, step.value, growth.value));
    const [low, high] = [Math.min(...late, 0), Math.max(...late, 1e-3)];
    const x = (d: number): number => (joints.length > 1 ? 30 + (d * (width - 60)) / (joints.length - 1) : width / 2);
    const y = (t: number): number => height - 26 - ((t - low) / (high - low)) * (height - 40);
    pen.strokeStyle = token("--retimed");
    pen.lineWidth = 1.5;
    pen.beginPath();
    late.forEach((t, d) => (d ? pen.lineTo(x(d), y(t)) : pen.moveTo(x(d), y(t))));
    pen.stroke();
    pen.font = token("--type-tick").replace(/var\(--font-ui\)/, token("--font-ui"));
    const limb = limbsOf(header)[joints[0]!]!;
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
      pen.fillText(name(joints[d]!), first ? 6 : last ? width - 6 : x(d), height - 6, room);
    });
  });
  return canvas;
}
