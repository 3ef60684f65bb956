/** Marks on the warp that can be taken hold of: keytimes, suggestions, fixed ends, tangent handles. */

import type { Key } from "../../store/state";
import { times } from "../plot/axis";
import { diamond, line, within, type Plot } from "../plot/plot";
import { rateAt, type Scene } from "../plot/scene";
import type { Target } from "./targets";

const HANDLE_REACH = 46;

export interface Refused {
  /** Where the pointer wanted the key to be, in pixels. */
  x: number;
  y: number;
}

export interface MarkState {
  hovered: Target | null;
  /** What has the keyboard's focus: the selected key, or a suggestion. */
  focused: Target | null;
  refused: Refused | null;
}

/** Keys are in their step's own times; the axes are the result's and the source's. */
export const placeOf = ({ time, source, scene }: Pick<Plot, "time" | "source" | "scene">, key: Key): Refused => ({
  x: time.at(scene.times.toResult(key[0])),
  y: source.at(scene.times.toSource(key[1])),
});

/** Where the two handles of the selected key are: on its tangent, or null where speeds cannot be set. */
export function handlePlaces(plot: Pick<Plot, "time" | "source" | "scene">): [Refused, Refused] | null {
  const key = plot.scene.selected === null ? null : plot.scene.keys[plot.scene.selected];
  if (!key || !plot.scene.rates) return null;
  const { x, y } = placeOf(plot, key);
  const [dx, dy] = [plot.time.scale, plot.source.scale * keyRate(plot.scene, key)];
  const unit = HANDLE_REACH / Math.hypot(dx, dy);
  return [
    { x: x - dx * unit, y: y - dy * unit },
    { x: x + dx * unit, y: y + dy * unit },
  ];
}

/** The speed at a key: the one that is asked for as far as the curve takes it, else the one that is found there. */
export const keyRate = (scene: Scene, key: Key): number => {
  const asked = givenRate(scene, key)?.[1];
  return asked === undefined ? rateAt(scene, key[0]) : Math.min(asked, mostRate(scene, key));
};

/**
 * The fastest that a spline can run at a key: three times the smaller of the chords beside it, beyond which time would
 * run backwards next to it (see `retime.curves`). Other methods solve for the speed that is asked for.
 */
export function mostRate({ step, keys, ends }: Pick<Scene, "step" | "keys" | "ends">, key: Key): number {
  if (step?.method !== "spline" || !ends) return Infinity;
  const after = keys.find(([t]) => t > key[0]) ?? ends[1];
  const before = keys.findLast(([t]) => t < key[0]) ?? ends[0];
  const chord = (a: Key, b: Key): number => (b[0] > a[0] ? (b[1] - a[1]) / (b[0] - a[0]) : Infinity);
  return 3 * Math.min(chord(before, key), chord(key, after));
}

/** A speed as it is shown: the one that is used and, where that is less than was asked for, so much. */
export function rateWords(scene: Scene, key: Key): string {
  const [asked, used] = [givenRate(scene, key)?.[1] ?? 0, keyRate(scene, key)];
  const limited = asked > used + 0.005; // two digits are shown
  return limited ? `${times(used, 2)}, limited: ${times(asked, 2)} asked` : times(used, 2);
}

export const givenRate = ({ rates }: Scene, key: Key): Key | null =>
  rates?.find(([moment]) => Math.abs(moment - key[1]) < 1e-3) ?? null;

