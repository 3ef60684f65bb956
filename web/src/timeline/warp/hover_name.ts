/** Names and read-outs of what is pointed at. */

import { seconds } from "../plot/axis";
import { placeOf, rateWords } from "./key_marks";
import type { GestureHost } from "../plot/gesture_host";
import type { Target } from "./targets";

/** Say what is under the pointer. */
export function nameTarget(host: GestureHost, target: Target): void {
  const plot = host.plot();
  const { keys, suggestions, ends, selected, range, output } = plot.scene;
  const { chip } = host;
  const key = selected === null ? null : keys[selected];
  if (target.kind === "key") showReadout(host, target.index);
  else if (target.kind === "suggestion") {
    const [t, s] = suggestions[target.index] ?? [];
    if (t === undefined || s === undefined) return; // it may be gone since the pointer came
    chip.show(["Add keytime", `${seconds(t)} shows ${seconds(s)}`], placeOf(plot, [t, s]), []);
  } else if (target.kind === "end" && ends)
    chip.show(["Duration", seconds(ends[1][0] - ends[0][0])], placeOf(plot, ends[1]), []);
  else if (target.kind === "handle" && key)
    chip.show(["Speed here", rateWords(plot.scene, key)], placeOf(plot, key), []);
  else if (target.kind === "range") {
    const t = (range ?? output)[target.edge];
    chip.show([target.edge ? "End of range" : "Start of range", seconds(t)], { x: plot.time.at(t), y: 16 }, []);
  }
}

/** What a key shows when, and how fast time runs there. */
export function showReadout(host: GestureHost, index: number): void {
  const plot = host.plot();
  const { keys, ends, suggestions } = plot.scene;
  const key = keys[index];
  if (!key) return;
  const others = [...keys.filter((_, k) => k !== index), ...(ends ?? []), ...suggestions];
  host.chip.show(
    [seconds(key[0]), "shows", seconds(key[1]), rateWords(plot.scene, key)],
    placeOf(plot, key),
    others.map((other) => placeOf(plot, other)),
  );
}
