/** Playback: where the playhead is as frame and as seconds, what is played, how fast. */

import { Icon, IconButton, IconToggle, MenuButton, type MenuRow, NumberField, type NumberProps } from "../../controls";
import * as actions from "../../store/actions";
import { ofWindow } from "../../store/editable";
import * as state from "../../store/state";
import { clockOf, parseTime } from "../../store/times";
import { number } from "../../words/numbers";
import { togglePlay } from "../../store/playback";
import { Tabs } from "./tabs";

const RATES: [number, string][] = [[0.25, "¼×"], [0.5, "½×"], [1, "1×"], [2, "2×"]];

export const toStart = (): void => actions.seek(state.playSpan.value[0]);
export const toEnd = (): void => actions.seek(state.playSpan.value[1]);

export function Transport() {
  const playing = state.playing.value;
  const rate = RATES.find(([r]) => r === state.playbackRate.value)?.[1] ?? "1×";
  return (
    <section class="transport" aria-label="Playback">
      <Tabs />
      <fieldset class="transport-buttons" aria-label="Playback" disabled={!state.source.value}>
        <IconButton icon="to-start" label="To the start (Home)" onClick={toStart} />
        <IconButton icon="step-back" label="Step back (←)" onClick={() => actions.stepFrames(-1)} />
        <IconButton
          class="play" icon={playing ? "pause" : "play"} label={playing ? "Pause (Space)" : "Play (Space)"}
          onClick={togglePlay}
        />
        <IconButton icon="step-on" label="Step forward (→)" onClick={() => actions.stepFrames(1)} />
        <IconButton icon="to-end" label="To the end (End)" onClick={toEnd} />
        <IconToggle
          icon="loop" label="Loop" on={state.looping.value} onClick={() => (state.looping.value = !state.looping.value)}
        />
      </fieldset>
      {state.source.value && (
        <div class="transport-numbers">
          <RangeReadout />
          <MenuButton label={`Playback rate ${rate}`} name="Playback rate" class="rate-button" rows={rateRows}>
            <span>{rate}</span><Icon name="down" />
          </MenuButton>
          <MenuButton icon="more" label="Range and rate" class="transport-more" rows={narrowRows} />
          <Readouts />
        </div>
      )}
    </section>
  );
}

const rangeText = (): string => state.playSpan.value.map((t) => number(t)).join(" – ") + " s";
const playAll = (): void => {
  state.playRange.value = null;
};

function RangeReadout() {
  const whole = state.playRange.value === null;
  return (
    <button
      type="button" class="range-readout" disabled={whole} onClick={playAll}
      title={whole ? "Set a range with I and O" : "Play the whole again"}
    >
      Range <span class="strong">{rangeText()}</span>
      <span hidden={whole}><Icon name="close" /></span>
    </button>
  );
}

const rateRows = (): MenuRow[] =>
  RATES.map(([rate, label]) => ({
    label,
    icon: rate === state.playbackRate.value ? "check" : undefined,
    run: () => (state.playbackRate.value = rate),
  }));

/** Range and rate, where the bar is too narrow to show them. */
const narrowRows = (): MenuRow[] => [
  { heading: `Range ${rangeText()}` },
  { label: "Play the whole", disabled: state.playRange.value === null, run: playAll },
  { heading: "Rate" },
  ...rateRows(),
];

/** Read a moment of the result: frames and percentages are those of the result. */
function readTime(typed: string): number | null {
  const [start, end] = state.domain.value;
  return parseTime(typed, "output", { ...clockOf(null), start, outputLength: end - start });
}

function Readouts() {
  const [start, fps, now] = [state.domain.value[0], state.fps.value, state.time.value];
  const readout = (value: number, toTime: (value: number) => number, look: Omit<NumberProps, "edit">) => {
    const seek = (to: number): void => {
      state.playing.value = false;
      actions.seek(toTime(to));
    };
    return <NumberField class="bare readout" edit={ofWindow(value, seek)} {...look} />;
  };
  return (
    <>
      {readout(Math.round((now - start) * fps), (frame) => start + frame / fps, {
        label: "Frame", unit: "frame", whole: true, step: 0.25,
      })}
      {readout(Math.round(now * 1000) / 1000, (t) => t, {
        label: "Time", unit: "s", digits: 3, step: 0.005, parse: readTime,
      })}
    </>
  );
}
