/** Why a timing is impossible: each stretch with its cause and its smallest fix; a click goes there. */

import * as actions from "../store/actions";
import * as state from "../store/state";
import type { ViolationRow } from "../protocol";
import { button, section } from "./controls";
import { element, live, rebuild, shown, watch } from "./dom";
import { seconds, sentence } from "./format";
import { icon } from "./icons";

export function violationsSection(step: string): HTMLElement {
  const list = element("ul", { className: "violations" });
  const found = (): ViolationRow[] => state.physics.value?.header.violations ?? [];
  rebuild(list, () => JSON.stringify(found()), () => found().map(violationRow));
  // At the very least everything is at its limit; a tenth more leaves room for the effort to be natural.
  const least = (): number | null => {
    const found = state.physics.value?.header.least ?? null;
    const slower = found === null ? null : Math.ceil(found * 1.1 * 100) / 100;
    return slower !== null && slower > lengthNow(step) + 0.005 ? slower : null; // never to a faster timing
  };
  const fix = button(live(() => (least() === null ? "" : `Slow to ${seconds(least()!)}`)), () => {
    if (least() !== null) actions.setParameter(step, "duration", least());
  }, "link");
  return shown(
    () => found().length > 0,
    section(
      {
        id: "violations",
        title: "Why it is impossible",
        caption: "frames",
        actions: [shown(() => least() !== null, fix)],
      },
      list,
    ),
  );
}

/** How long a step's result is now, or will be by the duration that is asked for. */
function lengthNow(step: string): number {
  const asked = state.steps.value.find((s) => s.id === step)?.parameters?.["duration"];
  if (typeof asked === "number") return asked;
  const made = state.result.value?.header.steps.find((s) => s.id === step)?.made;
  return made ? made[1] - made[0] : Infinity;
}

function violationRow(row: ViolationRow): HTMLElement {
  const fps = state.fps.value;
  const frames = `${Math.round(row.output_start * fps)}–${Math.round(row.output_end * fps)}`;
  const choose = element(
    "button",
    { type: "button", className: "violation", onclick: () => actions.seek(row.output_start) },
    icon("alert"),
    element(
      "span",
      { className: "violation-words" },
      element("span", { className: "violation-text", textContent: sentence(row.text || row.cause) }),
      element("span", { className: "violation-mend", textContent: row.mend }),
    ),
    element("span", { className: "caption", textContent: frames }),
  );
  const made = element("li", {}, choose);
  watch(() => {
    const t = state.time.value;
    made.classList.toggle("selected", t >= row.output_start && t <= row.output_end);
  });
  return made;
}
