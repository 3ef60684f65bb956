/** The two versions of the recipe, to compare: each named by its first step that counts. */

import * as actions from "../store/actions";
import * as state from "../store/state";
import type { StepEntry } from "../protocol";
import { iconButton } from "./controls";
import { element, live, watch } from "./dom";
import { attachMenu } from "./popover";

export function versionName(steps: StepEntry[], titles: ReadonlyMap<string, { title: string }>): string {
  const first = steps.find((s) => !s.mute);
  return first ? first.label || titles.get(first.method)?.title || first.method : "Original";
}

export function versionSwitch(): HTMLElement {
  const more = iconButton("down", "Copy one version to the other", () => undefined);
  attachMenu(more, "Versions", () => [
    { label: "Copy A to B", run: () => actions.run({ type: "copy_version", to: "B" }) },
    { label: "Copy B to A", run: () => actions.run({ type: "copy_version", to: "A" }) },
  ]);
  return element(
    "div",
    { className: "segments versions", role: "group", ariaLabel: "Version" },
    versionButton("A"),
    versionButton("B"),
    more,
  );
}

function versionButton(version: state.Version): HTMLElement {
  const name = (): string => versionName(state.project.value?.versions[version] ?? [], state.methods.value);
  const made = element(
    "button",
    { type: "button", className: "segment", onclick: () => actions.showVersion(version) },
    element("span", { className: "version-letter", textContent: version }),
    live(name, "version-name"),
  );
  watch(() => {
    made.ariaPressed = String(state.version.value === version);
    made.ariaLabel = `Version ${version}, ${name()}`;
  });
  return made;
}
