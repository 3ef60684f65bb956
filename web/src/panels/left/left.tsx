/** The panel at the left: recipe, motions, skeleton. In narrow windows a rail, whose sections fly out. */

import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { IconButton, type IconName } from "../../controls";
import { MotionsSection } from "../motions/motions";
import { RecipeSection } from "../recipe/recipe";
import { SkeletonSection } from "../skeleton/skeleton";

type FlyOut = "recipe" | "motions" | "skeleton" | "all";

/** Which section flies out of the rail; wide windows show all of them and do not look at it. */
const flyOut = signal<FlyOut | null>(null);

const PANEL = ".popover";
/** In these, Escape discards what was typed. */
const FIELD = "input, textarea";

export function Left() {
  const host = useRef<HTMLElement>(null);
  useEffect(() => {
    const leave = (event: Event): void => {
      const target = event.target as Element;
      if (flyOut.value && !host.current?.contains(target) && !target.closest(PANEL)) flyOut.value = null;
    };
    // A rail that was clicked has given the focus back: the key may come from anywhere.
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== "Escape" || !flyOut.value || (event.target as Element).closest(`${PANEL}, ${FIELD}`)) return;
      event.stopPropagation();
      flyOut.value = null;
    };
    document.addEventListener("pointerdown", leave);
    document.addEventListener("keydown", onKeyDown, true);
    return () => {
      document.removeEventListener("pointerdown", leave);
      document.removeEventListener("keydown", onKeyDown, true);
    };
  }, []);
  return (
    <aside
      ref={host} class="left" aria-label="Project" tabIndex={-1} data-area="left" data-open={flyOut.value ?? ""}
    >
      <div class="rail" role="toolbar" aria-label="Panels">
        <RailButton icon="list" label="Recipe" opens="recipe" />
        <RailButton icon="file" label="Motions" opens="motions" />
        <RailButton icon="bone" label="Skeleton" opens="skeleton" />
        <span class="grow" />
        <RailButton icon="panel" label="All panels" opens="all" />
      </div>
      <div class="left-panel"><RecipeSection /><MotionsSection /><SkeletonSection /></div>
    </aside>
  );
}

const RailButton = ({ opens, ...rest }: { icon: IconName; label: string; opens: FlyOut }) => (
  <IconButton
    aria-expanded={flyOut.value === opens} {...rest}
    onClick={() => (flyOut.value = flyOut.value === opens ? null : opens)}
  />
);
