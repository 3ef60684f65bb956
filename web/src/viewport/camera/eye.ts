/** The camera and the hand that turns it. */

import { MOUSE, PerspectiveCamera, Vector3 } from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { axesOf, fitted, type Vec } from "./framing";

const ANGLE = 30; // degrees of view, top to bottom
const MARGIN = 0.08; // of the picture, on each side

export class Eye {
  readonly camera = new PerspectiveCamera(ANGLE, 1, 0.05, 200);
  private readonly controls: OrbitControls;
  private readonly away = new Vector3();

  constructor(canvas: HTMLElement, changed: () => void, touched: () => void) {
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false; // nothing may run on when the hand is still
    this.controls.mouseButtons = { LEFT: MOUSE.ROTATE, MIDDLE: MOUSE.PAN, RIGHT: MOUSE.PAN };
    this.controls.addEventListener("change", changed);
    this.controls.addEventListener("start", touched);
    this.camera.position.set(2.5, 1.4, 3.5);
    this.controls.target.set(0, 0.9, 0);
    this.controls.update();
  }

  resize(width: number, height: number): void {
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
  }

  /** Look from another side at the same place. */
  turn(direction: Vec): void {
    const far = this.distance;
    this.camera.position.set(...direction).multiplyScalar(far).add(this.controls.target);
  }

  /** Look against a direction at all points, with a ball of `radius` round each. */
  frame(points: ArrayLike<number>, radius: number, direction: Vec): void {
    const tanY = Math.tan((ANGLE * Math.PI) / 360) * (1 - 2 * MARGIN);
    const { eye, target } = fitted(points, radius, direction, tanY * this.camera.aspect, tanY);
    this.camera.position.set(...eye);
    this.controls.target.set(...target);
    const far = this.distance;
    this.controls.minDistance = 0.05 * far;
    this.controls.maxDistance = 20 * far;
    this.camera.near = 0.02 * far;
    this.camera.far = 60 * far;
    this.camera.updateProjectionMatrix();
    this.controls.update();
  }

  /** Go along with a body that travels. */
  move(x: number, z: number): void {
    this.camera.position.x += x;
    this.camera.position.z += z;
    this.controls.target.x += x;
    this.controls.target.z += z;
    this.camera.updateMatrixWorld();
  }

  /** The level direction that points right in the picture. */
  get right(): Vec {
    this.away.subVectors(this.camera.position, this.controls.target);
    return axesOf([this.away.x, 0, this.away.z]).right;
  }

  /** From the target towards the eye, of length 1. */
  get direction(): Vec {
    this.away.subVectors(this.camera.position, this.controls.target).normalize();
    return [this.away.x, this.away.y, this.away.z];
  }

  /** Metres from the eye to what it looks at. */
  get distance(): number {
    return this.camera.position.distanceTo(this.controls.target);
  }

  /** Metres of one pixel at the target, for a picture that is `height` pixels high. */
  pixel(height: number): number {
    return (2 * this.distance * Math.tan((ANGLE * Math.PI) / 360)) / Math.max(height, 1);
  }

  dispose(): void {
    this.controls.dispose();
  }
}
