/** Before there is anything to see: what to do first, and what is on its way. */

import * as actions from "../store/actions";
import { isServerShown } from "../store/live_server";
import * as state from "../store/state";
import { chooseFiles } from "./addstep";
import { button } from "./controls";
import { element, live, rebuild, shown, watch } from "./dom";
import { percent } from "./format";
import { icon } from "./icons";

/** Bundled motions to begin with; the menu of the motions has all. */
const TRY: Record<string, string> = { jump: "Try the jump", swing: "Try the golf swing" };

export const isEmpty = (): boolean =>
  !state.project.value?.source && state.loading.value === null && !isServerShown.value;
/** A motion is on its way: being sent, or known by the document and not yet here. */
export function isLoading(): boolean {
  const source = state.project.value?.source;
  const expected = Boolean(source) && !state.source.value && !state.missing.value.includes(source!);
  return state.loading.value !== null || expected;
}

export function emptyState(): HTMLElement {
  const samples = element("span", { className: "sample-buttons" });
  rebuild(samples, () => JSON.stringify(state.welcome.value?.samples ?? {}), () =>
    Object.entries(TRY)
      .filter(([name]) => name in (state.welcome.value?.samples ?? {}))
      .map(([name, label]) => button(label, () => actions.openSample(name))),
  );
  const open = element(
    "button",
    { type: "button", className: "button filled", onclick: chooseFiles },
    icon("folder"),
    "Open file",
  );
  return shown(
    () => isEmpty() && state.committed.value !== null,
    element(
      "section",
      { className: "empty", ariaLabel: "Open a motion" },
      element("h2", { textContent: "Drop a motion here" }),
      element("p", {}, live(() => `${formats()}. Nothing leaves this computer.`)),
      element("div", { className: "empty-actions" }, open, samples),
    ),
  );
}

/** What the server reads, as people write it: "BVH, GLB, GLTF or NPZ". */
function formats(): string {
  const motions = (state.welcome.value?.formats ?? []).filter((name) => name !== ".json");
  const sounds = motions.indexOf(".wav");
  const names = motions.slice(0, sounds < 0 ? undefined : sounds).map((name) => name.slice(1).toUpperCase());
  return names.length > 1 ? `${names.slice(0, -1).join(", ")} or ${names.at(-1)}` : (names[0] ?? "Motions");
}

export function loadingState(): HTMLElement {
  const name = (): string => {
    const source = state.project.value?.source;
    return state.loading.value?.name ?? (source && state.project.value?.motions[source]?.name) ?? "";
  };
  const share = (): number | null => state.loading.value?.share ?? state.progress.value?.share ?? null;
  const bar = element("span", { className: "loading-bar", role: "progressbar", ariaLabel: "Loading" });
  watch(() => {
    bar.classList.toggle("unknown", share() === null);
    bar.style.setProperty("--share", String(share() ?? 0));
    bar.ariaValueNow = share() === null ? null : String(Math.round(100 * share()!));
  });
  const cancel = button("Cancel", () => {
    actions.cancel();
    state.loading.value = null;
  });
  cancel.append(element("kbd", { textContent: "Esc" }));
  return shown(
    isLoading,
    element(
      "section",
      { className: "loading", ariaLabel: "Loading" },
      element(
        "div",
        { className: "loading-head" },
        icon("file"),
        live(name, "loading-name"),
        live(() => state.progress.value?.text ?? (share() === null ? "" : percent(share()!)), "caption"),
      ),
      bar,
      element("div", { className: "grey-block tall" }),
      element(
        "div",
        { className: "grey-blocks" },
        ...Array.from({ length: 8 }, () => element("div", { className: "grey-block" })),
      ),
      element("div", { className: "loading-foot" }, cancel),
    ),
  );
}
