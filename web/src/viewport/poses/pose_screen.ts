/** Where places of the world are on the page, and how large a pixel is there. */

import { Vector3, type PerspectiveCamera } from "three";
import type { Point } from "./pose_math";

/** Client coordinates. */
export interface Spot {
  x: number;
  y: number;
}

const place = new Vector3();

export class Screen {
  constructor(
    readonly camera: PerspectiveCamera,
    readonly box: DOMRect,
  ) {}

  /** Null for what lies behind the eye. */
  spot(point: Point): Spot | null {
    if (this.depth(point) < this.camera.near) return null;
    place.set(...point).project(this.camera);
    return {
      x: this.box.left + ((place.x + 1) / 2) * this.box.width,
      y: this.box.top + ((1 - place.y) / 2) * this.box.height,
    };
  }

  /** Metres of one pixel at a place: handles keep their size on screen. */
  pixel(point: Point): number {
    const tall = 2 * Math.tan((this.camera.fov * Math.PI) / 360) * Math.max(this.depth(point), this.camera.near);
    return tall / Math.max(this.box.height, 1);
  }

  /** The direction from what is seen towards the eye. */
  get facing(): Point {
    const e = this.camera.matrixWorld.elements;
    return [e[8], e[9], e[10]];
  }

  /** The directions that point right and up in the picture. */
  get right(): Point {
    const e = this.camera.matrixWorld.elements;
    return [e[0], e[1], e[2]];
  }
  get up(): Point {
    const e = this.camera.matrixWorld.elements;
    return [e[4], e[5], e[6]];
  }

  private depth(point: Point): number {
    return -place.set(...point).applyMatrix4(this.camera.matrixWorldInverse).z;
  }
}
