/** The skeleton as a tree by limb; what the pointer or the focus is on lights up in the view. */

import { useSignal } from "@preact/signals";
import type { TargetedKeyboardEvent } from "preact";
import { classes, Icon, Section } from "../../controls";
import type { MotionHeader } from "../../protocol";
import { LIMB_TITLES, LIMBS, limbsOf, type Limb } from "../../store/limbs";
import { clickJoint, selectLimb } from "../../store/selection";
import * as state from "../../store/state";
import { count } from "../../words/numbers";

export function SkeletonSection() {
  const header = state.source.value?.header;
  return (
    <Section id="skeleton" title="Skeleton" caption={header?.joints.length ? count(header.joints.length, "joint") : ""}>
      <div
        class="skeleton" role="tree" aria-label="Joints by limb" onKeyDown={moveInTree}
        onPointerLeave={() => (state.hoveredJoint.value = null)}
      >
        {header && <Limbs key={header.sha256} header={header} />}
      </div>
    </Section>
  );
}

function Limbs({ header }: { header: MotionHeader }) {
  const limbs = limbsOf(header);
  const groups = LIMBS.map((limb) => ({ limb, joints: [...limbs.keys()].filter((j) => limbs[j] === limb) }));
  return (
    <>
      {groups.filter(({ joints }) => joints.length).map((group) => (
        <LimbGroup key={group.limb} {...group} names={header.joints} />
      ))}
    </>
  );
}

function LimbGroup({ limb, joints, names }: { limb: Limb; joints: number[]; names: string[] }) {
  const open = useSignal(false);
  return (
    <div class="limb-group" role="none">
      <button
        type="button" class={classes("limb", selectedLimb() === limb && "selected")} role="treeitem" tabIndex={limb === "trunk" ? 0 : -1} aria-expanded={open.value}
        aria-selected={selectedLimb() === limb}
        onClick={() => {
          if (!open.value || selectedLimb() === limb) open.value = !open.value;
          selectLimb(limb);
        }}
      >
        <Icon name="right" />
        <span class="swatch" data-limb={limb} />
        <span class="limb-name">{LIMB_TITLES[limb]}</span>
        <span class="caption">{joints.length}</span>
      </button>
      {open.value && (
        <div class="joints" role="group">{joints.map((j) => <Joint key={j} joint={j} name={names[j] ?? ""} />)}</div>
      )}
    </div>
  );
}

/** The limb of the selected joint. */
function selectedLimb(): Limb | null {
  const header = state.source.value?.header;
  const joint = state.selectedJoint.value;
  return header && joint !== null ? (limbsOf(header)[joint] ?? null) : null;
}

function Joint({ joint, name }: { joint: number; name: string }) {
  const hover = (): void => {
    state.hoveredJoint.value = joint;
  };
  const selected = state.selectedJoint.value === joint;
  const look = classes("joint", state.hoveredJoint.value === joint && "hovered", selected && "selected");
  return (
    <button
      type="button" class={look} role="treeitem" aria-selected={selected} tabIndex={-1}
      onClick={() => clickJoint(selected ? null : joint)} onPointerEnter={hover} onFocus={hover}
      onBlur={() => (state.hoveredJoint.value = null)}
    >
      {name}
    </button>
  );
}

function moveInTree(event: TargetedKeyboardEvent<HTMLElement>): void {
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>("[role=treeitem]")];
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
