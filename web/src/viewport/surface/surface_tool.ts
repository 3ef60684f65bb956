/** Time control surfaces in the view: the sheet of the selected key, and the joints that it drags. */

import { Group, Vector3 } from "three";
import { arrives, dragged, shifted } from "../../words/surface_keys";
import type { SurfaceKeyView } from "../../protocol";
import type { RetimedClip } from "../../store/clip";
import * as state from "../../store/state";
import {
  dragsOf, farthestOf, jointIndex, shiftOf, surfaceEditor, surfaceIndex, surfaceKeys, surfaceView, type SurfaceKey,
} from "../../store/surface";
import { ARROW_REACH, FELT, SurfaceFigure } from "./surface_figure";
import { handleOf, nearest, ridden, shiftAt, type Point } from "./surface_geometry";
import { SurfaceGrip } from "./surface_grip";
import { SurfaceReadout } from "./surface_readout";
import { Sheet } from "./surface_sheet";
import type { Grip, Tool, ToolPointer, ToolView } from "../tools";

/** Pixels: targets are 24 across; the sheet beside a joint belongs to it as far as this. */
const REACH = 12;
const SHEET_REACH = 34;
/** How much fainter the sheets of other keys are. */
const FAINT = 0.3;

/** What is on screen: the selected key, and where its parts are. */
interface Shown {
  index: number;
  key: SurfaceKey;
  view: SurfaceKeyView;
  grid: Float32Array;
  joints: Point[];
  dragged: number;
  handle: Point;
}

/** `own` is the key's drag as it is, handle and arrows; else a joint that would become the dragged one. */
type Target = { own: true } | { own: false; joint: number };

interface Place {
  x: number;
  y: number;
}

interface Bounds {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

let current: SurfaceTool | null = null;

/** Where the handle is, in client coordinates; null while no surface is shown. */
export const handlePosition = (): Place | null => current?.handlePlace() ?? null;
/** Where a joint's point on the sheet is, in client coordinates. */
export const sheetJointPosition = (joint: number): Place | null => current?.jointPlace(joint) ?? null;

/** What the sheet covers of the page, in client coordinates. */
export const sheetBounds = (): Bounds | null => current?.bounds() ?? null;

export class SurfaceTool implements Tool {
  readonly object = new Group();
  private readonly sheet = new Sheet();
  private others: Sheet[] = [];
  private readonly figure = new SurfaceFigure();
  private readonly readout = new SurfaceReadout();
  private readonly seen = new Vector3();
  private view: ToolView | null = null;
  private shown: Shown | null = null;
  private hovered: Target | null = null;
  private grip: SurfaceGrip | null = null;

  constructor() {
    this.object.add(this.sheet.object, this.figure.object);
    current = this;
  }

  update(view: ToolView | null): void {
    this.view = view;
    this.shown = view?.result ? this.gather(view.result) : null;
    this.object.visible = this.shown !== null;
    const canvas = this.canvas();
    if (!view?.result || !this.shown || !canvas) return this.readout.hide();
    const { result, source, palette, pixel, box } = view;
    const { key, view: plane, joints, handle, grid } = this.shown;
    const { place } = surfaceView(this.shown.index)!;
    this.sheet.show(grid, ...gridSize(result, place));
    this.sheet.paint(palette, 1);
    this.showOthers(result, place, view);
    const head = source.header.roles.indexOf("head");
    const ways = [...dragsOf(key).map((d) => jointIndex(d.joint)), head].filter((j) => j >= 0);
    this.figure.show({
      source, view: plane, joints, ways: result.block(`paths:${place}`), followed: [...new Set(ways)], handle,
      hovered: this.hovered && !this.hovered.own ? this.hovered.joint : -1, towards: this.grip?.towards ?? 0,
    }, palette, pixel);
    this.readout.show(canvas, box, this.toClient(handle, box), ...this.words(key));
  }

  hover(pointer: ToolPointer): string | null {
    this.hovered = this.shown && !this.grip ? this.targetAt(pointer) : null;
    const joint = this.hovered && !this.hovered.own ? this.hovered.joint : null;
    if (joint !== null || this.shown) state.hoveredJoint.value = joint;
    return this.hovered ? "grab" : null;
  }

  grab(pointer: ToolPointer): Grip | null {
    const target = this.shown && state.link.value === "open" ? this.targetAt(pointer) : null;
    if (!target || !this.shown || !this.view) return null;
    const { index, key, view, handle, joints } = this.shown;
    state.playing.value = false;
    const joint = target.own ? null : target.joint;
    const name = joint === null ? null : (this.view.source.header.joints[joint] ?? null);
    if (joint !== null) state.selectedJoint.value = joint;
    this.grip = new SurfaceGrip(
      {
        index, view, joint: name, place: joint === null ? handle : joints[joint]!,
        shift: joint === null ? shiftOf(key) : shiftAt(key, view, joint),
      },
      pointer, () => (this.grip = null),
    );
    return this.grip;
  }

  /** The selected sheet: its vertices without what each is pulled. */
  extent(): number[] {
    const { grid = [] } = this.shown ?? {};
    return Array.from(grid).filter((_, k) => k % 4 !== 3);
  }

  bounds(): Bounds | null {
    const box = this.canvas()?.getBoundingClientRect();
    const places = this.extent();
    if (!box || !places.length) return null;
    const seen: Place[] = [];
    for (let k = 0; k < places.length; k += 3)
      seen.push(this.toClient([places[k]!, places[k + 1]!, places[k + 2]!], box));
    const [across, down] = [seen.map(({ x }) => x), seen.map(({ y }) => y)];
    return {
      left: Math.min(...across), right: Math.max(...across), top: Math.min(...down), bottom: Math.max(...down),
    };
  }

