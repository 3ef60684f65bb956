/** The volumes of a person, from the roles of the joints: radii are shares of the stature. */

import { below, type Bones, type Skeleton } from "./bones";
import { between, distance, on, type Place } from "./place";
import { round, type Volume } from "./shape";

/** Thigh and shin are this share of a person's stature. */
const LEG = 0.48;
const NEEDED = ["upper_leg", "lower_leg", "foot", "upper_arm", "lower_arm", "hand"].flatMap((part) => [
  `left_${part}`,
  `right_${part}`,
]);
const TRUNK = ["spine", "chest", "upper_chest"];

export function humanVolumes(skeleton: Skeleton, bones: Bones): { volumes: Volume[]; size: number } | null {
  const joint = new Map<string, number>();
  skeleton.roles.forEach((role, j) => role && joint.set(role, j));
  if (!NEEDED.every((role) => joint.has(role))) return null;
  const person = new Person(joint, bones);
  return { volumes: person.volumes(), size: person.size };
}

class Person {
  readonly size: number;
  private readonly out: Volume[] = [];
  private readonly drawn = new Set<number>();
  constructor(
    private readonly joint: ReadonlyMap<string, number>,
    private readonly bones: Bones,
  ) {
    const leg = (side: string): number =>
      this.span(`${side}_upper_leg`, `${side}_lower_leg`) + this.span(`${side}_lower_leg`, `${side}_foot`);
    this.size = (leg("left") + leg("right")) / 2 / LEG || 1;
  }

  volumes(): Volume[] {
    this.trunk();
    this.head();
    for (const side of ["left", "right"]) {
      this.leg(side);
      this.arm(side);
    }
    this.rest();
    return this.out;
  }

  private trunk(): void {
    const hips = between(this.at("left_upper_leg"), this.at("right_upper_leg"), 0.5);
    const shoulders = between(this.at("left_upper_arm"), this.at("right_upper_arm"), 0.5);
    const waist = this.waist(hips, shoulders);
    const seat = this.role("hips");
    const middle = this.joint.get("chest") ?? this.joint.get("spine") ?? seat;
    const top = this.joint.get("upper_chest") ?? middle;
    const broad = Math.min(Math.max(this.span("left_upper_arm", "right_upper_arm") / (2 * this.size), 0.07), 0.12);
    const legs = ["left_upper_leg", "right_upper_leg"] as const;
    const arms = ["left_upper_arm", "right_upper_arm"] as const;
    this.flat(between(hips, waist, -0.05), between(hips, waist, 0.55), 0.06, 0.055, 1.45, seat, seat, legs);
    this.flat(between(hips, waist, 0.4), between(waist, shoulders, 0.2), 0.054, 0.057, 1.3, seat, middle, legs);
    this.flat(waist, between(waist, shoulders, 0.74), 0.055, 0.063, broad / 0.07, middle, top, arms);
    const yoke = (share: number): Place =>
      between(between(this.at("left_upper_arm"), this.at("right_upper_arm"), share), waist, 0.06);
    this.add(yoke(0.16), yoke(0.84), 0.039, 0.039, top, top);
  }

  /** The joint of the spine that is nearest to the waist, or the place where one would be. */
  private waist(hips: Place, shoulders: Place): Place {
    const whole = distance(hips, shoulders, this.bones.pose);
    const wanted = between(hips, shoulders, 0.42);
    let best = wanted;
    let nearest = 0.3 * whole;
    for (const role of TRUNK) {
      const j = this.joint.get(role);
      if (j === undefined) continue;
      const far = distance(on(j), wanted, this.bones.pose);
      if (far < nearest) [nearest, best] = [far, on(j)];
    }
    return best;
  }

  private head(): void {
    const head = this.joint.get("head") ?? this.joint.get("neck");
    if (head === undefined) return;
    const shoulders = between(this.at("left_upper_arm"), this.at("right_upper_arm"), 0.5);
    const neck = this.joint.has("neck") && this.joint.get("neck") !== head ? this.at("neck") : shoulders;
    for (const k of below(this.bones, head)) this.drawn.add(k); // eyes, jaw and hair lie within the skull
    const tip = this.bones.children[head]!.reduce(
      (best, k) => (this.bones.lengths[k]! > (this.bones.lengths[best] ?? 0) ? k : best), -1);
    const long = tip >= 0 ? this.bones.lengths[tip]! : 0;
    // The skull's axis is the head's own bone where there is one, else it goes on from the neck.
    const from = long > 0.03 * this.size ? on(head) : neck;
    const to = long > 0.03 * this.size ? on(tip) : on(head);
    const past = from === neck ? 1 : 0;
    const unit = this.size / (distance(from, to, this.bones.pose) || this.size);
    const up = (share: number): Place => between(from, to, past + share * unit);
    this.add(between(shoulders, on(head), 0.1), up(0.02), 0.033, 0.028, head, head);
    this.add(up(0.008), up(0.05), 0.036, 0.052, head, head);
  }

