/** Beats as a person edits them, and sound beside pictures. */

import { withMoments } from "../src/panels/music/moments";
import { describe, expect, it } from "vitest";
import {
  added, bpmOf, doubled, even, halved, moved, nearest, shiftedHalf, snapped, tempoOf, without,
} from "../src/panels/music/beats";
import { advance } from "../src/store/playback";
import { pullOf } from "../src/store/sound";

const BEATS = [0.5, 1, 1.5, 2];

describe("beats", () => {
  it("are doubled, halved and shifted", () => {
    expect(doubled(BEATS)).toEqual([0.5, 0.75, 1, 1.25, 1.5, 1.75, 2]);
    expect(halved(BEATS)).toEqual([0.5, 1.5]);
    expect(shiftedHalf(BEATS)).toEqual([0.75, 1.25, 1.75]);
    expect(bpmOf(BEATS)).toBe(120);
    expect(bpmOf([1])).toBeNull();
  });

  it("stay between their neighbours when they are dragged", () => {
    expect(moved(BEATS, 1, 1.2)).toEqual([0.5, 1.2, 1.5, 2]);
    expect(moved(BEATS, 1, 7)[1]).toBeCloseTo(1.4);
    expect(moved(BEATS, 0, -3)[0]).toBe(-3);
  });

  it("are added and removed one by one, never two at one moment", () => {
    expect(added(BEATS, 2.5)).toEqual([...BEATS, 2.5]);
    expect(added(BEATS, 1.04)).toEqual(BEATS);
    expect(without(BEATS, nearest(BEATS, 1.1)!)).toEqual([0.5, 1.5, 2]);
  });

  it("go to onsets that are near", () => {
    expect(snapped(BEATS, [0.52, 1.2, 1.46])).toEqual([0.52, 1, 1.46, 2]);
  });

  it("come from taps: their line, the last try alone", () => {
    const shaky = [0.01, -0.01, 0.01, -0.01, 0.01];
    const taps = [3, 3.4, ...shaky.map((off, k) => 10 + 0.5 * k + off)];
    const tempo = tempoOf(taps)!;
    expect(tempo.step).toBeCloseTo(0.5, 2);
    expect(tempoOf([1, 1.5, 2])).toBeNull();
    expect(even({ step: 0.5, offset: 10.2 }, 1.5)).toHaveLength(3);
    expect(even({ step: 0.5, offset: 10.2 }, 1.5)[0]).toBeCloseTo(0.2);
  });
});

describe("sound beside pictures", () => {
  it("drifts by less than 20 ms in a minute, with clocks 0.1 % apart and frames that shake", () => {
    let [picture, sound, ahead, worst] = [0, 0.015, 0, 0];
    for (let k = 0; k < 3600; k++) {
      const passed = (k % 3 ? 14 : 22) / 1000;
      sound += passed * 1.001;
      picture = advance(picture, passed + pullOf(ahead, passed), [0, 1000], false).time;
      ahead = sound - picture;
      worst = Math.max(worst, Math.abs(sound - picture));
    }
    expect(worst).toBeLessThan(0.02);
    expect(Math.abs(sound - picture)).toBeLessThan(0.002);
  });

  it("is put where it belongs when it is far off, and the picture goes on", () => {
    expect(pullOf(0.5, 0.016)).toBe(0);
    expect(pullOf(-0.1, 0.016)).toBeCloseTo(-0.0032);
  });
});

it("locked moments stay in order, none twice", () => {
  expect(withMoments([2, 0.5, 0.50001, 1])).toEqual([0.5, 1, 2]);
  expect(withMoments([])).toBeNull();
});
