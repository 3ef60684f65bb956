/** What can be done with a motion's recipe as a whole: in the menus of the recipe and of each motion. */

import { MenuButton, type MenuRow } from "../../controls";
import * as recipes from "../../store/recipes";
import * as state from "../../store/state";
import { count } from "../../words/numbers";

export function recipeRows(motion: string): MenuRow[] {
  const steps = recipes.recipeFor(motion).length;
  const copied = recipes.copiedRecipe();
  const others = Object.keys(state.committed.value?.motions ?? {}).length - 1;
  const offline = state.link.value !== "open";
  return [
    { heading: `Recipe of version ${state.version.value}` },
    { label: "Copy recipe", disabled: !steps, run: () => recipes.copyRecipe(motion) },
    {
      label: "Paste recipe", disabled: !copied || offline,
      note: copied ? `${count(copied.length, "step")}, in place of ${count(steps, "step")}` : "No recipe was copied",
      run: () => recipes.pasteRecipe(motion),
    },
    {
      label: "Apply to all motions", disabled: others < 1 || offline,
      note: others < 1 ? "There is no other motion" : `Replaces the recipes of ${count(others, "other motion")}`,
      run: () => recipes.applyToAll(motion),
    },
  ];
}

export function RecipeMenu() {
  const source = state.committed.value?.source;
  return source
    ? <MenuButton icon="more" label="Copy, paste or apply the recipe" name="Recipe" rows={() => recipeRows(source)} />
    : null;
}
