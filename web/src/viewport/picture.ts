/** What is in the picture at this moment: gathers the signals' values and draws them. */

import { effect } from "@preact/signals";
import { Scene, Vector3, WebGLRenderer } from "three";
import type { RetimedClip } from "../store/clip";
import { against, thirdBody } from "../store/compare";
import { liveBodies } from "../store/live";
import { serverShown } from "../store/live_server";
import * as state from "../store/state";
import { haste } from "./body/cones";
import { poseLive } from "./body/live_pose";
import { Marks } from "./ground/marks";
import { readPalette, type Palette } from "./palette";
import { Environment } from "./ground/environment";
import { LiveFigures } from "./body/live_figures";
import { Subject } from "./body/subject";
import { TargetBody } from "./body/target";
import { handlesChange } from "./poses/pose_edit";
import { PoseTool } from "./poses/pose_tool";
import { SelectTool } from "./select/select_tool";
import { SurfaceTool } from "./surface/surface_tool";
import { Thumbnails } from "./body/thumbnail";
import { ToolBench, type Tool } from "./tools";
import { Viewpoint, type Shown, type Side } from "./camera/viewpoint";

/** Half the thickness of a trail, pixels. */
const TRAIL = 1;
/** Metres of ground that are seen while there is no motion. */
const EMPTY = { size: 1.6, seen: 6 };

export class Picture {
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly environment = new Environment();
  private readonly marks = new Marks();
  /** Who is on a live server's figures, while that is shown. */
  private readonly figures = new LiveFigures();
  private readonly target = new TargetBody();
  private readonly viewpoint: Viewpoint;
  private readonly thumbnails: Thumbnails;
  private readonly tools: ToolBench;
  private palette: Palette | null = null;
  private subject: Subject | null = null;
  /** Where the picture is on the page. */
  private box = new DOMRect();
  private readonly forget: () => void;

  constructor(private readonly canvas: HTMLCanvasElement, antialias: boolean, private readonly invalidate: () => void) {
    this.renderer = new WebGLRenderer({ canvas, antialias, alpha: true, powerPreference: "high-performance" });
    this.renderer.shadowMap.enabled = true;
    this.thumbnails = new Thumbnails(this.renderer);
    this.viewpoint = new Viewpoint(canvas, invalidate, (from) => this.environment.light(new Vector3(...from)));
    const tools: Tool[] = [new SurfaceTool(), new PoseTool(), new SelectTool()];
    this.tools = new ToolBench(canvas, tools, this.viewpoint.eye.camera, invalidate);
    this.scene.add(this.environment.object, this.environment.lights, this.marks.object, this.figures.object);
    this.scene.add(this.target.object);
    this.scene.add(...this.tools.objects);
    this.forget = effect(() => {
      void [liveBodies.value, serverShown.value, handlesChange.value];
      void [against.value, thirdBody.value];
      invalidate();
    });
  }

  resize(width: number, height: number): void {
    this.renderer.setSize(Math.max(width, 1), Math.max(height, 1), false);
    this.viewpoint.resize(Math.max(width, 1), Math.max(height, 1));
    this.box = this.canvas.getBoundingClientRect();
  }

  /** Draw with this many pixels to one of the page's. */
  sharpen(ratio: number): void {
    if (ratio !== this.renderer.getPixelRatio()) this.renderer.setPixelRatio(ratio);
  }

  /** Read the colours again. */
  repaint(): void {
    this.palette = null;
  }

  /** Draw; `quick` with few corners and no shadows, where a hand waits for the frame. */
  draw(quick = false): void {
    haste.value = quick;
    this.environment.castShadows(!quick);
    this.renderer.shadowMap.autoUpdate = !quick;
    try {
      this.compose();
    } finally {
      haste.value = false;
    }
    this.renderer.render(this.scene, this.viewpoint.eye.camera);
  }

