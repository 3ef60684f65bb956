/** Playback: where the playhead is as frame and as seconds, what is played, how fast. */

import { Icon, IconButton, IconToggle, MenuButton, type MenuRow, NumberField, type NumberProps } from "../../controls";
import { toggleActing } from "../../store/acting";
import * as actions from "../../store/actions";
import { ofWindow } from "../../store/editable";
import * as state from "../../store/state";
import { tap } from "../../store/taps";
import { clockOf, readerOf } from "../../store/times";
import { chooseUnit } from "../../store/units";
import { digitsFor, number } from "../../words/numbers";
import { TIME_UNITS, timeText, timeUnit, type TimeUnit } from "../../words/units";
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
        <MenuButton icon="keyboard" label="Perform the timing" rows={performRows} />
      </fieldset>
      {state.source.value && (
        <div class="transport-numbers">
          <RangeReadout />
          <MenuButton label={`Playback rate ${rate}`} name="Playback rate" class="rate-button" rows={rateRows}>
            <span>{rate}</span><Icon name="down" />
          </MenuButton>
          <UnitButton />
          <MenuButton icon="more" label="Range and rate" class="transport-more" rows={narrowRows} />
          <Readouts />
        </div>
      )}
    </section>
  );
}

const rangeText = (): string =>
  timeUnit.value === "seconds"
    ? state.playSpan.value.map((t) => number(t)).join(" – ") + " s"
    : state.playSpan.value.map((t) => timeText(t)).join(" – ");
const playAll = (): void => {
  state.playRange.value = null;
};

function RangeReadout() {
  const whole = state.playRange.value === null;
  return (
    <button
      type="button" class="range-readout" disabled={whole} onClick={playAll}
      title={whole ? "Set a range with I and O" : "Play the whole clip again"}
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

const performRows = (): MenuRow[] => [
  { heading: "Perform the timing" },
  { label: "Tap moments", note: "Play, then tap each keytime or suggested moment", keys: "B", run: tap },
  { label: "Act it out", note: "Drag through the source in the rhythm that you want", keys: "R", run: toggleActing },
];

/** Range and rate, where the bar is too narrow to show them. */
const narrowRows = (): MenuRow[] => [
  { heading: `Range ${rangeText()}` },
  { label: "Play the whole clip", disabled: state.playRange.value === null, run: playAll },
  { heading: "Rate" },
  ...rateRows(),
];

/** Read a moment of the result: frames and percentages are those of the result. */
const readTime = readerOf("output", () => {
  const [start, end] = state.domain.value;
  return { ...clockOf(null), start, outputLength: end - start };
});

const UNIT_NAMES: Record<TimeUnit, string> = { seconds: "Seconds", frames: "Frames", timecode: "Timecode" };

const unitRows = (): MenuRow[] => [
  { heading: `Show times in, at ${number(state.fps.value, digitsFor(state.fps.value, 0))} fps` },
  ...TIME_UNITS.map((unit): MenuRow => ({
    label: UNIT_NAMES[unit], icon: unit === timeUnit.value ? "check" : undefined, run: () => chooseUnit(unit),
  })),
];

/** The frame rate, always in sight, and the unit of times behind it. */
const UnitButton = () => (
  <MenuButton
    label={`${number(state.fps.value, digitsFor(state.fps.value, 0))} fps, times in ${timeUnit.value}`} name="Time unit"
    class="rate-button unit-button" rows={unitRows}
  >
    <span>{number(state.fps.value, digitsFor(state.fps.value, 0))} fps</span><Icon name="down" />
  </MenuButton>
);

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
        label: "Time", unit: "s", digits: 3, step: 0.005, parse: readTime, seconds: timeUnit.value === "frames",
      })}
    </>
  );
}