export function drawMarks(plot: Plot, marks: MarkState): void {
  const { scene, rows } = plot;
  const edge = { top: rows.warp.top, height: rows.warp.height + 6 }; // a mark at the bottom may stand over the line
  within(plot, edge, () => {
    scene.suggestions.forEach((key, k) => {
      drawSuggestion(plot, key, is(marks.hovered, "suggestion", k));
      if (is(marks.focused, "suggestion", k)) drawFocus(plot, key);
    });
    scene.ends?.forEach((key, k) => drawFixed(plot, key, k === 1 && marks.hovered?.kind === "end"));
    drawHandles(plot, marks.hovered);
    scene.keys.forEach((key, k) => {
      if (k !== scene.selected) drawKey(plot, key, is(marks.hovered, "key", k));
    });
    const selected = scene.selected === null ? null : scene.keys[scene.selected];
    if (selected) drawSelected(plot, selected, marks.refused, is(marks.hovered, "key", scene.selected!));
    if (selected && marks.focused?.kind === "key") drawFocus(plot, selected);
  });
}

const is = (target: Target | null, kind: "key" | "suggestion", index: number): boolean =>
  target?.kind === kind && target.index === index;

function drawKey(plot: Plot, key: Key, hovered: boolean): void {
  const { x, y } = placeOf(plot, key);
  plot.context.fillStyle = plot.theme.keytime;
  diamond(plot.context, x, y, hovered ? 8 : 6.5);
  plot.context.fill();
}

function drawSelected(plot: Plot, key: Key, refused: Refused | null, hovered: boolean): void {
  const { context, theme } = plot;
  const { x, y } = placeOf(plot, key);
  if (refused) drawWish(plot, { x, y }, refused);
  const grown = hovered || refused ? 1 : 0;
  diamond(context, x, y, 10 + grown);
  context.fillStyle = theme.panel;
  context.fill();
  context.lineWidth = 2;
  context.strokeStyle = refused ? theme.infeasible : theme.selection;
  context.stroke();
  diamond(context, x, y, 6 + grown);
  context.fillStyle = theme.keytime;
  context.fill();
}

function drawFocus(plot: Plot, key: Key): void {
  const { x, y } = placeOf(plot, key);
  diamond(plot.context, x, y, 15);
  plot.context.lineWidth = 2;
  plot.context.strokeStyle = plot.theme.focus;
  plot.context.stroke();
}

/** The pointer went on alone: a ghost of the key under it, joined to where the key stopped. */
function drawWish({ context, theme }: Plot, stop: Refused, wish: Refused): void {
  context.lineWidth = 1.25;
  context.strokeStyle = theme.text;
  context.setLineDash([3, 3]);
  line(context, stop.x, stop.y, wish.x, wish.y);
  diamond(context, wish.x, wish.y, 7);
  context.stroke();
  context.setLineDash([]);
}

function drawSuggestion(plot: Plot, key: Key, hovered: boolean): void {
  const { context, theme } = plot;
  const { x, y } = placeOf(plot, key);
  diamond(context, x, y, hovered ? 8 : 7);
  context.fillStyle = theme.panel;
  context.fill();
  context.lineWidth = 1.5;
  context.strokeStyle = theme.keytime;
  context.setLineDash([3, 2]);
  context.stroke();
  context.setLineDash([]);
}

function drawFixed(plot: Plot, key: Key, hovered: boolean): void {
  const { x, y } = placeOf(plot, key);
  const half = hovered ? 5 : 4;
  plot.context.fillStyle = plot.theme.keytime;
  plot.context.fillRect(x - half, y - half, 2 * half, 2 * half);
}

function drawHandles(plot: Plot, hovered: Target | null): void {
  const places = handlePlaces(plot);
  if (!places) return;
  const { context, theme } = plot;
  context.lineWidth = 1;
  context.strokeStyle = theme.selection;
  context.globalAlpha = 0.5;
  line(context, places[0].x, places[0].y, places[1].x, places[1].y);
  context.globalAlpha = 1;
  places.forEach(({ x, y }, k) => {
    context.beginPath();
    context.arc(x, y, hovered?.kind === "handle" && hovered.side === k ? 4.5 : 3.5, 0, 2 * Math.PI);
    context.fillStyle = theme.panel;
    context.fill();
    context.lineWidth = 1.75;
    context.stroke();
  });
}
