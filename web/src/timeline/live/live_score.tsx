/** How well a performer was followed, in numbers, and the moments that were farthest off. */

import type { LiveRun } from "../../store/clip";
import { livePlaying, liveRun, seekLive } from "../../store/live";
import { number, percent, seconds } from "../../words/numbers";
import { NOTICED } from "./live_plots";

export const LiveScore = () => (
  <aside class="live-score" aria-label="Score">
    {liveRun.value && <><ScoreTable run={liveRun.value} /><Moments run={liveRun.value} /></>}
  </aside>
);

/** Rows of the table: what it is, and its value in words. */
export function scoreRows(score: Record<string, number | null>): [string, string][] {
  const ms = (name: string): string => (score[name] == null ? "–" : `${number(score[name], 0)} ms`);
  const share = (name: string): string => (score[name] == null ? "–" : percent(score[name]));
  return [
    ["Mean", ms("mean_error_ms")],
    ["Median", ms("median_error_ms")],
    ["Worst", ms("worst_error_ms")],
    ["On time", share("on_time_share")],
    ["Judged", share("judged_share")],
    ["Rate", score["rate"] == null ? "–" : `${number(score["rate"])}×`],
  ];
}

const ScoreTable = ({ run: { header } }: { run: LiveRun }) => (
  <table>
    <caption>Deviation, {header.method}</caption>
    <tbody>
      {scoreRows(header.score).map(([name, value]) => <tr key={name}><th scope="row">{name}</th><td>{value}</td></tr>)}
    </tbody>
  </table>
);

/** A deviation in words: earlier and later, not signs alone. */
export const sayLate = (late: number): string =>
  Math.abs(late) < 5e-4 ? "on time" : `${Math.round(1000 * Math.abs(late))} ms ${late > 0 ? "late" : "early"}`;

function Moments({ run: { header } }: { run: LiveRun }) {
  if (!header.moments.length) return null;
  const go = (time: number): void => {
    livePlaying.value = false;
    seekLive(time);
  };
  return (
    <>
      <h3>Farthest off</h3>
      <ul>
        {(header.moments as [number, number, number][]).map(([time, source, late]) => (
          <li key={time}>
            <button
              type="button" class="live-moment" title={`The recording is at ${seconds(source)}`} onClick={() => go(time)}
            >
              <span>{seconds(time)}</span>
              <span class={Math.abs(late) > NOTICED ? "trouble" : ""}>{sayLate(late)}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
