/** Dark or light: the person's choice, else the system's wish. public/theme.js sets it before the first paint. */

import * as state from "../store/state";
import { watch } from "./dom";
import { keep } from "./memory";

export function followTheme(): void {
  state.theme.value = document.documentElement.dataset["theme"] === "light" ? "light" : "dark";
  watch(() => {
    document.documentElement.dataset["theme"] = state.theme.value;
  });
}

export function switchTheme(): void {
  state.theme.value = state.theme.value === "dark" ? "light" : "dark";
  keep("theme", state.theme.value);
}

/** A token's value now, for canvases; reading it subscribes to the theme. */
export function token(name: `--${string}`): string {
  void state.theme.value;
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
