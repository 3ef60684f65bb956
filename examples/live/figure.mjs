// Which joints of a figure bones lie between.

// What each joint hangs on; where that is missing in a figure, the next one up stands in for it.
const PARENTS = {
  spine: "hips", chest: "spine", upper_chest: "chest", neck: "upper_chest", head: "neck",
  ...Object.fromEntries(["left", "right"].flatMap((side) => [
    [`${side}_shoulder`, "upper_chest"], [`${side}_upper_arm`, `${side}_shoulder`],
    [`${side}_lower_arm`, `${side}_upper_arm`], [`${side}_hand`, `${side}_lower_arm`],
    [`${side}_upper_leg`, "hips"], [`${side}_lower_leg`, `${side}_upper_leg`],
    [`${side}_foot`, `${side}_lower_leg`], [`${side}_toe`, `${side}_foot`],
  ])),
};

/** The bones of a figure, whatever joints it has: each from the nearest joint above it. */
export function bonesOf(names) {
  const bones = [];
  for (const name of names) {
    let above = PARENTS[name];
    while (above && !names.includes(above)) above = PARENTS[above];
    if (above) bones.push([above, name]);
  }
  return bones;
}
