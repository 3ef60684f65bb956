/** Sound at the output times at which its moments are heard. */

import { labelRow, within, type Plot } from "../plot/plot";

export interface Wave {
  /** Lowest and highest sample of each part, in pairs. */
  peaks: Float32Array;
  seconds: number;
}

const MOST_PEAKS_A_PIXEL = 64;

export function drawWaveform(plot: Plot, wave: Wave | null): void {
  const { context, theme, rows, time, scene, width } = plot;
  const row = rows.waveform;
  if (!row || !wave) return;
  const count = wave.peaks.length / 2;
  const perSecond = count / wave.seconds;
  // It is heard at its own speed from where its start went (store/sound.ts): it is drawn so too.
  const begin = scene.soundBegin;
  const place = (x: number): number => (time.value(x) - begin) * perSecond;
  const middle = row.top + row.height / 2;
  const reach = row.height / 2 - 4;
  within(plot, row, () => {
    context.fillStyle = theme.original;
    context.globalAlpha = 0.7;
    const to = Math.min(time.at(scene.output[1]), width);
    for (let x = Math.max(Math.floor(time.at(scene.output[0])), theme.gutter); x < to; x++) {
      const [a, b] = [place(x), place(x + 1)];
      if (Math.max(a, b) < 0 || Math.min(a, b) >= count) continue;
      const [low, high] = extremes(wave.peaks, Math.min(a, b), Math.max(a, b), count);
      context.fillRect(x, middle - high * reach, 1, Math.max((high - low) * reach, 1));
    }
    context.globalAlpha = 1;
    context.fillStyle = theme.keytime;
    for (const beat of scene.beats) {
      const x = time.at(beat);
      if (x >= theme.gutter && x <= to) context.fillRect(Math.round(x), row.top + 2, 1, row.height - 4);
    }
  });
  labelRow(plot, row, "Sound");
}

function extremes(peaks: Float32Array, from: number, to: number, count: number): [number, number] {
  const first = Math.max(Math.floor(from), 0);
  const last = Math.min(Math.max(Math.floor(to), first), count - 1);
  const stride = Math.max(Math.ceil((last - first) / MOST_PEAKS_A_PIXEL), 1);
  let [low, high] = [0, 0];
  for (let k = first; k <= last; k += stride) {
    low = Math.min(low, peaks[2 * k]!);
    high = Math.max(high, peaks[2 * k + 1]!);
  }
  return [Math.max(low, -1), Math.min(high, 1)];
}
