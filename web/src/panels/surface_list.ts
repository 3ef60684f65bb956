/** The surface keys of a step as a list: when each arrives, and what it moves. */

import * as actions from "../store/actions";
import * as state from "../store/state";
import { farthestOf, removeSurface, surfaceIndex, surfaceKeys } from "../store/surface";
import { iconButton, section } from "./controls";
import { element, live, rebuild, shown, watch, type Child } from "./dom";
import { seconds } from "./format";
import { keyMark } from "./icons";
import { keyWords } from "./surface_words";

export function keysSection(add: Child): HTMLElement {
  const list = element("div", { className: "surface-keys", role: "list" });
  rebuild(list, () => surfaceKeys.value.length, (count) => Array.from({ length: count }, (_, k) => keyRow(k)));
  return shown(
    () => surfaceKeys.value.length > 1,
    section({ id: "surface-keys", title: "Surface keys", caption: "when they arrive", actions: [add] }, list),
  );
}

function keyRow(k: number): HTMLElement {
  const arrival = (): number => {
    const key = surfaceKeys.value[k];
    return key ? state.stepTimes.value.toResult(key.time + farthestOf(key)) : 0;
  };
  const words = (): string => {
    const key = surfaceKeys.value[k];
    return key ? keyWords(state.source.value?.header, key) : "";
  };
  const choose = element(
    "button",
    {
      type: "button",
      className: "surface-key",
      onclick: () => {
        state.selectedSurface.value = k;
        actions.seek(arrival());
      },
    },
    keyMark("key"),
    live(() => seconds(arrival()), "surface-key-time"),
    live(words, "surface-key-words"),
  );
  watch(() => {
    choose.ariaPressed = String(surfaceIndex.value === k);
  });
  const made = element(
    "div", { className: "surface-key-row", role: "listitem" }, choose,
    iconButton("close", `Remove surface key ${k + 1}`, () => removeSurface(k)),
  );
  watch(() => {
    made.classList.toggle("selected", surfaceIndex.value === k);
  });
  return made;
}
