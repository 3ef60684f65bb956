/** What the hand finds in the Warp tab, and what it does there. */

import * as actions from "../store/actions";
import * as state from "../store/state";
import type { Place } from "./chip";
import { EndDrag } from "./end_drag";
import { GestureHand, showAll, type Grips } from "./gesture_hand";
import { nameTarget } from "./hover_name";
import { KeyDrag, TakeSuggestion } from "./key_drag";
import { addKey, setRate } from "./key_edits";
import { RateDrag } from "./rate_drag";
import { snapPull } from "./snapping";
import type { Gesture, Stage } from "./stage";
import { sameTarget, targetAt, type Target } from "./targets";
import { PushSearch, RangeDrag, Scrub } from "./time_drags";
import { typeKey } from "./typing";

const CURSORS: Partial<Record<Target["kind"], string>> = {
  key: "grab", handle: "grab", suggestion: "pointer", end: "ew-resize", range: "ew-resize",
};

export type Pointer = GestureHand<Target>;

export function warpHand(stage: Stage, signal: AbortSignal, pressed: () => void): Pointer {
  const grips: Grips<Target> = {
    at: ({ x, y }) => targetAt(stage.plot(), x, y),
    same: sameTarget,
    cursor: ({ kind }) => CURSORS[kind],
    take: (target) => gestureAt(stage, target),
    name: (target) => nameTarget(stage, target),
    double: (target, place, event) => double(stage, target, place, event.altKey),
    pressed,
  };
  return new GestureHand(stage, grips, signal);
}

/** Move the selected key with the pointer until a click; true if there is one to move. */
export function grabKey(stage: Stage, hand: Pointer): boolean {
  const { selected, editable } = stage.plot().scene;
  return hand.carry(() => (selected === null || !editable ? null : new KeyDrag(stage, selected)));
}

function gestureAt(stage: Stage, target: Target | null): Gesture | null {
  const { scene } = stage.plot();
  switch (target?.kind) {
    case "key": return new KeyDrag(stage, target.index);
    case "handle": return new RateDrag(stage, target.side);
    case "range": return new RangeDrag(stage, target.edge);
    case "end": return scene.editable ? new EndDrag(stage) : null;
    case "suggestion": return scene.editable ? new TakeSuggestion(scene.suggestions[target.index]!) : null;
    case undefined: return null;
    default: return state.result.value?.header.interim ? new PushSearch(stage) : new Scrub(stage);
  }
}

function double(stage: Stage, target: Target | null, { x }: Place, free: boolean): void {
  const plot = stage.plot();
  const { scene } = plot;
  if (target?.kind === "ruler") showAll(stage);
  else if (target?.kind === "key") typeKey(stage, target.index);
  else if (target?.kind === "curve" && scene.editable) addKey(snapPull(plot, plot.time.value(x), free));
  else if (target?.kind === "handle" && scene.step && scene.selected !== null) {
    actions.change(scene.step.id, { parameters: setRate(scene, scene.keys[scene.selected]!, null) });
    state.announcement.value = "The speed at the keytime is free again.";
  }
}
