/** A duration on its feasible range: hatched where no body could be so quick, marked where the limits are. */

import * as state from "../store/state";
import { sourceLength } from "../store/times";
import { element, watch, type Child } from "./dom";
import { label, help } from "./fields";
import { seconds } from "./format";
import { durationBounds, numberControl } from "./numberfield";
import { parameterOf } from "./parameter";

export function feasibleDuration(step: string): Child[] {
  const parameter = parameterOf(step, "physics", "duration");
  if (!parameter) return [];
  const [value, sliding] = numberControl(parameter);
  const captions = element("div", { className: "slider-captions" });
  const made = element(
    "div",
    { className: "field wide feasible" },
    label(parameter),
    value,
    sliding,
    captions,
    help(parameter),
  );
  watch(() => {
    const [low, high] = durationBounds(step);
    const found = state.physics.value?.header;
    const now = parameter.number ?? sourceLength(step);
    const share = (t: number): number => Math.min(Math.max((t - low) / (high - low), 0), 1);
    made.style.setProperty("--least", String(found?.least == null ? 0 : share(found.least)));
    made.style.setProperty("--most", String(found?.most == null ? 1 : share(found.most)));
    made.classList.toggle("known", found !== undefined);
    made.classList.toggle("impossible", found?.least != null && now < found.least - 1e-3);
    captions.replaceChildren(...captionsOf(low, found?.least, sourceLength(step)));
  });
  return [made];
}

function captionsOf(low: number, least: number | null | undefined, source: number): HTMLElement[] {
  const words = least == null ? seconds(low) : `${seconds(least)} minimum`;
  return [
    element("span", { className: least == null ? "" : "strong", textContent: words }),
    element("span", { textContent: `${seconds(source)} source` }),
  ];
}