  private leg(side: string): void {
    const hip = this.role(`${side}_upper_leg`);
    const knee = this.role(`${side}_lower_leg`);
    const foot = this.role(`${side}_foot`);
    this.add(on(hip), on(knee), 0.053, 0.033, hip, knee);
    const shin = this.bones.lengths[foot]! || 0.24 * this.size;
    this.add(on(knee), on(foot), 0.032, 0.022, knee, foot);
    this.add(between(on(knee), on(foot), 0.14), between(on(knee), on(foot), 0.5), 0.033, 0.027, knee, knee);
    const toe = this.joint.get(`${side}_toe`) ?? this.farthest(foot);
    if (toe < 0) {
      this.add(on(foot), between(on(knee), on(foot), 1 + (0.02 * this.size) / shin), 0.024, 0.024, foot, foot);
      return;
    }
    // The heel lies below the ankle: a sole from it to the toes makes a wedge of the foot.
    const heel = between(on(knee), on(foot), 1 + (0.02 * this.size) / shin);
    this.add(on(foot), on(toe), 0.022, 0.019, foot, toe);
    this.add(heel, on(toe), 0.021, 0.019, foot, toe);
    this.drawn.add(toe);
    const tip = this.farthest(toe);
    if (tip >= 0) this.add(on(toe), on(tip), 0.02, 0.014, toe, toe);
    if (tip >= 0) this.drawn.add(tip);
  }

  private arm(side: string): void {
    const shoulder = this.role(`${side}_upper_arm`);
    const elbow = this.role(`${side}_lower_arm`);
    const hand = this.role(`${side}_hand`);
    this.add(on(shoulder), between(on(shoulder), on(elbow), 0.22), 0.036, 0.031, shoulder, shoulder);
    this.add(on(shoulder), on(elbow), 0.031, 0.023, shoulder, elbow);
    this.add(on(elbow), on(hand), 0.024, 0.0165, elbow, hand);
    const parts = below(this.bones, hand);
    const reach = Math.max(0, ...parts.map((k) => distance(on(hand), on(k), this.bones.pose)));
    if (reach < 0.03 * this.size) {
      for (const k of parts) this.drawn.add(k);
      const fore = this.bones.lengths[hand]! || 0.15 * this.size;
      this.add(on(hand), between(on(elbow), on(hand), 1 + (0.06 * this.size) / fore), 0.018, 0.014, hand, hand);
      return;
    }
    // A hand of one or two fingers stands for a whole one, and is drawn as thick.
    const few = this.bones.children[hand]!.length <= 3;
    for (const k of parts) {
      const parent = this.bones.parents[k]!;
      this.drawn.add(k);
      if (this.bones.lengths[k]! < 0.004 * this.size) continue;
      const palm = parent === hand || this.bones.lengths[parent]! < 0.004 * this.size;
      if (few) this.add(on(parent), on(k), palm ? 0.017 : 0.015, 0.011, hand, hand);
      else this.add(on(parent), on(k), palm ? 0.011 : 0.0065, palm ? 0.0075 : 0.005, hand, hand);
    }
  }

  /** What no role speaks of and hangs on the body: tails, straps, tools. */
  private rest(): void {
    const { parents, lengths, rigid } = this.bones;
    const body = new Set<number>();
    for (const j of this.joint.values()) for (let k = j; k >= 0 && !body.has(k); k = parents[k]!) body.add(k);
    // What hangs above the hips (a root on the ground, the aims of a rig) is no part of the body.
    for (const k of below(this.bones, this.joint.get("hips") ?? 0)) {
      if (body.has(k) || this.drawn.has(k) || !rigid[k] || lengths[k]! < 0.02 * this.size) continue;
      this.add(on(parents[k]!), on(k), 0.012, 0.009, parents[k]!, k);
    }
  }

  private farthest(joint: number): number {
    return this.bones.children[joint]!.reduce(
      (best, k) => (this.bones.lengths[k]! > (this.bones.lengths[best] ?? 0.02 * this.size) ? k : best), -1);
  }

  private add(a: Place, b: Place, from: number, to: number, startJoint: number, endJoint: number): void {
    this.out.push(round(a, b, from * this.size, to * this.size, startJoint, endJoint));
  }

  private flat(
    a: Place, b: Place, from: number, to: number, width: number, startJoint: number, endJoint: number,
    sides: readonly [string, string],
  ): void {
    this.add(a, b, from, to, startJoint, endJoint);
    const left = this.role(sides[0]);
    const right = this.role(sides[1]);
    Object.assign(this.out[this.out.length - 1]!, { width, left, right });
  }

  private role(name: string): number {
    return this.joint.get(name) ?? 0;
  }

  private at(name: string): Place {
    return on(this.role(name));
  }

  private span(a: string, b: string): number {
    return distance(this.at(a), this.at(b), this.bones.pose);
  }
}
