/** Sampled motions and warps as the views need them: look-ups by time, nothing else. */

import type { ContactBar, LiveHeader, MotionHeader, PhysicsHeader, ResultHeader } from "../protocol";
import type { Frame } from "./wire";

/** Find the last index whose value is not above t, by bisection; 0 where there is none. */
export function bisect(values: ArrayLike<number>, t: number): number {
  let low = 0;
  let high = values.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (values[middle]! <= t) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Interpolate y over rising x, holding the ends. */
export function interpolate(x: ArrayLike<number>, y: ArrayLike<number>, t: number): number {
  if (x.length === 0) return 0;
  const k = bisect(x, t);
  if (k >= x.length - 1 || t <= x[0]!) return t <= x[0]! ? y[0]! : y[x.length - 1]!;
  const width = x[k + 1]! - x[k]!;
  const share = width > 0 ? (t - x[k]!) / width : 0;
  return y[k]! + share * (y[k + 1]! - y[k]!);
}

/** Poses over time: `positions` holds (frames, points, 3), in metres, Y up. */
export class Clip {
  readonly frames: number;
  readonly points: number;
  constructor(
    readonly positions: Float32Array,
    readonly rotations: Float32Array | null,
    readonly times: Float32Array,
    readonly fps: number,
    readonly contacts: ContactBar[],
  ) {
    this.frames = times.length;
    this.points = this.frames ? positions.length / 3 / this.frames : 0;
  }

  get start(): number {
    return this.times[0] ?? 0;
  }
  get end(): number {
    return this.times[this.frames - 1] ?? 0;
  }
  get duration(): number {
    return this.end - this.start;
  }

  /** The frame nearest to a time. */
  frameAt(t: number): number {
    const k = bisect(this.times, t);
    const next = Math.min(k + 1, this.frames - 1);
    return t - this.times[k]! > this.times[next]! - t ? next : k;
  }

  /** Write the pose at a time, (points, 3), into `out`; beyond the ends the end poses hold. */
  poseAt(t: number, out: Float32Array): void {
    const k = bisect(this.times, t);
    const next = Math.min(k + 1, this.frames - 1);
    const width = this.times[next]! - this.times[k]!;
    const share = width > 0 ? Math.min(Math.max((t - this.times[k]!) / width, 0), 1) : 0;
    const size = 3 * this.points;
    const a = k * size;
    const b = next * size;
    for (let i = 0; i < size; i++) {
      const from = this.positions[a + i]!;
      out[i] = from + share * (this.positions[b + i]! - from);
    }
  }
}

/** A motion as it is in its file. */
export class SourceClip extends Clip {
  constructor(readonly header: MotionHeader, arrays: Frame["arrays"]) {
    super(
      arrays.get("positions")!,
      arrays.get("rotations") ?? null,
      arrays.get("times")!,
      header.fps,
      header.contacts,
    );
  }
}

/** The retimed motion with the body's warp: output time to source time. */
export class RetimedClip extends Clip {
  readonly output: Float32Array;
  readonly source: Float32Array;
  readonly skate: Float32Array;
  private readonly arrays: Frame["arrays"];
  constructor(readonly header: ResultHeader, arrays: Frame["arrays"]) {
    super(
      arrays.get("positions")!,
      arrays.get("rotations") ?? null,
      arrays.get("times")!,
      header.fps,
      header.contacts,
    );
    this.output = arrays.get("output")!;
    this.source = arrays.get("source")!;
    this.skate = arrays.get("skate")!;
    this.arrays = arrays;
  }

  /** An array of the frame by its name, such as `grid:0` or `layer:s1`. */
  block(name: string): Float32Array | null {
    return this.arrays.get(name) ?? null;
  }

  /** How a step's own times lie in the source's and the result's. */
  timesOf(step: string): StepTimes {
    return new StepTimes(this.arrays.get(`before:${step}`) ?? null, this.arrays.get(`after:${step}`) ?? null);
  }

  /** The source time that is shown at an output time. */
  sourceAt(t: number): number {
    return interpolate(this.output, this.source, t);
  }

  /** The output time at which a source time is shown. */
  outputOf(s: number): number {
    return interpolate(this.source, this.output, s);
  }

  /** Speed of the source at an output time, smoothed over a thirtieth of a second. */
  rateAt(t: number): number {
    const a = Math.max(t - 1 / 60, this.output[0]!);
    const b = Math.min(t + 1 / 60, this.output[this.output.length - 1]!);
    return b > a ? (this.sourceAt(b) - this.sourceAt(a)) / (b - a) : 1;
  }
}

/**
 * A step's keytimes are in its own output and input time. Where other steps change timing too, `before` leads from
 * its input to the source, and `after` from the result to its output: pairs of knots, one after the other.
 */
export class StepTimes {
  private readonly before: [Float32Array, Float32Array] | null;
  private readonly after: [Float32Array, Float32Array] | null;
  constructor(before: Float32Array | null, after: Float32Array | null) {
    this.before = before && columns(before);
    this.after = after && columns(after);
  }
  /** The result's time at which the step's output is shown. */
  toResult = (t: number): number => (this.after ? interpolate(this.after[1], this.after[0], t) : t);
  /** The step's output that a time of the result shows. */
  fromResult = (t: number): number => (this.after ? interpolate(this.after[0], this.after[1], t) : t);
  /** The source's time of a time of the step's input. */
  toSource = (s: number): number => (this.before ? interpolate(this.before[0], this.before[1], s) : s);
  fromSource = (s: number): number => (this.before ? interpolate(this.before[1], this.before[0], s) : s);
}

function columns(pairs: Float32Array): [Float32Array, Float32Array] {
  const count = pairs.length / 2;
  const [first, second] = [new Float32Array(count), new Float32Array(count)];
  for (let k = 0; k < count; k++) [first[k], second[k]] = [pairs[2 * k]!, pairs[2 * k + 1]!];
  return [first, second];
}

/** A motion that was followed as if it came live. */
export class LiveRun {
  readonly times: Float32Array;
  readonly source: Float32Array;
  readonly rate: Float32Array;
  readonly confidence: Float32Array;
  /** Seconds behind the recording's own pace; not a number where it cannot be judged. */
  readonly late: Float32Array;
  constructor(readonly header: LiveHeader, arrays: Frame["arrays"]) {
    this.times = arrays.get("times")!;
    this.source = arrays.get("source")!;
    this.rate = arrays.get("rate")!;
    this.confidence = arrays.get("confidence")!;
    this.late = arrays.get("late")!;
  }
}

/** What physics says of a version, frame by frame of its source. */
export class PhysicsView {
  readonly times: Float32Array;
  readonly timing: Float32Array;
  readonly distance: Float32Array;
  readonly force: Float32Array;
  readonly use: Float32Array;
  private readonly corners: Float32Array;
  private readonly starts: Float32Array;
  readonly joints: number;
  constructor(readonly header: PhysicsHeader, arrays: Frame["arrays"]) {
    this.times = arrays.get("times")!;
    this.timing = arrays.get("timing")!;
    this.distance = arrays.get("distance")!;
    this.force = arrays.get("force")!;
    this.use = arrays.get("use")!;
    this.corners = arrays.get("corners")!;
    this.starts = arrays.get("starts")!;
    this.joints = this.times.length ? this.use.length / this.times.length : 0;
  }

  frameAt(source: number): number {
    return bisect(this.times, source);
  }

  /** Corners of a frame's region as [p'', p'^2] pairs. */
  region(frame: number): [number, number][] {
    const out: [number, number][] = [];
    for (let k = this.starts[frame]!; k < this.starts[frame + 1]!; k++)
      out.push([this.corners[2 * k]!, this.corners[2 * k + 1]!]);
    return out;
  }

  /** Feasible, marginal (within a tenth of a limit, or a hair outside) or infeasible. */
  stateAt(frame: number): "feasible" | "marginal" | "infeasible" {
    if (this.distance[frame]! > 0) return "infeasible";
    let most = 0;
    for (let j = 0; j < this.joints; j++) most = Math.max(most, this.use[frame * this.joints + j]!);
    return most > 0.9 ? "marginal" : "feasible";
  }
}
