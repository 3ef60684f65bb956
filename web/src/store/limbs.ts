/** Joints by limb. A body names a limb's main joints; what hangs on them, or only leads to them, belongs too. */

export const LIMBS = ["trunk", "left_arm", "right_arm", "left_leg", "right_leg"] as const;
export type Limb = (typeof LIMBS)[number];

export const LIMB_TITLES: Record<Limb, string> = {
  trunk: "Trunk and head",
  left_arm: "Left arm",
  right_arm: "Right arm",
  left_leg: "Left leg",
  right_leg: "Right leg",
};

interface Skeleton {
  joints: string[];
  parents: number[];
  roles: (string | null)[];
  limbs: (string | null)[];
}

/** The limb of every joint. */
export function limbsOf({ joints, parents, roles, limbs }: Skeleton): Limb[] {
  const named = joints.map((_, j) => asLimb(limbs[j]) ?? byRole(roles[j]));
  // Downwards: a finger is of its hand's limb. Parents come before their children.
  const found: (Limb | null)[] = [];
  for (let j = 0; j < joints.length; j++) {
    const above = parents[j]! >= 0 ? (found[parents[j]!] ?? null) : null;
    found.push(named[j] ?? (above !== "trunk" ? above : null));
  }
  // Upwards: a joint without a role that only leads to one limb (a hip's helper) is a part of it.
  const below = joints.map(() => new Set<Limb>());
  for (let j = joints.length - 1; j >= 0; j--) {
    const only = [...below[j]!];
    if (!found[j] && only.length === 1 && parents[j]! >= 0) found[j] = only[0]!;
    if (parents[j]! >= 0) below[parents[j]!]!.add(found[j] ?? "trunk");
  }
  return found.map((limb) => limb ?? "trunk");
}

const asLimb = (name: string | null | undefined): Limb | null => LIMBS.find((limb) => limb === name) ?? null;

function byRole(role: string | null | undefined): Limb | null {
  if (!role) return null;
  const side = /^(left|right)_/.exec(role)?.[1];
  if (!side) return "trunk";
  return `${side}_${/leg|foot|toe/.test(role) ? "leg" : "arm"}` as Limb;
}
