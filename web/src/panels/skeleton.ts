/** The skeleton as a tree by limb; what the pointer or the focus is on lights up in the view. */

import { signal } from "@preact/signals-core";
import * as state from "../store/state";
import { section } from "./controls";
import { element, live, rebuild, watch } from "./dom";
import { count } from "./format";
import { icon } from "./icons";
import { LIMB_TITLES, LIMBS, limbsOf, type Limb } from "./limbs";

export function skeletonSection(): HTMLElement {
  const tree = element("div", { className: "skeleton", role: "tree", ariaLabel: "Joints by limb" });
  rebuild(tree, () => state.source.value?.header.sha256 ?? null, () => {
    const header = state.source.value?.header;
    if (!header) return [];
    const limbs = limbsOf(header);
    return LIMBS.map((limb) => {
      const members = header.joints.map((_, j) => j).filter((j) => limbs[j] === limb);
      return members.length ? limbGroup(limb, members, header.joints) : null;
    });
  });
  tree.onkeydown = (event) => moveInTree(tree, event);
  tree.onpointerleave = () => (state.hoveredJoint.value = null);
  const joints = (): number => state.source.value?.header.joints.length ?? 0;
  return section(
    { id: "skeleton", title: "Skeleton", caption: live(() => (joints() ? count(joints(), "joint") : "")) },
    tree,
  );
}

function limbGroup(limb: Limb, members: number[], names: string[]): HTMLElement {
  const open = signal(false);
  const heading = element(
    "button",
    {
      type: "button",
      className: "limb",
      role: "treeitem",
      tabIndex: limb === "trunk" ? 0 : -1,
      onclick: () => (open.value = !open.value),
    },
    icon("right"),
    element("span", { className: "swatch", data: { limb } }),
    element("span", { className: "limb-name", textContent: LIMB_TITLES[limb] }),
    element("span", { className: "caption", textContent: String(members.length) }),
  );
  const list = element(
    "div",
    { className: "joints", role: "group" },
    ...members.map((j) => jointRow(j, names[j] ?? "")),
  );
  watch(() => {
    heading.ariaExpanded = String(open.value);
    list.hidden = !open.value;
  });
  return element("div", { className: "limb-group", role: "none" }, heading, list);
}

function jointRow(joint: number, name: string): HTMLElement {
  const hover = (): void => {
    state.hoveredJoint.value = joint;
  };
  const made = element(
    "button",
    { type: "button", className: "joint", role: "treeitem", tabIndex: -1, textContent: name },
  );
  made.onpointerenter = made.onfocus = hover;
  made.onclick = () => (state.selectedJoint.value = joint);
  made.onblur = () => (state.hoveredJoint.value = null);
  watch(() => {
    made.classList.toggle("hovered", state.hoveredJoint.value === joint);
    made.classList.toggle("selected", state.selectedJoint.value === joint);
    made.ariaSelected = String(state.selectedJoint.value === joint);
  });
  return made;
}

function moveInTree(tree: HTMLElement, event: KeyboardEvent): void {
  const items = [...tree.querySelectorAll<HTMLElement>("[role=treeitem]")].filter((i) => i.offsetParent !== null);
  const at = items.indexOf(document.activeElement as HTMLElement);
  const item = items[at];
  if (!item) return;
  const folds = item.ariaExpanded === { ArrowRight: "false", ArrowLeft: "true" }[event.key];
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
  if (!folds && next === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  if (folds) item.click();
  else items[Math.max(0, Math.min(next!, items.length - 1))]?.focus();
}
