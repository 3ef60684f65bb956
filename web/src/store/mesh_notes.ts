/** Meshes that cannot be shown, and why. */

import { signal } from "@preact/signals";
import { sentence } from "../words/sentence";
import * as state from "./state";

/** By motion; they stay with it in the list. */
export const meshNotes = signal<ReadonlyMap<string, string>>(new Map());

/** Say that the mesh of a motion is not shown; the view shows a simple body in its place. */
export function noteMesh(id: string, reason: string): void {
  const text = `${sentence(reason)} The view shows a simple body instead.`;
  meshNotes.value = new Map(meshNotes.value).set(id, `The mesh is not shown. ${text}`);
  state.problems.value = [...state.problems.value, { type: "problem", title: "The mesh is not shown", text }];
}
