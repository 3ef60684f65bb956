/** The song under the result: waveform, beats and playhead. Beats are dragged; a double click adds or removes one. */

import { disc, followPress, line, type Pen, placeOn, Plot, token } from "../../controls";
import * as state from "../../store/state";
import { begin } from "../../store/transaction";
import { added, moved, nearest, without } from "./beats";
import { beatsOf, heardAt, setBeats, withBeats } from "./edits";
import { song } from "./song";

/** A beat is taken hold of this near, in pixels. */
const HOLD = 7;

/** From which to which time of the song the track reaches: what the result lasts for. */
function span(): [number, number] {
  const [a, b] = state.domain.value;
  return [heardAt(a), heardAt(b)];
}

const at = (time: number, width: number): number => {
  const [a, b] = span();
  return ((time - a) / Math.max(b - a, 1e-6)) * width;
};
const timeAt = (x: number, width: number): number => {
  const [a, b] = span();
  return a + (x / width) * (b - a);
};

export function Track({ step }: { step: string }) {
  const held = (host: HTMLElement, event: MouseEvent): number | null => {
    const beats = beatsOf(step);
    const [x] = placeOn(host, event);
    const near = nearest(beats, timeAt(x, host.clientWidth));
    return near !== null && Math.abs(at(beats[near]!, host.clientWidth) - x) <= HOLD ? near : null;
  };
  const press = (event: PointerEvent): void => {
    const host = event.currentTarget as HTMLElement;
    const index = held(host, event);
    if (index === null || state.link.value !== "open") return;
    const before = beatsOf(step);
    const drag = begin(step);
    followPress(host, event, {
      move: (to) => drag.update(withBeats(moved(before, index, timeAt(placeOn(host, to)[0], host.clientWidth)))),
      release: () => drag.commit(),
      giveUp: () => drag.discard(),
    });
  };
  const turn = (event: MouseEvent): void => {
    const host = event.currentTarget as HTMLElement;
    const index = held(host, event);
    const time = timeAt(placeOn(host, event)[0], host.clientWidth);
    setBeats(step, index === null ? added(beatsOf(step), time) : without(beatsOf(step), index));
  };
  const count = beatsOf(step).length;
  return (
    <Plot
      class="music-track" label={`The song with ${count} beats`} draw={(pen, w, h) => draw(pen, w, h, step)}
      onPointerDown={press} onDblClick={turn}
    />
  );
}

function draw(pen: Pen, width: number, height: number, step: string): void {
  const heard = song.value;
  if (heard) drawWave(pen, width, height, heard.peaks, heard.duration);
  const first = Number(state.stepNamed(step)?.parameters?.["first_beat"] ?? 0);
  pen.strokeStyle = pen.fillStyle = token("--keytime");
  beatsOf(step).forEach((beat, k) => {
    const x = at(beat, width);
    if (x < 0 || x > width) return;
    const bar = (k - first) % 4 === 0;
    pen.lineWidth = bar ? 2 : 1;
    line(pen, x, bar ? 2 : 8, x, height - 2);
    disc(pen, x, bar ? 4 : 8, bar ? 3 : 2);
  });
  pen.strokeStyle = token("--playhead");
  pen.lineWidth = 1;
  const now = at(heardAt(state.time.value), width);
  line(pen, now, 0, now, height);
}

function drawWave(pen: Pen, width: number, height: number, peaks: readonly number[], seconds: number): void {
  const count = peaks.length / 2;
  pen.fillStyle = token("--original");
  pen.globalAlpha = 0.5;
  for (let x = 0; x < width; x++) {
    const k = Math.floor((timeAt(x, width) / seconds) * count);
    if (k < 0 || k >= count) continue;
    const [low, high] = [peaks[2 * k]!, peaks[2 * k + 1]!];
    pen.fillRect(x, (height / 2) * (1 - high), 1, Math.max(((high - low) * height) / 2, 1));
  }
  pen.globalAlpha = 1;
}
