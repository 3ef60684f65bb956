/** How a surface bends, how far it reaches, and how it fades: with what the server had to change. */

import { signal } from "@preact/signals-core";
import type { SurfaceKeyView } from "../protocol";
import * as state from "../store/state";
import {
  changeSurface, DEFAULTS, dragsOf, gammaOf, LEAST_FADE, rangeOf, sigmaOf, surfaceEditor, surfaceKeys, surfaceView,
  type SurfaceKey,
} from "../store/surface";
import { button, section, segments } from "./controls";
import { element, rebuild, shown, watch } from "./dom";
import { seconds } from "./format";
import { icon } from "./icons";
import { cutNote, degreeFor, heldJoint, withDrag } from "./surface_drag";
import { keyField, keyNumber, type KeyNumber } from "./surface_field";
import { jointTitle } from "./surface_words";

const WIDEST = 1; // heights: more takes the whole body along
const LEAST = 0.02;

const NUMBERS: KeyNumber[] = [
  {
    name: "width", label: "Width", unit: "H", bounds: [0.05, WIDEST], minimum: LEAST,
    help: "How far to either side on the plane the drag is felt, in heights of the figure.",
    value: (key) => sigmaOf(key)[0], change: (key, value) => ({ sigma: [value, sigmaOf(key)[1]] }),
  },
  {
    name: "height", label: "Height", unit: "H", bounds: [0.05, WIDEST], minimum: LEAST,
    help: "How far up and down on the plane the drag is felt, in heights of the figure.",
    value: (key) => sigmaOf(key)[1], change: (key, value) => ({ sigma: [sigmaOf(key)[0], value] }),
  },
  {
    name: "range", label: "Body range", unit: "H", bounds: [0.05, WIDEST], minimum: LEAST,
    help: "How far along the bones the drag is felt, in heights: a leg near the hand does not follow it.",
    value: (key) => key.range_sigma ?? DEFAULTS.range_sigma, change: (_, value) => ({ range_sigma: value }),
  },
  {
    name: "fade", label: "Fade in time", unit: "s", bounds: [LEAST_FADE, 1], minimum: 0.01,
    help: "Seconds over which the drag fades before and after its moment.",
    value: gammaOf, change: (_, value) => ({ gamma: value }),
  },
];

export function shapeSection(index: number): HTMLElement {
  const asked = signal(false); // for a polynomial that has too few drags yet
  const shapeOf = (): string => {
    const shape = surfaceKeys.value[index]?.shape ?? "gaussian";
    return asked.value ? "polynomial" : typeof shape === "string" ? shape : "";
  };
  const choose = (shape: string): void => {
    const key = surfaceKeys.value[index];
    if (!key) return;
    const drags = dragsOf(key).length;
    asked.value = shape === "polynomial" && drags < 2;
    if (shape === "gaussian") changeSurface(index, { shape: null });
    else if (drags > 1) changeSurface(index, { shape, degree: degreeFor(key, drags) });
  };
  const shapes = [{ value: "gaussian", label: "Gaussian" }, { value: "polynomial", label: "Polynomial" }];
  const choice = segments("Shape", shapes, shapeOf, choose);
  choice.classList.add("surface-shapes");
  return section(
    { id: "surface-shape", title: "Shape" },
    choice,
    shown(() => asked.value, tooFew(index, () => (asked.value = false))),
    shown(() => shapeOf() === "polynomial" && !asked.value, degreeField(index)),
    ...NUMBERS.map((of) => keyNumber(index, of)),
    notes(index),
  );
}

/** Why a polynomial is not there yet, and the drag that makes one. */
function tooFew(index: number, done: () => void): HTMLElement {
  const made = element("div", { className: "surface-note" });
  rebuild(made, () => heldOf(surfaceKeys.value[index]), (joint) => [
    icon("alert"),
    element(
      "div", {},
      "A polynomial goes through two drags or more, and there is one. Hold another joint at its own time.",
      joint && button(`Hold ${jointTitle(state.source.value?.header, joint).toLowerCase()}`, () => {
        const key = surfaceKeys.value[index];
        if (!key) return;
        changeSurface(index, { ...withDrag(key, joint), shape: "polynomial", degree: 1 });
        done();
      }, "button small"),
    ),
  ]);
  return made;
}

const heldOf = (key: SurfaceKey | undefined): string | null => (key ? heldJoint(key) : null);

function degreeField(index: number): HTMLElement {
  const host = element("div", {});
  const count = (): number => (surfaceKeys.value[index] ? dragsOf(surfaceKeys.value[index]!).length : 0);
  rebuild(host, () => Math.min(count() - 1, DEFAULTS.degree), (most) => [
    segments(
      "Degree",
      Array.from({ length: Math.max(most, 1) }, (_, k) => ({ value: String(k + 1), label: String(k + 1) })),
      () => String(surfaceKeys.value[index]?.degree ?? DEFAULTS.degree),
      (degree) => changeSurface(index, { degree: Number(degree) }),
    ),
  ]);
  return keyField("degree", "Degree", "It goes through one drag more than its degree, or more.", host);
}

/** What the server widened or cut, in a sentence each. */
function notes(index: number): HTMLElement {
  const made = element("div", { className: "surface-notes" });
  watch(() => {
    const key = surfaceKeys.value[index];
    const view = surfaceView(index)?.view;
    const said = state.result.value?.header.steps.find((s) => s.id === state.step.value?.id)?.notes ?? [];
    const others = (surfaceEditor.value?.notes ?? []).filter((note) => !said.includes(note));
    const own = key && view && !state.pending.value ? [widenedNote(key, view), cutNote(key, view.made)] : [];
    const all = [...own.filter((note) => note !== null), ...others];
    made.replaceChildren(...all.map((note) => element("p", { className: "surface-note" }, icon("alert"), note)));
    made.hidden = !all.length;
  });
  return made;
}

export function widenedNote(key: SurfaceKey, view: Pick<SurfaceKeyView, "start" | "end">): string | null {
  const [from, to] = rangeOf(key);
  const more = Math.max(from - view.start, view.end - to);
  if (more < 5e-3) return null;
  const [asked, made] = [gammaOf(key), gammaOf(key) + more].map((s) => seconds(s));
  return `Fade widened from ${asked} to ${made}, so that time never runs backwards.`;
}
