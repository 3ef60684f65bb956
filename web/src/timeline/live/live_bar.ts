/** The bar over the live plots: who performs, who plays along, follow, a transport of live time, a live server. */

import { effect, signal } from "@preact/signals-core";
import { button, iconButton, select, type Option } from "../../panels/controls";
import { element, live, onEnd, rebuild, shown, text, watch } from "../../panels/dom";
import { seconds } from "../../panels/format";
import { icon } from "../../panels/icons";
import { advance } from "../../panels/playback";
import * as actions from "../../store/actions";
import {
  liveBodies, liveDomain, liveNote, livePlaying, liveRun, liveTime, partner, seekLive, toggleLive,
} from "../../store/live";
import { listening } from "../../store/live_server";
import * as state from "../../store/state";
import { serverField, serverReadout, serverWords } from "./live_server_bar";

/** The motion that was chosen to perform, before it is followed. */
const chosen = signal("");
/** Whether an answer is on its way. */
export const following = signal(false);

/** A frame later than this was a pause of the machine: time does not leap over it, seconds. */
const LONGEST_FRAME = 0.25;

const others = (): Option[] =>
  Object.entries(state.committed.value?.motions ?? {})
    .filter(([id]) => id !== state.project.value?.source)
    .map(([id, motion]) => ({ value: id, label: motion.name }));

/** The performer that Follow would follow: the chosen one, where it is still there. */
const candidate = (): string => {
  const ids = others().map((o) => o.value);
  return [chosen.value, state.performer.value ?? ""].find((id) => ids.includes(id)) ?? ids[0] ?? "";
};

export const needsMotion = (): boolean => others().length === 0;

export function liveBar(): HTMLElement {
  const made = element("div", { className: "live-bar", role: "toolbar", ariaLabel: "Live" });
  const follow = shown(() => listening.value === "off", element("div", { className: "live-follow" }));
  rebuild(follow, needsMotion, (lonely) => (lonely ? [lonelyWords()] : [...choices(), ...transport(), ...readouts()]));
  made.append(follow, serverField(), serverReadout(), serverWords());
  waitForAnswers();
  runLive();
  return made;
}

const lonelyWords = (): HTMLElement =>
  text(
    () => state.source.value
      ? "Bring in a second motion to follow it as if it came live, or connect to a running retime live."
      : "Open a motion to follow a performer in it, or connect to a running retime live.",
    element("p", { className: "live-words" }),
  );

function choices(): HTMLElement[] {
  const follow = button(live(() => (following.value ? "Following…" : "Follow")), () => {
    following.value = true;
    livePlaying.value = false;
    actions.followLive(candidate());
  });
  watch(() => {
    follow.disabled = following.value || state.link.value === "gone" || !candidate();
  });
  const partners = (): Option[] => [
    { value: "", label: "None" }, ...others().filter((o) => o.value !== candidate()),
  ];
  const companion = labelled("Partner", select(
    "Partner, shown in the recording's place", partners, () => partner.value ?? "",
    (id) => (partner.value = id || null),
  ));
  companion.title = "A motion that belongs to the recording, as of the one danced with: shown at the followed time";
  watch(() => {
    if (partner.value && !partners().some((o) => o.value === partner.value)) partner.value = null;
  });
  return [
    labelled("Performer", select("Performer", others, candidate, (id) => (chosen.value = id))),
    shown(() => others().length > 1, companion),
    follow,
  ];
}

const labelled = (name: string, control: HTMLElement): HTMLElement =>
  element("label", { className: "live-choice" }, element("span", { textContent: name }), control);

function transport(): HTMLElement[] {
  const play = iconButton("play", "Play live time (Space)", toggleLive);
  play.classList.add("live-play");
  watch(() => {
    play.replaceChildren(icon(livePlaying.value ? "pause" : "play"));
    play.ariaLabel = play.title = livePlaying.value ? "Pause (Space)" : "Play live time (Space)";
  });
  const back = iconButton("to-start", "To the start (Home)", () => seekLive(liveDomain.value[0]));
  watch(() => {
    play.disabled = back.disabled = liveRun.value === null;
  });
  return [element("span", { className: "live-transport" }, back, play)];
}

/** What both bodies show, with their colours. */
function readouts(): HTMLElement[] {
  const chip = (swatch: string, words: () => string): HTMLElement =>
    element("span", { className: "live-chip" }, element("span", { className: `swatch ${swatch}` }), live(words));
  const name = (id: string | undefined): string => state.committed.value?.motions[id ?? ""]?.name ?? "";
  const both = element(
    "span",
    { className: "live-chips" },
    chip("original", () => `${name(liveRun.value?.header.performer)} at ${seconds(liveTime.value)}`),
    chip("retimed", () => {
      const bodies = liveBodies.value;
      return `${bodies?.reference.header.name ?? ""} shows ${seconds(bodies?.shows ?? 0)}`;
    }),
  );
  const note = element("span", { className: "live-note" }, icon("alert"), live(() => liveNote.value));
  return [shown(() => liveBodies.value !== null, both), shown(() => liveNote.value !== "", note)];
}

/** An answer, or what stands against it, ends the waiting; a new run starts at its beginning. */
function waitForAnswers(): void {
  let problems = 0;
  watch(() => {
    const now = state.problems.value.length;
    if (now > problems || state.link.value === "gone") following.value = false;
    problems = now;
  });
  watch(() => {
    if (!state.liveRun.value) return;
    following.value = false;
    liveTime.value = liveDomain.peek()[0];
    livePlaying.value = false;
  });
}

/** Live time runs by the wall clock while it plays, and only while its tab is open. */
function runLive(): void {
  onEnd(effect(() => {
    if (state.tab.value !== "live" || !liveRun.value) {
      livePlaying.value = false;
      return undefined;
    }
    if (!livePlaying.value) return undefined;
    state.playing.value = false;
    let last = performance.now();
    const step = (now: number): void => {
      const passed = Math.min((now - last) / 1000, LONGEST_FRAME);
      last = now;
      const by = passed * state.playbackRate.peek();
      const tick = advance(liveTime.peek(), by, liveDomain.peek(), state.looping.peek());
      liveTime.value = tick.time;
      if (tick.playing) request = requestAnimationFrame(step);
      else livePlaying.value = false;
    };
    let request = requestAnimationFrame(step);
    return () => cancelAnimationFrame(request);
  }));
}
