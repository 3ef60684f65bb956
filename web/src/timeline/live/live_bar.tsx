/** The bar over the live plots: who performs, who plays along, follow, a transport of live time, a live server. */

import { effect, signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { Button, Icon, IconButton, type Option, Select } from "../../controls";
import { advance } from "../../store/playback";
import * as actions from "../../store/actions";
import {
  liveBodies, liveDomain, liveNote, livePlaying, liveRun, liveTime, partner, seekLive, toggleLive,
} from "../../store/live";
import { listening } from "../../store/live_server";
import * as state from "../../store/state";
import { seconds } from "../../words/numbers";
import { ServerField, ServerReadout, ServerWords } from "./live_server_bar";

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

export function LiveBar() {
  useEffect(waitForAnswers, []);
  useEffect(runLive, []);
  return (
    <div class="live-bar" role="toolbar" aria-label="Live">
      {listening.value === "off" && (
        <div class="live-follow">{needsMotion() ? <LonelyWords /> : <><Choices /><LiveTransport /><Readouts /></>}</div>
      )}
      <ServerField /><ServerReadout /><ServerWords />
    </div>
  );
}

const LonelyWords = () => (
  <p class="live-words">
    {state.source.value
      ? "Open a second motion to follow it as if it were live, or connect to a running retime live."
      : "Open a motion to follow a performer in it, or connect to a running retime live."}
  </p>
);

function Choices() {
  const performer = candidate();
  const partners = [{ value: "", label: "None" }, ...others().filter((o) => o.value !== performer)];
  const isOffered = partners.some((o) => o.value === partner.value);
  useEffect(() => {
    if (partner.value && !isOffered) partner.value = null;
  }, [isOffered]);
  const follow = (): void => {
    following.value = true;
    livePlaying.value = false;
    actions.followLive(performer);
  };
  return (
    <>
      <Labelled name="Performer">
        <Select label="Performer" options={others()} value={performer} onChange={(id) => (chosen.value = id)} />
      </Labelled>
      {others().length > 1 && (
        <Labelled
          name="Partner"
          title="Motion recorded together with the recording, shown at the followed time"
        >
          <Select
            label="Partner, shown in the recording's place" options={partners} value={partner.value ?? ""}
            onChange={(id) => (partner.value = id || null)}
          />
        </Labelled>
      )}
      <Button disabled={following.value || state.link.value === "gone" || !performer} onClick={follow}>
        {following.value ? "Following…" : "Follow"}
      </Button>
    </>
  );
}

const Labelled = (
  { name, title, children }: { name: string; title?: string; children: ComponentChildren },
) => <label class="live-choice" title={title}><span>{name}</span>{children}</label>;

const LiveTransport = () => (
  <span class="live-transport">
    <IconButton
      icon="to-start" label="To the start (Home)" disabled={!liveRun.value}
      onClick={() => seekLive(liveDomain.value[0])}
    />
    <IconButton
      class="live-play" icon={livePlaying.value ? "pause" : "play"} disabled={!liveRun.value} onClick={toggleLive}
      label={livePlaying.value ? "Pause (Space)" : "Play live time (Space)"}
    />
  </span>
);

/** What both bodies show, with their colours. */
function Readouts() {
  const bodies = liveBodies.value;
  const name = state.committed.value?.motions[liveRun.value?.header.performer ?? ""]?.name ?? "";
  return (
    <>
      {bodies && (
        <span class="live-chips">
          <span class="live-chip"><span class="swatch original" /><span>{name} at {seconds(liveTime.value)}</span></span>
          <span class="live-chip">
            <span class="swatch retimed" /><span>{bodies.reference.header.name} shows {seconds(bodies.shows)}</span>
          </span>
        </span>
      )}
      {liveNote.value && <span class="live-note"><Icon name="alert" /><span>{liveNote.value}</span></span>}
    </>
  );
}

/** An answer, or what stands against it, ends the waiting; a new run starts at its beginning. */
function waitForAnswers(): () => void {
  let problems = 0;
  const failed = effect(() => {
    const now = state.problems.value.length;
    if (now > problems || state.link.value === "gone") following.value = false;
    problems = now;
  });
  const answered = effect(() => {
    if (!state.liveRun.value) return;
    following.value = false;
    liveTime.value = liveDomain.peek()[0];
    livePlaying.value = false;
  });
  return () => {
    failed();
    answered();
  };
}

/** Live time runs by the wall clock while it plays, and only while its tab is open. */
function runLive(): () => void {
  return effect(() => {
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
  });
}
