/** The panel at the left: recipe, motions, skeleton. In narrow windows a rail, whose sections fly out. */

import { signal } from "@preact/signals-core";
import { iconButton } from "./controls";
import { element, watch } from "./dom";
import type { IconName } from "./icons";
import { motionsSection } from "./motions";
import { recipeSection } from "./recipe";
import { skeletonSection } from "./skeleton";

type FlyOut = "recipe" | "motions" | "skeleton" | "all";

/** Which section flies out of the rail; wide windows show all of them and do not look at it. */
export const flyOut = signal<FlyOut | null>(null);

export function left(): HTMLElement {
  const panel = element("div", { className: "left-panel" }, recipeSection(), motionsSection(), skeletonSection());
  const made = element(
    "aside",
    { className: "left", ariaLabel: "Project", tabIndex: -1, data: { area: "left" } },
    element(
      "div",
      { className: "rail", role: "toolbar", ariaLabel: "Panels" },
      railButton("list", "Recipe", "recipe"),
      railButton("file", "Motions", "motions"),
      railButton("bone", "Skeleton", "skeleton"),
      element("span", { className: "grow" }),
      railButton("panel", "All panels", "all"),
    ),
    panel,
  );
  watch(() => {
    made.dataset["open"] = flyOut.value ?? "";
  });
  document.addEventListener("pointerdown", (event) => {
    const target = event.target as Element;
    if (flyOut.value && !made.contains(target) && !target.closest(".popover")) flyOut.value = null;
  });
  made.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && flyOut.value) {
      event.stopPropagation();
      flyOut.value = null;
    }
  });
  return made;
}

function railButton(name: IconName, label: string, opens: FlyOut): HTMLElement {
  const made = iconButton(name, label, () => (flyOut.value = flyOut.value === opens ? null : opens));
  watch(() => {
    made.ariaExpanded = String(flyOut.value === opens);
  });
  return made;
}
