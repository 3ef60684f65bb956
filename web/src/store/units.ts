/** The unit of times, remembered by this browser, and the frame rate that it counts by. */

import { effect } from "@preact/signals";
import { asTimeUnit, frameRate, timeUnit, type TimeUnit } from "../words/units";
import { keep, remembered } from "./memory";
import * as state from "./state";

const UNIT = "time-unit";

export function chooseUnit(unit: TimeUnit): void {
  timeUnit.value = unit;
  keep(UNIT, unit);
}

export function followUnits(): void {
  timeUnit.value = asTimeUnit(remembered(UNIT));
  effect(() => {
    frameRate.value = state.fps.value;
  });
  // Timecode is wide: the styles make room for it.
  effect(() => {
    document.documentElement.dataset["timeUnit"] = timeUnit.value;
  });
}