  /** Have what was asked for drawn at once; else that waits for the page's own frame. */
  flush(): void {
    const gl = this.renderer.getContext() as WebGL2RenderingContext;
    // Drivers put off a plain flush to the end of the frame; asking for a pixel, without waiting for it, prevents that.
    const pixel = gl.createBuffer();
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, pixel);
    gl.bufferData(gl.PIXEL_PACK_BUFFER, 4, gl.STREAM_READ);
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, 0);
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, null);
    gl.deleteBuffer(pixel);
    gl.flush();
  }

  /** Bring all that is in the scene to this moment. */
  private compose(): void {
    const { eye, height } = this.viewpoint;
    const palette = this.colors();
    const shown = this.shown();
    const served = serverShown.peek();
    this.figures.update(served, palette, state.layout.peek() === "side", eye.right);
    this.viewpoint.followServer(served && this.figures);
    if (shown) shown.subject.object.visible = !served;
    if (served || !shown) this.target.object.visible = false;
    if (served) {
      this.marks.show(null, palette, 0, 0, 0);
      const [x, z] = this.figures.middle ?? [0, 0];
      const reach = 2 * this.figures.size;
      this.environment.follow(x, 0, z, reach, Math.max(2 * reach, 1.3 * eye.distance));
    } else if (shown) {
      const { subject, result, t } = shown;
      this.viewpoint.follow(shown);
      const [x, z] = this.viewpoint.aside(shown);
      const live = liveBodies.peek();
      if (live) poseLive(subject, live, x, z);
      else {
        subject.original.object.visible = true; // a performer of another skeleton hid it
        subject.pose(result, t, x, z, against.peek() ?? undefined);
      }
      this.target.show(thirdBody.peek(), t, subject.middle(result ?? subject.source, t), eye.right, palette);
      const keys = state.keys.peek().map(([output]) => state.stepTimes.peek().toResult(output));
      subject.showGhosts(state.showGhosts.peek() && !live ? result : null, t, keys);
      this.marks.show(live ? null : shown, palette, TRAIL * eye.pixel(height), x, z);
      const [midX, midZ] = subject.middle(result ?? subject.source, t);
      const reach = Math.max(subject.shape.size, Math.hypot(x, z));
      const seen = Math.max(4 * reach, 1.3 * eye.distance);
      const { ground } = subject.source.header;
      this.environment.follow(midX + x / 2, ground, midZ + z / 2, reach, seen, subject.shape.size);
    } else {
      this.marks.show(null, palette, 0, 0, 0);
      this.environment.follow(0, 0, 0, EMPTY.size, EMPTY.seen);
    }
    this.tools.update(
      shown && !served
        ? {
          source: shown.subject.source, result: shown.result, t: shown.t, palette, camera: eye.camera,
          pixel: eye.pixel(height), box: this.box,
        }
        : null,
    );
  }

  get gridStep(): number {
    return this.environment.gridStep;
  }

  meshVertices(): number[] {
    this.compose();
    return this.subject?.meshVertices() ?? [];
  }

  frame(): void {
    const shown = this.shown();
    if (this.figures.object.visible) this.viewpoint.frameServer(this.figures);
    else if (shown) this.viewpoint.frame(shown, this.tools.extent());
    this.invalidate();
  }

  look(from: Side): void {
    const shown = this.shown();
    if (this.figures.object.visible) this.viewpoint.frameServer(this.figures, from);
    else if (shown) this.viewpoint.look(shown, from, this.tools.extent());
    this.invalidate();
  }

  /**
   * The retimed body alone at a time, as a small picture; nothing where there is none. Another result is drawn by the
   * body that it is compared as.
   */
  thumbnail(t: number, width: number, height: number, of?: RetimedClip): HTMLCanvasElement | null {
    const shown = this.shown();
    if (!shown?.result) return null;
    const { subject } = shown;
    const result = of ?? shown.result;
    const [body, other] = of ? [subject.original, subject.retimed] : [subject.retimed, subject.original];
    this.colors();
    if (of) {
      body.shift(0, 0);
      body.setSolidity(1);
    } else body.setLoad(null, 0, 0);
    body.pose(result, t);
    const others = [
      this.environment.object, this.marks.object, this.figures.object, other.object, subject.ghosts.object,
      this.target.object,
      ...this.tools.objects,
    ];
    const before = others.map((part) => part.visible);
    for (const part of others) part.visible = false;
    subject.object.visible = body.object.visible = true;
    const direction = this.viewpoint.firstLook(subject);
    const size = subject.tallest(result);
    const picture = this.thumbnails.draw(
      this.scene, subject.poseOf(result, t), size, direction, Math.round(width), Math.round(height));
    others.forEach((part, k) => (part.visible = before[k]!));
    this.invalidate(); // the body has the pose of the thumbnail
    return picture;
  }

  dispose(): void {
    this.forget();
    this.subject?.dispose();
    const { environment, marks, figures, target: third, thumbnails, tools, viewpoint, renderer } = this;
    const parts = [environment, marks, figures, third, thumbnails, tools, viewpoint, renderer];
    for (const part of parts) part.dispose();
  }

  private colors(): Palette {
    if (this.palette) return this.palette;
    this.palette = readPalette();
    this.environment.paint(this.palette);
    this.subject?.paint(this.palette);
    return this.palette;
  }

  private shown(): Shown | null {
    const subject = this.current();
    if (!subject) return null;
    const result = this.resultOf(subject);
    const live = liveBodies.peek();
    // The camera goes along with the recording where that is played.
    const t = live ? (result?.outputOf(live.shows) ?? live.shows) : state.time.peek();
    return { subject, result, t };
  }

  /** The character of the source motion as it is now. */
  private current(): Subject | null {
    const source = state.source.peek();
    const before = this.subject;
    if (source && source === before?.source) return before;
    if (before) {
      this.scene.remove(before.object);
      before.dispose();
      this.subject = null;
    }
    if (!source?.frames || !source.points) return null;
    this.subject = new Subject(source, this.invalidate);
    this.subject.paint(this.colors());
    this.scene.add(this.subject.object);
    // The server sends motions again when it comes back: the camera stays for one that was there already.
    if (before?.source.header.id !== source.header.id) this.viewpoint.reset();
    return this.subject;
  }

  /** The result, if it is one of this character. */
  private resultOf({ source }: Subject): RetimedClip | null {
    const result = state.result.peek();
    const fits = result?.frames && result.points === source.points && result.header.source === source.header.id;
    return fits ? result : null;
  }
}
