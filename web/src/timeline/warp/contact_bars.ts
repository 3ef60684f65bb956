/** The bars of contacts: drawn, found under the pointer, moved and stretched. */

import type { ContactBar } from "../../protocol";
import * as contacts from "../../store/contacts";
import { clickJoint } from "../../store/selection";
import * as state from "../../store/state";
import { seconds } from "../plot/axis";
import type { Gesture, GestureHost, Pull } from "../plot/gesture_host";
import { hatch, labelRow, within, type Plot } from "../plot/plot";
import { snapPull } from "../plot/snapping";
import { CONTACT_BAR } from "./rows";

/** Pixels at a bar's end that stretch it; a short bar keeps a middle to be moved by. */
const EDGE = 6;

export type ContactTarget =
  | { kind: "contact"; joint: string; bar: ContactBar; part: contacts.ContactPart }
  | { kind: "contact-row"; joint: string }
  | { kind: "contact-switch"; joint: string };

interface Lines {
  pitch: number;
  thickness: number;
  middle(k: number): number;
}

function linesOf({ rows, scene }: Plot): Lines | null {
  const row = rows.contacts;
  if (!row || !scene.contacts.length) return null;
  const pitch = Math.min((row.height - 4) / scene.contacts.length, CONTACT_BAR);
  return { pitch, thickness: Math.min(pitch - 2, 9), middle: (k) => row.top + 2 + (k + 0.5) * pitch };
}

export function drawContacts(plot: Plot): void {
  const { context, theme, rows, scene } = plot;
  const row = rows.contacts;
  const lines = linesOf(plot);
  if (!row || !lines) return;
  const { pitch, thickness, middle } = lines;
  within(plot, row, () => {
    drawFlights(plot, row.top, row.height);
    scene.contacts.forEach(({ bars }, k) => {
      for (const bar of bars) drawBar(plot, bar, middle(k), thickness);
    });
  });
  if (pitch < CONTACT_BAR - 1) return labelRow(plot, row, "Contacts", `${scene.contacts.length} joints`);
  context.font = theme.tick;
  context.textAlign = "left";
  context.textBaseline = "middle";
  scene.contacts.forEach(({ label, off }, k) => {
    context.fillStyle = theme.text3;
    context.globalAlpha = off ? 0.55 : 1;
    context.fillText(off ? `${label}: off` : label, 12, middle(k) + 0.5, theme.gutter - 16);
    context.globalAlpha = 1;
  });
}

function drawBar({ context, theme, time, width }: Plot, bar: ContactBar, y: number, thickness: number): void {
  const left = Math.max(time.at(bar.start), theme.gutter - 4);
  const right = Math.min(time.at(bar.end), width + 4);
  if (right < left) return;
  context.beginPath();
  context.roundRect(left, y - thickness / 2, Math.max(right - left, 2), thickness, 3);
  context.fillStyle = theme.contact;
  context.globalAlpha = bar.sure < 0.5 ? 0.4 : 0.8; // not seen, but something must support the body there
  context.fill();
  context.globalAlpha = 1;
  if (!contacts.sameContact(contacts.selectedContact.value, bar)) return;
  context.lineWidth = 1.5;
  context.strokeStyle = theme.selection;
  context.stroke();
}

/** Stretches in which nothing bears the body although it does not fall: hatched, and said beside the pointer. */
function drawFlights({ context, theme, time, scene }: Plot, top: number, height: number): void {
  for (const [start, end] of scene.result?.header.flights ?? []) {
    const [left, right] = [time.at(start), time.at(end)];
    context.save();
    context.beginPath();
    context.rect(left, top + 1, Math.max(right - left, 2), height - 2);
    context.clip();
    context.fillStyle = theme.infeasibleSoft;
    context.fill();
    context.strokeStyle = theme.infeasible;
    context.globalAlpha = 0.5;
    context.lineWidth = 1;
    hatch(context, left, top, right - left, height, 7);
    context.restore();
  }
}

/** What of the contacts is at a place; null where it is outside of their rows. */
export function contactAt(plot: Plot, x: number, y: number): ContactTarget | null {
  const { rows, scene, time, theme } = plot;
  const row = rows.contacts;
  const lines = linesOf(plot);
  if (!row || !lines || y < row.top || y >= row.top + row.height) return null;
  const k = Math.min(Math.max(Math.floor((y - row.top - 2) / lines.pitch), 0), scene.contacts.length - 1);
  const { joint, bars } = scene.contacts[k]!;
  if (x < theme.gutter) return lines.pitch < CONTACT_BAR - 1 ? null : { kind: "contact-switch", joint };
  for (const bar of bars) {
    const [left, right] = [time.at(bar.start), time.at(bar.end)];
    if (x < left - EDGE || x > right + EDGE) continue;
    const edge = Math.min(EDGE, (right - left) / 3);
    const part = x < left + edge ? "start" : x > right - edge ? "end" : "whole";
    return { kind: "contact", joint, bar, part };
  }
  return { kind: "contact-row", joint };
}

