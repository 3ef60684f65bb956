/** The figure on a sheet: joints and bones, the ways of what is dragged, and the handle with its arrows. */

import { Color, Group } from "three";
import { limbsOf, type Limb } from "../../store/limbs";
import type { SurfaceKeyView } from "../../protocol";
import type { SourceClip } from "../../store/clip";
import { limbColours } from "../../timeline/joints/limb_colours";
import { Lines } from "../ground/lines";
import type { Palette } from "../palette";
import type { Point } from "./surface_geometry";

/** Half thicknesses and radii, pixels. */
const BONE = 0.9;
const WAY = 1.4;
const JOINT = { still: 2.2, least: 2.8, most: 4.2, hovered: 6 };
const RING = { radius: 12, line: 1.5, pieces: 28 };
const ARROW = { from: 15, to: 38, line: 1.8, head: 6.5, long: 11 };
/** A joint with less of the drag than this does not feel it. */
export const FELT = 0.02;

export interface Figure {
  source: SourceClip;
  view: SurfaceKeyView;
  /** Joints on the sheet. */
  joints: Point[];
  /** (moments, joints, 3): the ways through the plane. */
  ways: Float32Array | null;
  /** Whose ways are drawn. */
  followed: number[];
  handle: Point;
  hovered: number;
  /** Which way the handle was taken: earlier is -1. */
  towards: number;
}

interface Colours {
  joint: Color;
  ring: Color;
  limbs: Record<Limb, Color>;
}

export class SurfaceFigure {
  readonly object = new Group();
  private readonly ways = new Lines();
  private readonly marks = new Lines({ onTop: true });
  private palette: Palette | null = null;
  private colours!: Colours;
  private limbs: { source: SourceClip; of: Limb[] } | null = null;

  constructor() {
    this.object.add(this.ways.object, this.marks.object);
  }

  show(figure: Figure, palette: Palette, pixel: number): void {
    this.read(palette);
    this.ways.begin();
    this.marks.begin();
    this.addWays(figure, pixel);
    this.addBones(figure, pixel);
    this.addJoints(figure, pixel);
    this.addHandle(figure, pixel);
    this.ways.finish();
    this.marks.finish();
  }

  private addWays({ source, ways, followed, joints }: Figure, pixel: number): void {
    if (!ways) return;
    const limbs = this.limbsOf(source);
    const moments = ways.length / 3 / Math.max(joints.length, 1);
    const at = (m: number, j: number): Float32Array => {
      const from = 3 * (m * joints.length + j);
      return ways.subarray(from, from + 3);
    };
    for (const j of followed)
      for (let m = 0; m + 1 < moments; m++)
        this.ways.add(at(m, j), WAY * pixel, at(m + 1, j), WAY * pixel, this.colours.limbs[limbs[j]!], 0.95);
  }

  private addBones({ source, joints, view }: Figure, pixel: number): void {
    source.header.parents.forEach((parent, j) => {
      const [a, b] = [joints[parent], joints[j]];
      if (parent < 0 || !a || !b) return;
      const felt = Math.max(view.weights[j] ?? 0, view.weights[parent] ?? 0) > FELT;
      this.marks.add(a, BONE * pixel, b, BONE * pixel, this.colours.joint, felt ? 0.75 : 0.4);
    });
  }

  private addJoints({ joints, view, hovered }: Figure, pixel: number): void {
    const { still, least, most } = JOINT;
    joints.forEach((place, j) => {
      const share = Math.min(Math.abs(view.weights[j] ?? 0), 1);
      const felt = share > FELT ? least + (most - least) * share : still;
      const radius = j === hovered ? JOINT.hovered : felt;
      this.marks.add(place, radius * pixel, place, radius * pixel, this.colours.joint, 1);
    });
  }

  /** A ring on the sheet round what is dragged, and an arrow each way along time. */
  private addHandle({ handle, view, towards }: Figure, pixel: number): void {
    const { across, up, along } = view;
    const { radius, line, pieces } = RING;
    const onRing = (k: number): number[] => {
      const turn = (2 * Math.PI * k) / pieces;
      const [x, y] = [Math.cos(turn) * radius * pixel, Math.sin(turn) * radius * pixel];
      return handle.map((h, c) => h + x * across[c]! + y * up[c]!);
    };
    const put = (a: ArrayLike<number>, b: ArrayLike<number>, thin: number, end: number, opacity: number): void =>
      this.marks.add(a, thin * pixel, b, end * pixel, this.colours.ring, opacity);
    for (let k = 0; k < pieces; k++) put(onRing(k), onRing(k + 1), line, line, 1);
    for (const way of [-1, 1]) {
      const at = (far: number): number[] => handle.map((h, c) => h + way * far * pixel * along[c]!);
      const opacity = towards === 0 || towards === way ? 1 : 0.6;
      put(at(ARROW.from), at(ARROW.to), ARROW.line, ARROW.line, opacity);
      put(at(ARROW.to), at(ARROW.to + ARROW.long), ARROW.head, 0.2, opacity);
    }
  }

  private limbsOf(source: SourceClip): Limb[] {
    if (this.limbs?.source !== source) this.limbs = { source, of: limbsOf(source.header) };
    return this.limbs.of;
  }

  /** Tokens are read once a palette: it is made anew with the theme. */
  private read(palette: Palette): void {
    if (palette === this.palette) return;
    this.palette = palette;
    const style = getComputedStyle(document.documentElement);
    const token = (name: string): Color => new Color(style.getPropertyValue(name).trim() || undefined);
    const limbs = Object.entries(limbColours()).map(([limb, colour]) => [limb, new Color(colour)]);
    this.colours = {
      joint: token("--joint"), ring: token("--selection"), limbs: Object.fromEntries(limbs) as Record<Limb, Color>,
    };
  }

  dispose(): void {
    this.ways.dispose();
    this.marks.dispose();
  }
}

/** How far from the handle its arrows reach, pixels. */
export const ARROW_REACH = ARROW.to + ARROW.long;
