/** Timing layers: what each step of the recipe adds to the source time, one strip over another. */

import { effect } from "@preact/signals";
import { render } from "preact";
import { moveBy } from "../../panels/recipe/step";
import { focusRow } from "../../panels/recipe/step_rows";
import * as actions from "../../store/actions";
import * as state from "../../store/state";
import { crisp, labelRow, line, type Plot } from "../plot/plot";
import { scene, type Scene } from "../plot/scene";
import type { TabApi } from "../plot/tab";
import { chooseLayer, LayerRows } from "./layer_rows";
import { layerOf, stripHeight, togetherOf } from "./layer_values";
import "./layers.css";
import { Sheet } from "./sheet";
import { drawStrip, sayLayer } from "./strip";
import { timeText } from "../../words/units";

const HELP =
  "What each step adds to the source time, over output time. Up and Down choose a step, with Alt they move it.";
const GUTTER = 176;
const NARROW = 132;
const RULER = 23;

export function mountLayers(container: HTMLElement): TabApi {
  container.textContent = "";
  const panel = document.createElement("div");
  panel.className = "layers";
  render(<LayersPanel />, panel);
  const list = panel.querySelector<HTMLElement>(".layer-rows")!;
  const sheet = new Sheet(container, {
    label: HELP,
    gutter: () => (window.innerWidth < 1200 ? NARROW : GUTTER),
    scene: layersScene,
    now: () => state.time.value,
    seek: (t) => {
      state.playing.value = false;
      actions.seek(t);
    },
    isPlaying: () => state.playing.value,
    draw: (plot) => drawLayers(plot, list),
    click: (y, twice) => clickLayer(y, twice, sheet, list),
  });
  sheet.root.append(panel);
  list.addEventListener("scroll", () => sheet.redraw());
  // A button that was clicked gives the keys back: Space plays, whatever was clicked last.
  list.addEventListener("click", ({ target, detail }) => {
    if (detail > 0 && (target as Element).closest("button")) sheet.canvas.focus({ preventScroll: true });
  });
  const watching = effect(() => {
    void [state.steps.value, state.result.value, state.selectedStep.value];
    sheet.redraw();
  });
  return {
    handleKey: (event) => layerKey(event, sheet.root),
    dispose() {
      watching();
      render(null, panel);
      sheet.dispose();
    },
  };
}

const LayersPanel = () => (
  <>
    <LayerRows />
    {emptyWords() && <p class="sheet-empty">{emptyWords()}</p>}
    <p class="timeline-reader" aria-live="off">{sayLayers()}</p>
  </>
);

/** The ruler's scene without keytimes: their diamonds are of the Warp tab. */
function layersScene(): Scene {
  return { ...scene.value, keys: [], selected: null };
}

function emptyWords(): string {
  if (!state.source.value) return "Layers are shown when a motion is open.";
  return state.steps.value.length
    ? ""
    : "No layers yet: each step of the recipe becomes a strip that shows what it adds to the source time.";
}

/** Heights as gutter and plot share them: the last strip is of all together and stays at the bottom. */
function heights(plot: Plot): { each: number; room: number } {
  const count = state.steps.peek().length + 1;
  const each = stripHeight(plot.height - RULER, count);
  return { each, room: Math.min((count - 1) * each, Math.max(plot.height - RULER - each, 0)) };
}

function drawLayers(plot: Plot, list: HTMLElement): void {
  const { context, theme, width, height } = plot;
  const steps = state.steps.peek();
  const result = state.result.peek();
  if (!steps.length) return;
  const { each, room } = heights(plot);
  list.style.cssText = `top: ${RULER}px; width: ${theme.gutter}px; height: ${room}px; --strip: ${each}px`;
  const bottom = RULER + room;

  context.save();
  context.beginPath();
  context.rect(0, RULER, width, room);
  context.clip();
  steps.forEach(({ id, mute }, k) => {
    const top = RULER + k * each - list.scrollTop;
    if (top > bottom || top + each < RULER) return;
    drawStrip(plot, { top, height: each }, {
      layer: mute ? null : layerOf(result, id), color: theme.retimed, selected: id === state.selectedStep.peek(),
    });
    rule(plot, top + each - 1);
  });
  context.restore();

  const together = { top: bottom, height: each };
  drawStrip(plot, together, { layer: result && togetherOf(result), color: theme.retimed, selected: false });
  labelRow(plot, together, "Together", "added to the source time");
  context.lineWidth = 1;
  context.strokeStyle = theme.lineStrong;
  line(context, 0, crisp(bottom - 1), width, crisp(bottom - 1));
  rule(plot, bottom + each - 1);
  rule(plot, RULER - 1);
  context.strokeStyle = theme.line;
  line(context, theme.gutter + 0.5, 0, theme.gutter + 0.5, height);
}

function rule({ context, theme, width }: Plot, y: number): void {
  context.lineWidth = 1;
  context.strokeStyle = theme.line;
  line(context, 0, crisp(y), width, crisp(y));
}

/** A click chooses the strip's step; a second one opens its own tab. */
function clickLayer(y: number, twice: boolean, sheet: Sheet, list: HTMLElement): void {
  const { each, room } = heights(sheet.plot());
  if (y < RULER || y >= RULER + room) return;
  const step = state.steps.value[Math.floor((y - RULER + list.scrollTop) / each)];
  if (!step) return;
  chooseLayer(step.id);
  if (twice) state.tab.value = ({ surface: "joints", stagger: "poses" } as const)[step.method as "surface"] ?? "warp";
}

function layerKey(event: KeyboardEvent, root: HTMLElement): boolean {
  const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (by === undefined || event.ctrlKey || event.metaKey) return false;
  const id = state.selectedStep.value;
  if (event.altKey) return id !== null && moveBy(id, by);
  if (!root.contains(document.activeElement)) return false;
  const next = state.steps.value[state.steps.value.findIndex((s) => s.id === id) + by];
  if (!next) return false;
  chooseLayer(next.id);
  focusRow(root, next.id);
  return true;
}

/** The strips in words, at the playhead while nothing plays. */
function sayLayers(): string {
  const result = state.result.value;
  if (!result || state.playing.value || state.tab.value !== "layers") return "";
  const t = state.time.value;
  const each = state.steps.value.map((step) => {
    const said = step.mute ? "muted" : sayLayer(result, layerOf(result, step.id), t);
    return `${step.label || state.methods.value.get(step.method)?.title || step.method}: ${said}`;
  });
  return [`At ${timeText(t)}`, ...each, `Together: ${sayLayer(result, togetherOf(result), t)}`].join(". ");
}