/** Where a bar is on the canvas, for read-outs and tests. */
export function barPlace(plot: Plot, joint: string, index: number): { left: number; right: number; y: number } | null {
  const k = plot.scene.contacts.findIndex((row) => row.joint === joint);
  const lines = linesOf(plot);
  const bar = plot.scene.contacts[k]?.bars[index];
  if (!lines || k < 0) return null;
  const y = lines.middle(k);
  return bar ? { left: plot.time.at(bar.start), right: plot.time.at(bar.end), y } : { left: 0, right: 0, y };
}

/** Say what is under the pointer. */
export function nameContact(host: GestureHost, target: ContactTarget, at: { x: number; y: number }): void {
  const plot = host.plot();
  const row = plot.scene.contacts.find(({ joint }) => joint === target.joint);
  if (!row) return;
  if (target.kind === "contact-switch")
    return host.chip.show([row.label, row.off ? "click to use its contacts" : "click to switch off"], at, []);
  if (target.kind === "contact") {
    const { start, end, sure } = target.bar;
    const words = [row.label, `${seconds(start)} to ${seconds(end)}`];
    return host.chip.show(sure < 0.5 ? [...words, "not seen", "something must support the body here"] : words, at, []);
  }
  const t = plot.time.value(at.x);
  if ((plot.scene.result?.header.flights ?? []).some(([a, b]) => t >= a && t <= b))
    host.chip.show(["No support", "nothing touches, yet the body does not fall: double-click to add a contact"], at, []);
  else host.chip.hide();
}

/** A bar follows the pointer: all of it, or one of its ends. It is kept when the pointer lets go. */
export class ContactDrag implements Gesture {
  readonly cursor: string;
  readonly holdsView = true;
  constructor(
    private readonly host: GestureHost, private readonly bar: ContactBar, private readonly part: contacts.ContactPart,
  ) {
    this.cursor = part === "whole" ? "grabbing" : "ew-resize";
    contacts.selectedContact.value = { joint: bar.joint, given: bar.given };
    state.selectedKey.value = null;
    const joint = state.source.peek()?.header.joints.indexOf(bar.joint) ?? -1;
    if (joint >= 0) clickJoint(joint);
  }

  move(pull: Pull): void {
    const plot = this.host.plot();
    if (!plot.scene.editable) return;
    const { start, end, joint, given } = this.bar;
    const by = pull.dx / plot.time.scale;
    const shown = stretched([start, end], this.part, by, plot.scene.output, 1 / plot.scene.fps, (t) =>
      snapPull(plot, t, pull.alt));
    contacts.draft.value = { joint, given, shown };
    const at = this.part === "end" ? shown[1] : shown[0];
    this.host.chip.show([seconds(shown[0]), "to", seconds(shown[1])], { x: plot.time.at(at), y: pull.y }, []);
  }

  finish(moved: boolean): void {
    const { value } = contacts.draft;
    this.host.chip.hide();
    contacts.draft.value = null;
    if (!moved || !value) return;
    contacts.keepBar(this.bar, value.shown);
    state.announcement.value = `The contact lasts from ${seconds(value.shown[0])} to ${seconds(value.shown[1])}.`;
  }

  cancel(): void {
    contacts.draft.value = null;
    this.host.chip.hide();
  }
}

/** A stretch with one end or both moved by some seconds, inside the clip and never shorter than a frame. */
export function stretched(
  [start, end]: contacts.Stretch, part: contacts.ContactPart, by: number, [low, high]: [number, number], least: number,
  snap: (t: number) => number,
): contacts.Stretch {
  if (part === "start") return [Math.min(Math.max(snap(start + by), low), end - least), end];
  if (part === "end") return [start, Math.max(Math.min(snap(end + by), high), start + least)];
  const moved = Math.min(Math.max(snap(start + by), low), Math.max(high - (end - start), low));
  return [moved, moved + end - start];
}

/** A click on a joint's name switches its contacts off, or on again. */
export class SwitchContacts implements Gesture {
  readonly cursor = "pointer";
  readonly holdsView = true;
  constructor(private readonly joint: string) {}
  move(): void {}
  finish(moved: boolean): void {
    if (!moved) contacts.switchJoint(this.joint);
  }
  cancel(): void {}
}
