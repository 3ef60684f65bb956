/** Whether feet stay where they stood, and how far they slip all the same. */

import type { ContactBar } from "../protocol";
import * as state from "../store/state";
import { select } from "./controls";
import { element, live, type Child } from "./dom";
import { number } from "./format";
import { parameterOf } from "./parameter";
import { row } from "./poses_pose";

const HOLDS: Record<string, string> = {
  hold: "Hold all contacts", touched: "Hold those touched", free: "Leave them free",
};
/** More than the recording's own by this much is seen, metres. */
const SEEN = 0.003;

export function contactsGroup(step: string): Child {
  const parameter = parameterOf(step, "stagger", "constraints");
  if (!parameter) return null;
  return element(
    "div",
    { className: "field-group" },
    row(
      "Contacts",
      select(
        "Contacts",
        () => parameter.field.choices.map((value) => ({ value, label: HOLDS[value] ?? value })),
        () => String(parameter.value),
        (value) => parameter.commit(value),
      ),
    ),
    live(() => slipText(String(parameter.value)), "caption"),
  );
}

interface Standing {
  positions: Float32Array;
  times: Float32Array;
  points: number;
  contacts: ContactBar[];
}

/** How far any point goes along the ground while it stands, at most: metres. */
export function slipOf({ positions, times, points, contacts }: Standing): number {
  let most = 0;
  for (const { point, start, end } of contacts) {
    let from: [number, number] | null = null;
    times.forEach((t, frame) => {
      if (t < start || t > end) return;
      const at = 3 * (frame * points + point);
      const [x, z] = [positions[at]!, positions[at + 2]!];
      from ??= [x, z];
      most = Math.max(most, Math.hypot(x - from[0], z - from[1]));
    });
  }
  return most;
}

const known = new WeakMap<Standing, number>();

function slip(clip: Standing): number {
  const before = known.get(clip) ?? slipOf(clip);
  known.set(clip, before);
  return before;
}

function slipText(constraints: string): string {
  const [result, source] = [state.result.value, state.source.value];
  if (!result?.contacts.length || !source) return "";
  const [now, recorded] = [slip(result), slip(source)];
  const far = (metres: number): string => `${number(1000 * metres, metres < 0.01 ? 1 : 0)} mm`;
  const kept = now <= recorded + SEEN && constraints !== "free";
  if (kept) return `Contacts hold${now > SEEN ? " as recorded" : ""}, slip ${far(now)}`;
  return `Contacts slip by up to ${far(now)}; the recording's by ${far(recorded)}`;
}
