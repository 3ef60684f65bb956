/** Beside Follow: the address of a running `retime live`, and what it reports while this window listens to it. */

import { signal } from "@preact/signals";
import { Button } from "../../controls";
import type { LiveServerHeader } from "../../protocol";
import * as actions from "../../store/actions";
import { livePlaying } from "../../store/live";
import { listening, serverNote, serverReading } from "../../store/live_server";
import * as state from "../../store/state";
import { number, percent, seconds } from "../../words/numbers";
import { sayLate } from "./live_score";

/** What was typed; it holds a key, so only this window keeps it. */
const address = signal("");

const WORDS = { off: "Connect", connecting: "Cancel", on: "Disconnect" };

function connect(): void {
  const typed = address.value.trim();
  if (!typed || state.link.value === "gone") return;
  livePlaying.value = state.playing.value = false;
  actions.listenTo(typed);
}

export function ServerField() {
  const off = listening.value === "off";
  return (
    <span class="live-server" role="group" aria-label="retime live">
      <label class="live-choice">
        <span>retime live address</span>
        <input
          type="text" class="text" aria-label="retime live address" placeholder="http://127.0.0.1:8765/?token=…"
          title="The address that retime live --feed prints, key included" autocomplete="off" spellcheck={false}
          value={address.value} readOnly={!off} onInput={(event) => (address.value = event.currentTarget.value)}
          onKeyDown={({ key }) => key === "Enter" && off && connect()}
        />
      </label>
      <Button
        disabled={off && (!address.value.trim() || state.link.value === "gone")}
        onClick={off ? connect : actions.stopListening}
      >
        {WORDS[listening.value]}
      </Button>
    </span>
  );
}

/** State, time, rate, confidence and deviation, as label and value. */
export function serverRows(header: LiveServerHeader): [string, string][] {
  const { state: what, reference, time, rate, confidence, late } = header;
  return [
    ["State", reference ? `${what}, ${reference} at ${seconds(time)}` : what],
    ["Rate", `${number(rate)}×`],
    ["Confidence", percent(confidence)],
    ["Deviation", late === null ? "–" : sayLate(late)],
  ];
}

export function ServerReadout() {
  if (!serverReading.value) return null;
  return (
    <span class="live-chips" role="group" aria-label="Live server">
      {serverRows(serverReading.value).map(([name, value]) => (
        <span key={name} class="live-chip live-reading" data-reading={name.toLowerCase()}>
          <span class="live-reading-name">{name}</span><span>{value}</span>
        </span>
      ))}
    </span>
  );
}

/** What there is to say while nothing is shown. */
export function ServerWords() {
  const words = listening.value === "connecting" ? "Connecting…" : serverNote.value;
  return words ? <span class="live-chip">{words}</span> : null;
}
