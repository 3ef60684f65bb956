/** Tabs of the timeline: one stop for the Tab key, the arrows go on from there. */

import type { TargetedKeyboardEvent } from "preact";
import * as state from "../../store/state";

const NAMES: Record<state.Tab, string> = {
  warp: "Warp", joints: "Joint times", poses: "Poses", layers: "Layers", live: "Live",
};

export function Tabs() {
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>): void => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) return;
    event.stopPropagation();
    const next = (state.TABS.indexOf(state.tab.value) + by + state.TABS.length) % state.TABS.length;
    state.tab.value = state.TABS[next]!;
    (event.currentTarget.children[next] as HTMLElement).focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label="Timeline" onKeyDown={onKeyDown}>
      {state.TABS.map((name) => (
        <button
          key={name} type="button" class="tab" role="tab" id={`tab-${name}`} aria-controls={`panel-${name}`}
          aria-selected={state.tab.value === name} tabIndex={state.tab.value === name ? 0 : -1}
          onClick={() => (state.tab.value = name)}
        >
          {NAMES[name]}
        </button>
      ))}
    </div>
  );
}
