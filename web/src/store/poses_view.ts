/** Poses and when their parts arrive, as a result brought them. It never changes: moving makes another one. */

import type { PosesEditor } from "../protocol";
import { bisect } from "./clip";
import { timeText } from "../words/units";

/** Times come as 32 bit numbers and are kept to a tenth of a millisecond: so far inside a limit is safe. */
const SAFETY = 1e-4;

/** A moment that could be a pose: when it is in the output, as `keep` names it, how likely, and whether it is one. */
export interface Candidate {
  at: number;
  keep: number;
  likely: number;
  kept: boolean;
}

export class PosesView {
  readonly count: number;
  readonly channels: string[];
  private readonly free: ReadonlySet<number>;

  constructor(
    readonly editor: PosesEditor,
    readonly times: Float32Array,
    private readonly refinements: Float32Array,
    private readonly included: Float32Array | null,
    readonly probability: Float32Array | null,
    /** Knots of one channel keep this many seconds apart. */
    readonly frame: number,
    private readonly found: Float32Array | null = null,
    private readonly speeds: Float32Array | null = null,
    /** Refinements of the result; unknown while poses are moved. */
    private readonly delivered: Float32Array | null = null,
  ) {
    this.count = times.length;
    this.channels = editor.channels;
    this.free = new Set(editor.free);
  }

  get step(): string {
    return this.editor.step;
  }
  isFree(k: number): boolean {
    return this.free.has(k);
  }
  /** Why a pose cannot be edited, in a sentence. */
  whyNot(k: number): string {
    if (k === 0) return "The first pose starts the clip: it stays where it is.";
    if (k === this.count - 1) return "The last pose ends the clip: it stays where it is.";
    return `Pose ${k + 1} is outside the step's range: it stays where it is.`;
  }

  has(k: number, channel: number): boolean {
    return !this.included || this.included[k * this.channels.length + channel]! > 0.5;
  }
  /** How many seconds later than its pose a channel arrives. */
  refinement(k: number, channel: number): number {
    return this.refinements[k * this.channels.length + channel]!;
  }
  /** How many seconds later than asked channels arrive in the result, on average; 0 where that is unknown. */
  late(k: number, channels: readonly number[]): number {
    const own = this.delivered ? channels.filter((c) => this.has(k, c)) : [];
    const off = own.map((c) => this.delivered![k * this.channels.length + c]! - this.refinement(k, c));
    return off.length ? off.reduce((a, b) => a + b) / off.length : 0;
  }
  knot(k: number, channel: number): number {
    return this.times[k]! + this.refinement(k, channel);
  }
  /** The mean of several channels that a pose has; null where it has none. */
  mean(k: number, channels: readonly number[]): number | null {
    let [sum, count] = [0, 0];
    for (const c of channels)
      if (this.has(k, c)) {
        sum += this.refinement(k, c);
        count++;
      }
    return count ? sum / count : null;
  }
  /** The largest refinement of a pose, in size. */
  most(k: number): number {
    let most = 0;
    for (let c = 0; c < this.channels.length; c++)
      if (this.has(k, c)) most = Math.max(most, Math.abs(this.refinement(k, c)));
    return most;
  }

  /** Moments that could be poses, in their order. */
  get candidates(): Candidate[] {
    const [found, out] = [this.found ?? new Float32Array(), [] as Candidate[]];
    for (let n = 0; n + 3 < found.length; n += 4)
      out.push({ at: found[n]!, keep: found[n + 1]!, likely: found[n + 2]!, kept: found[n + 3]! > 0.5 });
    return out;
  }
  /** How fast a channel arrives at a pose and leaves it, about three axes, a second; null where it has no knot. */
  tangents(k: number, channel: number): { arrive: number[]; leave: number[] } | null {
    if (!this.speeds || !this.has(k, channel)) return null;
    const start = 6 * (k * this.channels.length + channel);
    const all = [...this.speeds.slice(start, start + 6)];
    return { arrive: all.slice(0, 3), leave: all.slice(3) };
  }

