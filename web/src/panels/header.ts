/** The bar at the top: what is open, whether it is kept, the way back, the two versions, and the way out. */

import * as actions from "../store/actions";
import * as state from "../store/state";
import { iconButton } from "./controls";
import { element, live, shown, text, watch } from "./dom";
import { exportButton } from "./export";
import { count } from "./format";
import { openHelp } from "./help";
import { icon, logo } from "./icons";
import { inspectorOpen } from "./layout";
import { switchTheme } from "./theme";
import { versionSwitch } from "./versions";
import type { ViewApi } from "../viewport/view";

export function header(view: () => ViewApi): HTMLElement {
  return element(
    "header",
    { className: "header", role: "banner" },
    element("span", { className: "brand" }, logo(), element("span", { textContent: "retime" })),
    title(),
    saveState(),
    element("span", { className: "divider" }),
    history("undo", "Undo", "Ctrl+Z", () => state.undoDepth.value, actions.undo),
    history("redo", "Redo", "Ctrl+Shift+Z", () => state.redoDepth.value, actions.redo),
    element("span", { className: "header-middle" }, versionSwitch()),
    themeButton(),
    iconButton("help", "Help and keys (?)", openHelp),
    drawerButton(),
    exportButton(view),
  );
}

function title(): HTMLElement {
  const motion = (): string => {
    const project = state.project.value;
    return (project?.source && project.motions[project.source]?.name) || "No motion";
  };
  return element(
    "h1",
    { className: "title" },
    shown(
      () => Boolean(state.welcome.value?.project),
      element("span", { className: "title-project" }, live(() => state.welcome.value?.project ?? ""), "  /  "),
    ),
    live(motion, "title-motion"),
  );
}

type Saved = "Saved" | "Saving" | "Not saved";

/** The server writes by itself soon after a change: only without it something stays unsaved. */
export function savedWord(saved: boolean, open: boolean, underway: boolean): Saved {
  if (saved && !underway) return "Saved";
  return open ? "Saving" : "Not saved";
}

function saveState(): HTMLElement {
  const word = (): Saved =>
    savedWord(state.saved.value, state.link.value === "open", state.pending.value !== null);
  const made = element(
    "button",
    { type: "button", className: "save-state", onclick: actions.save, title: "Save now (Ctrl+S)" },
  );
  made.append(element("span", { className: "dot" }), live(word));
  watch(() => {
    made.dataset["state"] = word();
  });
  return shown(() => state.committed.value !== null, made);
}

function history(
  name: "undo" | "redo",
  label: string,
  keys: string,
  depth: () => number,
  run: () => void,
): HTMLElement {
  const made = element(
    "button",
    { type: "button", className: "history", onclick: run },
    icon(name),
    text(() => String(depth()), element("span")),
  );
  watch(() => {
    made.disabled = depth() === 0 || state.link.value !== "open";
    made.ariaLabel = `${label}, ${count(depth(), "change")}`;
    made.title = `${label} (${keys})`;
  });
  return made;
}

function themeButton(): HTMLElement {
  const made = iconButton("sun", "Theme", switchTheme);
  watch(() => {
    const dark = state.theme.value === "dark";
    made.replaceChildren(icon(dark ? "sun" : "moon"));
    made.ariaLabel = made.title = dark ? "Use the light theme" : "Use the dark theme";
  });
  return made;
}

/** Opens the inspector where the window is too narrow to hold it. */
function drawerButton(): HTMLElement {
  const made = iconButton("sliders", "Parameters", () => (inspectorOpen.value = !inspectorOpen.value));
  made.classList.add("drawer-button");
  watch(() => {
    made.ariaExpanded = String(inspectorOpen.value);
  });
  return made;
}
