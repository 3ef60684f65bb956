/** How well a performer was followed, in numbers, and the moments that were farthest off. */

import { element, rebuild } from "../../panels/dom";
import { number, percent, seconds } from "../../panels/format";
import type { LiveRun } from "../../store/clip";
import { livePlaying, liveRun, seekLive } from "../../store/live";
import { NOTICED } from "./live_plots";

export function liveScore(): HTMLElement {
  const made = element("aside", { className: "live-score", ariaLabel: "Score" });
  let shown = 0;
  let last: LiveRun | null = null;
  const key = (): number => {
    if (liveRun.value !== last) shown++;
    last = liveRun.value;
    return shown;
  };
  rebuild(made, key, () => (last ? [table(last), ...moments(last)] : []));
  return made;
}

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

function table({ header }: LiveRun): HTMLElement {
  const rows = scoreRows(header.score).map(([name, value]) =>
    element("tr", {}, element("th", { scope: "row", textContent: name }), element("td", { textContent: value })));
  const caption = element("caption", { textContent: `Deviation, ${header.method}` });
  return element("table", {}, caption, element("tbody", {}, ...rows));
}

/** A deviation in words: earlier and later, not signs alone. */
export const sayLate = (late: number): string =>
  Math.abs(late) < 5e-4 ? "on time" : `${Math.round(1000 * Math.abs(late))} ms ${late > 0 ? "late" : "early"}`;

function moments({ header }: LiveRun): HTMLElement[] {
  if (!header.moments.length) return [];
  const rows = header.moments.map(([time, source, late]) => {
    const made = element(
      "button",
      { type: "button", className: "live-moment", title: `The recording is at ${seconds(source!)}` },
      element("span", { textContent: seconds(time!) }),
      element("span", { className: Math.abs(late!) > NOTICED ? "trouble" : "", textContent: sayLate(late!) }),
    );
    made.onclick = () => {
      livePlaying.value = false;
      seekLive(time!);
    };
    return element("li", {}, made);
  });
  return [element("h3", { textContent: "Farthest off" }), element("ul", {}, ...rows)];
}
