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
    return found === null ? null : Math.ceil(found * 1.1 * 100) / 100;
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