  handlePlace(): Place | null {
    const canvas = this.canvas();
    return this.shown && canvas ? this.toClient(this.shown.handle, canvas.getBoundingClientRect()) : null;
  }

  jointPlace(joint: number): Place | null {
    const canvas = this.canvas();
    const place = this.shown?.joints[joint];
    return place && canvas ? this.toClient(place, canvas.getBoundingClientRect()) : null;
  }

  dispose(): void {
    if (current === this) current = null;
    for (const part of [this.sheet, ...this.others, this.figure, this.readout]) part.dispose();
  }

  private gather(result: RetimedClip): Shown | null {
    const index = surfaceIndex.peek();
    const key = index === null ? undefined : surfaceKeys.peek()[index];
    const found = index === null ? null : surfaceView(index);
    if (!key || !found || index === null || state.result.peek() !== result) return null;
    const grid = result.block(`grid:${found.place}`);
    const places = result.block(`places:${found.place}`);
    if (!grid || !places) return null;
    const { view } = found;
    const own = jointIndex(key.joint);
    const drags = new Map(dragsOf(key).map((d) => [jointIndex(d.joint), d.shift]));
    const joints = Array.from({ length: places.length / 3 }, (_, j) =>
      ridden(places, j, drags.get(j) ?? shiftAt(key, view, j), view));
    return { index, key, view, grid, joints, dragged: own, handle: handleOf(key, view, places, own) };
  }

  /** Sheets of other keys stand where their time is, seen from the selected one. */
  private showOthers(result: RetimedClip, selected: number, { palette }: ToolView): void {
    const keys = surfaceEditor.peek()?.keys ?? [];
    while (this.others.length < keys.length) {
      const made = new Sheet();
      this.others.push(made);
      this.object.add(made.object);
    }
    const from = keys[selected]!;
    this.others.forEach((sheet, k) => {
      const grid = k < keys.length && k !== selected ? result.block(`grid:${k}`) : null;
      sheet.object.visible = grid !== null;
      const key = keys[k];
      if (!grid || !key) return;
      sheet.show(grid, ...gridSize(result, k));
      sheet.paint(palette, FAINT);
      const apart = from.pace * (key.time - from.time);
      const [x, y, z] = from.base.map((b, c) => b + apart * from.along[c]! - key.base[c]!) as [number, number, number];
      sheet.object.position.set(x, y, z);
    });
  }

  private words(key: SurfaceKey): [string, string] {
    const name = dragged(this.view?.source.header, key);
    if (this.grip?.stopped) return [name, `${shifted(farthestOf(key))}, no room beyond`];
    if (farthestOf(key) === 0 && !this.grip) return [name, "drag along the arrows"];
    // What is delivered, as far as the last result tells.
    const measured = arrives(surfaceView(surfaceIndex.value ?? -1)?.view);
    return [name, measured ? `${shifted(farthestOf(key))}, ${measured}` : shifted(farthestOf(key))];
  }

  /** The handle and its arrows first, then joints, then the pulled sheet beside a joint. */
  private targetAt({ x, y }: ToolPointer): Target | null {
    const canvas = this.canvas();
    if (!canvas || !this.shown || !this.view) return null;
    const box = canvas.getBoundingClientRect();
    const { joints, view, handle, grid, dragged: own } = this.shown;
    const places = joints.map((place) => this.toClient(place, box));
    const joint = nearest(places, x, y, REACH);
    const arrows = this.arrowPlaces(handle, view, box);
    const far = Math.min(...arrows.map((place) => Math.hypot(place.x - x, place.y - y)));
    const nearer = joint >= 0 && joint !== own && Math.hypot(places[joint]!.x - x, places[joint]!.y - y) < far;
    if (far <= REACH && !nearer) return { own: true };
    if (joint >= 0) return joint === own ? { own: true } : { own: false, joint };
    const beside = nearest(places, x, y, SHEET_REACH);
    if (beside < 0 || (view.weights[beside] ?? 0) <= FELT || !this.onPulled(grid, x, y, box)) return null;
    return beside === own ? { own: true } : { own: false, joint: beside };
  }

  /** Places along both arrows, close enough together that none between them is missed. */
  private arrowPlaces(handle: Point, { along }: SurfaceKeyView, box: DOMRect): Place[] {
    const pixel = this.view!.pixel;
    return Array.from({ length: 9 }, (_, k) => {
      const by = ((k - 4) / 4) * ARROW_REACH * pixel;
      return this.toClient([handle[0] + by * along[0]!, handle[1] + by * along[1]!, handle[2] + by * along[2]!], box);
    });
  }

  private onPulled(grid: Float32Array, x: number, y: number, box: DOMRect): boolean {
    for (let k = 0; k < grid.length; k += 4) {
      if (grid[k + 3]! <= FELT) continue;
      const place = this.toClient([grid[k]!, grid[k + 1]!, grid[k + 2]!], box);
      if (Math.hypot(place.x - x, place.y - y) <= REACH) return true;
    }
    return false;
  }

  private toClient(place: Point, box: DOMRect): Place {
    const { x, y } = this.seen.set(...place).project(this.view!.camera);
    return { x: box.left + ((x + 1) / 2) * box.width, y: box.top + ((1 - y) / 2) * box.height };
  }

  /** The view's own canvas: a tool is not told which one it is drawn on. */
  private canvas(): HTMLElement | null {
    return document.querySelector<HTMLElement>(".view-canvas canvas");
  }
}

/** Vertices of a sheet, across and up. */
function gridSize(result: RetimedClip, place: number): [number, number] {
  const shape = result.header.arrays.find((block) => block.name === `grid:${place}`)?.shape;
  return [shape?.[0] ?? 0, shape?.[1] ?? 0];
}
