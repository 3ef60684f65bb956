/** Small pictures of a body for the film strip, drawn beside the view's own frames. */

import {
  LinearSRGBColorSpace, OrthographicCamera, WebGLRenderTarget, type Scene, type WebGLRenderer,
} from "three";
import { axesOf, type Vec } from "../camera/framing";

/** Part of a picture that the largest pose takes. */
const FILL = 0.94;

/** What the renderer writes into a target is linear: this is each of its 256 steps as a screen shows it. */
const SHOWN = Uint8ClampedArray.from({ length: 256 }, (_, k) => {
  const c = k / 255;
  return 255 * (c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055);
});

export class Thumbnails {
  private readonly camera = new OrthographicCamera();
  private target: WebGLRenderTarget | null = null;

  constructor(private readonly renderer: WebGLRenderer) {}

  /** Draw a scene seen against `direction`, centred on the pose; `size` metres fit into the picture. */
  draw(
    scene: Scene, pose: ArrayLike<number>, size: number, direction: Vec, width: number, height: number,
  ): HTMLCanvasElement {
    const target = this.sized(width, height);
    this.aim(pose, size, direction, width / height);
    const { renderer } = this;
    const automatic = renderer.shadowMap.autoUpdate;
    renderer.shadowMap.autoUpdate = false;
    renderer.setRenderTarget(target);
    renderer.setClearAlpha(0);
    renderer.clear();
    renderer.render(scene, this.camera);
    const pixels = new Uint8Array(4 * width * height);
    renderer.readRenderTargetPixels(target, 0, 0, width, height, pixels);
    renderer.setRenderTarget(null);
    renderer.shadowMap.autoUpdate = automatic;
    return toCanvas(pixels, width, height);
  }

  private aim(pose: ArrayLike<number>, size: number, direction: Vec, aspect: number): void {
    const { right, up } = axesOf(direction);
    const [x, y] = [middle(pose, right), middle(pose, up)];
    const high = size / FILL / 2 / Math.min(aspect, 1);
    Object.assign(this.camera, { left: -high * aspect, right: high * aspect, top: high, bottom: -high });
    this.camera.near = 0.1 * size;
    this.camera.far = 20 * size;
    const depth = middle(pose, direction) + 8 * size;
    this.camera.position.set(
      x * right[0] + y * up[0] + depth * direction[0],
      x * right[1] + y * up[1] + depth * direction[1],
      x * right[2] + y * up[2] + depth * direction[2],
    );
    const { position } = this.camera;
    this.camera.lookAt(position.x - direction[0], position.y - direction[1], position.z - direction[2]);
    this.camera.updateProjectionMatrix();
  }

  private sized(width: number, height: number): WebGLRenderTarget {
    if (this.target?.width === width && this.target.height === height) return this.target;
    this.target?.dispose();
    this.target = new WebGLRenderTarget(width, height, { samples: 4, colorSpace: LinearSRGBColorSpace });
    return this.target;
  }

  dispose(): void {
    this.target?.dispose();
  }
}

function middle(pose: ArrayLike<number>, axis: Vec): number {
  let low = Infinity;
  let high = -Infinity;
  for (let k = 0; k < pose.length; k += 3) {
    const along = pose[k]! * axis[0] + pose[k + 1]! * axis[1] + pose[k + 2]! * axis[2];
    low = Math.min(low, along);
    high = Math.max(high, along);
  }
  return (low + high) / 2;
}

/** Rows come from the bottom up, and colours multiplied by their opacity where edges are smooth. */
function toCanvas(pixels: Uint8Array, width: number, height: number): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d");
  if (!context) return canvas;
  const image = context.createImageData(width, height);
  for (let row = 0; row < height; row++) {
    for (let k = 0; k < 4 * width; k += 4) {
      const from = 4 * width * (height - 1 - row) + k;
      const to = 4 * width * row + k;
      const alpha = pixels[from + 3]!;
      if (alpha === 0) continue;
      for (let i = 0; i < 3; i++)
        image.data[to + i] = SHOWN[Math.min(255, Math.round((255 * pixels[from + i]!) / alpha))]!;
      image.data[to + 3] = alpha;
    }
  }
  context.putImageData(image, 0, 0);
  return canvas;
}
