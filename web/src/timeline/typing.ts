/** A small field over a keytime, to type its output and source seconds. */

import * as actions from "../store/actions";
import * as state from "../store/state";
import { announceKey, movedKey, settleKey } from "./key_edits";
import { placeOf } from "./key_marks";
import { roomOf, scene } from "./scene";
import type { Stage } from "./stage";

/** Two numbers, however they are parted; null where there are not two. */
export function parseKey(text: string): state.Key | null {
  const numbers = text.replaceAll(/[→=;s]/g, " ").trim().split(/[\s,]+/).map(Number);
  const [output, source] = numbers;
  if (numbers.length !== 2 || !Number.isFinite(output) || !Number.isFinite(source)) return null;
  return [output!, source!];
}

export function typeKey(stage: Stage, index: number): void {
  const key = scene.value.keys[index];
  if (!key || !scene.value.editable) return;
  const field = document.createElement("input");
  field.className = "timeline-field";
  field.value = `${actions.round(key[0])} ${actions.round(key[1])}`;
  field.setAttribute("aria-label", `Keytime ${index + 1}: output and source in seconds`);
  const { x, y } = placeOf(stage.plot(), key);
  stage.root.append(field);
  const [right, bottom] = [stage.root.clientWidth - field.offsetWidth, stage.root.clientHeight - field.offsetHeight];
  field.style.left = `${Math.min(Math.max(x - field.offsetWidth / 2, 0), right)}px`;
  field.style.top = `${Math.min(y + 14, bottom)}px`;
  field.select();
  field.focus({ preventScroll: true });

  const close = (): void => {
    field.removeEventListener("blur", close); // taking it away blurs it once more
    field.remove();
  };
  field.addEventListener("blur", close);
  field.addEventListener("keydown", (event) => {
    event.stopPropagation(); // typed digits are no short cuts
    if (event.key === "Escape") {
      close();
      stage.canvas.focus({ preventScroll: true });
    }
    if (event.key !== "Enter") return;
    const wish = parseKey(field.value);
    if (!wish) return field.setAttribute("aria-invalid", "true");
    close();
    stage.canvas.focus({ preventScroll: true });
    placeKey(stage, index, wish);
  });
}

function placeKey(stage: Stage, index: number, wish: state.Key): void {
  const { time, source, scene: now } = stage.plot();
  const room = roomOf(now, index);
  if (!room || !now.step) return;
  const { key, refusal } = settleKey(now, room, index, wish, [time.scale, source.scale], (t) => t);
  actions.change(now.step.id, { parameters: movedKey(now, index, now.keys[index]!, key) });
  actions.seek(now.times.toResult(key[0]));
  if (refusal) stage.refuse(refusal, index, wish);
  announceKey(scene.value, index, refusal);
}