  jointOf(channel: number): number {
    return this.editor.joints[channel]!;
  }
  isTranslation(channel: number): boolean {
    return this.channels[channel]!.endsWith(":translation");
  }
  /** The channel of a joint's rotation. */
  channelOf(joint: number): number | null {
    const found = this.channels.findIndex((_, c) => this.jointOf(c) === joint && !this.isTranslation(c));
    return found >= 0 ? found : null;
  }

  /** The pose that stands within so many seconds of a time, the nearest one. */
  at(t: number, within: number): number | null {
    if (!this.count) return null;
    const k = bisect(this.times, t);
    const next = Math.min(k + 1, this.count - 1);
    const nearest = Math.abs(this.times[next]! - t) < Math.abs(this.times[k]! - t) ? next : k;
    return Math.abs(this.times[nearest]! - t) < within ? nearest : null;
  }

  // ---- room

  /** First and last time that a pose may have between its neighbours. */
  timeRoom(k: number): [number, number] {
    const gap = this.frame + SAFETY;
    return [(this.times[k - 1] ?? -Infinity) + gap, (this.times[k + 1] ?? Infinity) - gap];
  }

  /** Least and most refinement that a channel may have between its knots at the poses beside. */
  refinementRoom(k: number, channel: number): [number, number] {
    const beside = (way: 1 | -1): number => {
      let other = k + way;
      while (other >= 0 && other < this.count && !this.has(other, channel)) other += way;
      return this.count > other && other >= 0 ? this.knot(other, channel) : way * Infinity;
    };
    const gap = this.frame + SAFETY;
    return [beside(-1) + gap - this.times[k]!, beside(1) - gap - this.times[k]!];
  }

  // ---- the same, moved

  /** As the server will move a pose: all knots between its neighbours follow the body. */
  moved(k: number, time: number): PosesView {
    const times = this.times.slice();
    const refinements = this.refinements.slice();
    const now = this.times[k]!;
    times[k] = time;
    const follow = (knot: number): number => {
      const wall = knot < now ? this.times[k - 1] : this.times[k + 1];
      if (wall === undefined) return knot > now ? knot + time - now : knot;
      const outside = (knot - wall) * (now - wall) <= 0;
      return outside ? knot : wall + ((knot - wall) * (time - wall)) / (now - wall);
    };
    for (let pose = Math.max(k - 1, 0); pose <= Math.min(k + 1, this.count - 1); pose++) {
      for (let c = 0; c < this.channels.length; c++) {
        if (this.has(pose, c)) refinements[pose * this.channels.length + c] = follow(this.knot(pose, c)) - times[pose]!;
      }
    }
    return this.with(times, refinements);
  }

  /** With other refinements, by pose and channel. */
  refined(changes: Iterable<readonly [k: number, channel: number, value: number]>): PosesView {
    const refinements = this.refinements.slice();
    for (const [k, c, value] of changes) refinements[k * this.channels.length + c] = value;
    return this.with(this.times, refinements);
  }

  private with(times: Float32Array, refinements: Float32Array): PosesView {
    return new PosesView(
      this.editor, times, refinements, this.included, this.probability, this.frame, this.found, this.speeds,
    );
  }
}

export interface PlacedPose {
  time: number;
  refusal: string | null;
}

/** The time nearest to a wish that a pose can have, and why it is another one. */
export function placePose(view: PosesView, k: number, wish: number): PlacedPose {
  const now = view.times[k]!;
  if (!view.isFree(k)) return { time: now, refusal: view.whyNot(k) };
  const [low, high] = view.timeRoom(k);
  const time = low <= high ? Math.min(Math.max(wish, low), high) : now;
  if (Math.abs(time - wish) < 2e-4) return { time, refusal: null };
  const other = wish > time ? k + 1 : k - 1;
  const name = wish > time ? "the next pose" : "the pose before";
  return { time, refusal: `Stops at ${timeText(time)}: ${name} is at ${timeText(view.times[other]!)}.` };
}

