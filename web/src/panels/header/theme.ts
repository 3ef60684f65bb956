/** Dark or light: the person's choice, else the system's. public/theme.js sets it before the first paint. */

import { effect } from "@preact/signals";
import { keep } from "../../store/memory";
import * as state from "../../store/state";

export function followTheme(): void {
  state.theme.value = document.documentElement.dataset["theme"] === "light" ? "light" : "dark";
  effect(() => {
    document.documentElement.dataset["theme"] = state.theme.value;
  });
}

export function switchTheme(): void {
  state.theme.value = state.theme.value === "dark" ? "light" : "dark";
  keep("theme", state.theme.value);
}
