/** What the hand finds in the Warp tab, and what it does there. */

import * as actions from "../../store/actions";
import * as contacts from "../../store/contacts";
import * as state from "../../store/state";
import type { Place } from "../plot/chip";
import { ContactDrag, nameContact, SwitchContacts } from "./contact_bars";
import { EndDrag } from "./end_drag";
import { GestureHand, showAll, type Grips } from "../plot/gesture_hand";
import { nameTarget } from "./hover_name";
import { KeyDrag, TakeSuggestion } from "./key_drag";
import { addKey, setRate } from "./key_edits";
import { RateDrag } from "./rate_drag";
import { snapPull } from "../plot/snapping";
import type { Gesture, GestureHost } from "../plot/gesture_host";
import { sameTarget, targetAt, type Target } from "./targets";
import { PushSearch, RangeDrag, Scrub } from "../plot/time_drags";
import { typeKey } from "./typing";

const CURSORS: Partial<Record<Target["kind"], string>> = {
  key: "grab", handle: "grab", suggestion: "pointer", end: "ew-resize", range: "ew-resize",
  "contact-switch": "pointer", "contact-row": "default",
};

export type Pointer = GestureHand<Target>;

export function warpHand(host: GestureHost, signal: AbortSignal, pressed: () => void): Pointer {
  let pointed: Place = { x: 0, y: 0 };
  const grips: Grips<Target> = {
    at: ({ x, y }) => targetAt(host.plot(), x, y),
    same: sameTarget,
    cursor: (target) =>
      target.kind === "contact" ? (target.part === "whole" ? "grab" : "ew-resize") : CURSORS[target.kind],
    point(target, place) {
      pointed = place;
      if (target.kind === "contact-row") nameContact(host, target, place);
    },
    take: (target) => gestureAt(host, target),
    name(target) {
      if (target.kind === "contact" || target.kind === "contact-switch") nameContact(host, target, pointed);
      else nameTarget(host, target);
    },
    double: (target, place, event) => double(host, target, place, event.altKey),
    pressed,
  };
  return new GestureHand(host, grips, signal);
}

/** Move the selected key with the pointer until a click; true if there is one to move. */
export function grabKey(host: GestureHost, hand: Pointer): boolean {
  const { selected, editable } = host.plot().scene;
  return hand.carry(() => (selected === null || !editable ? null : new KeyDrag(host, selected)));
}

function gestureAt(host: GestureHost, target: Target | null): Gesture | null {
  const { scene } = host.plot();
  if (target?.kind !== "contact") contacts.selectedContact.value = null;
  switch (target?.kind) {
    case "contact": return scene.editable ? new ContactDrag(host, target.bar, target.part) : null;
    case "contact-switch": return scene.editable ? new SwitchContacts(target.joint) : null;
    case "key": return new KeyDrag(host, target.index);
    case "handle": return new RateDrag(host, target.side);
    case "range": return new RangeDrag(host, target.edge);
    case "end": return scene.editable ? new EndDrag(host) : null;
    case "suggestion": return scene.editable ? new TakeSuggestion(scene.suggestions[target.index]!) : null;
    case undefined: return null;
    default: return state.result.value?.header.interim ? new PushSearch(host) : new Scrub(host);
  }
}

function double(host: GestureHost, target: Target | null, { x }: Place, free: boolean): void {
  const plot = host.plot();
  const { scene } = plot;
  if (target?.kind === "contact-row" && scene.editable)
    contacts.addContact(target.joint, snapPull(plot, plot.time.value(x), free));
  else if (target?.kind === "ruler") showAll(host);
  else if (target?.kind === "key") typeKey(host, target.index);
  else if (target?.kind === "curve" && scene.editable) addKey(snapPull(plot, plot.time.value(x), free));
  else if (target?.kind === "handle" && scene.step && scene.selected !== null) {
    actions.change(scene.step.id, { parameters: setRate(scene, scene.keys[scene.selected]!, null) });
    state.announcement.value = "The speed at the keytime is free again.";
  }
}
