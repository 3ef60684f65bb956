/** Sets of joints by name, as the project keeps them; this browser kept them before. */

export type JointSets = Record<string, string[]>;

/** Read sets that were kept; what is none is left out. */
export function parseSets(text: string | null): JointSets {
  let found: unknown;
  try {
    found = JSON.parse(text ?? "{}");
  } catch {
    return {};
  }
  if (typeof found !== "object" || found === null || Array.isArray(found)) return {};
  const isSet = (value: unknown): value is string[] =>
    Array.isArray(value) && value.every((joint) => typeof joint === "string");
  return Object.fromEntries(Object.entries(found).filter((entry): entry is [string, string[]] => isSet(entry[1])));
}

/** The sets with a joint put into one, or taken out where it was in. */
export function withJoint(sets: JointSets, name: string, joint: string): JointSets {
  const before = sets[name] ?? [];
  const after = before.includes(joint) ? before.filter((other) => other !== joint) : [...before, joint];
  return { ...sets, [name]: after };
}
