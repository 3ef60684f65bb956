/** Two versions compared: how far their bodies are from each other over time. */

import { expect, test } from "vitest";
import type { Project, ResultHeader } from "../src/protocol";
import { Clip, RetimedClip, type SourceClip } from "../src/store/clip";
import { comparing, differenceOf } from "../src/store/compare";
import * as state from "../src/store/state";
import { Axis } from "../src/timeline/plot/axis";
import type { Plot } from "../src/timeline/plot/plot";
import { scene } from "../src/timeline/plot/scene";
import { tiles } from "../src/timeline/warp/film_strip";
import { drawHeat } from "../src/timeline/warp/heat";
import { layOut } from "../src/timeline/warp/rows";
import { drawWarp } from "../src/timeline/warp/warp_curve";

const ROOM = { film: false, force: false, feasible: false, contacts: 2, waveform: false, compared: false };

/** Two points that move along x at a speed. */
function moving(speed: number, seconds: number): Clip {
  const times = Float32Array.from({ length: 11 }, (_, k) => (seconds * k) / 10);
  const positions = Float32Array.from([...times].flatMap((t) => [speed * t, 0, 0, speed * t, 1, 0]));
  return new Clip(positions, null, times, 10 / seconds, []);
}

test("the difference is the joints' mean distance at the same time", () => {
  const { times, metres, most } = differenceOf(moving(2, 1), moving(1, 1), 5);
  expect(times).toEqual([0, 0.25, 0.5, 0.75, 1]);
  metres.forEach((d, k) => expect(d).toBeCloseTo(times[k]!, 5));
  expect(most).toBeCloseTo(1, 5);
});

test("a clip that ended stays at its end", () => {
  expect(differenceOf(moving(1, 2), moving(1, 1), 3).metres[2]).toBeCloseTo(1, 5);
});

test("compared versions have two strips where there is room, and always the band", () => {
  const wanted = { film: true, force: false, feasible: false, contacts: 2, waveform: false, compared: true };
  const tall = layOut(400, wanted);
  expect([tall.film, tall.film2, tall.heat].every(Boolean)).toBe(true);
  const low = layOut(200, wanted);
  expect(low.film2).toBeUndefined();
  expect(low.heat).toBeDefined();
  expect(layOut(400, { ...wanted, compared: false }).heat).toBeUndefined();
});

/** Strokes and fills of a canvas: their colour, whether they are dashed, and the points of strokes. */
function recorder() {
  const drawn: { colour: string; dashed: boolean; path: number[][] }[] = [];
  let [path, dashed]: [number[][], boolean] = [[], false];
  const does: Record<string, (...values: never[]) => unknown> = {
    beginPath: () => void (path = []),
    moveTo: (x: number, y: number) => void path.push([x, y]),
    lineTo: (x: number, y: number) => void path.push([x, y]),
    setLineDash: (dash: number[]) => void (dashed = dash.length > 0),
    stroke: () => void drawn.push({ colour: String(set["strokeStyle"]), dashed, path }),
    fillRect: () => void drawn.push({ colour: String(set["fillStyle"]), dashed, path: [] }),
    measureText: () => ({ width: 10 }),
  };
  const set: Record<string, unknown> = {};
  const context = new Proxy(set, { get: (_, name) => set[String(name)] ?? does[String(name)] ?? (() => undefined) });
  return { context: context as unknown as CanvasRenderingContext2D, drawn };
}

/** A result that shows the source faster or slower. */
function retimedBy(speed: number, seconds: number): RetimedClip {
  const output = Float32Array.from([0, seconds / 2, seconds]);
  return new RetimedClip(
    { fps: 10, contacts: [], steps: [] } as unknown as ResultHeader,
    new Map([
      ["positions", Float32Array.from([...output].flatMap((t) => [speed * t, 0, 0]))], ["times", output],
      ["output", output], ["source", output.map((t) => speed * t)], ["skate", new Float32Array(3)],
    ]),
  );
}

test("compared, the other version has its own curve, its strip ends where it ends, and no colour of faults is used", () => {
  const [mine, other] = [retimedBy(1, 4), retimedBy(2, 2)];
  state.results.value = { A: mine, B: other };
  state.clips.value = new Map([["m1", { points: 1 } as SourceClip]]);
  state.committed.value = { source: "m1", motions: {}, versions: { A: [], B: [] } } as unknown as Project;
  comparing.value = true;
  const { context, drawn } = recorder();
  const theme = new Proxy({ gutter: 124 }, { get: (all, name) => (name === "gutter" ? all.gutter : String(name)) });
  const plot = {
    context, theme, width: 900, height: 400, rows: layOut(400, { ...ROOM, film: true, compared: true }),
    time: new Axis(0, 4, 124, 900), source: new Axis(0, 4, 300, 100),
    scene: { ...scene.value, result: mine, output: [0, 4], span: [0, 4], keys: [], selected: null, ends: null },
  } as unknown as Plot;
  drawWarp(plot, null);
  drawHeat(plot);
  const curve = drawn.find(({ colour, dashed, path }) => colour === "original" && !dashed && path.length > 2);
  expect(curve?.path.at(-1)).toEqual([plot.time.at(2), plot.source.at(4)]);
  expect(drawn.map(({ colour }) => colour)).not.toContain("infeasible");
  expect(drawn.filter(({ colour }) => colour === "text").length).toBeGreaterThan(100);
  expect(tiles(plot, other.end).length).toBeLessThan(0.6 * tiles(plot, mine.end).length);
  comparing.value = false;
});
