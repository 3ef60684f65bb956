/** Beside Follow: where a running `retime live` is, and what it says while this window listens to it. */

import { signal } from "@preact/signals-core";
import { button } from "../../panels/controls";
import { assign, element, live, shown, watch } from "../../panels/dom";
import { number, percent, seconds } from "../../panels/format";
import type { LiveServerHeader } from "../../protocol";
import * as actions from "../../store/actions";
import { livePlaying } from "../../store/live";
import { listening, serverNote, serverReading } from "../../store/live_server";
import * as state from "../../store/state";
import { sayLate } from "./live_score";

/** What was typed; it holds a key, so nothing but this window keeps it. */
const address = signal("");

const WORDS = { off: "Connect", connecting: "Cancel", on: "Disconnect" };

export function serverField(): HTMLElement {
  const field = element("input", {
    type: "text", className: "text", ariaLabel: "retime live address", placeholder: "http://127.0.0.1:8765/?token=…",
    title: "The address that retime live --feed prints, key included", autocomplete: "off", spellcheck: false,
  });
  const connect = button(live(() => WORDS[listening.value]), () => {
    if (listening.value !== "off") actions.stopListening();
    else go();
  });
  const go = (): void => {
    const typed = address.value.trim();
    if (!typed || state.link.value === "gone") return;
    livePlaying.value = state.playing.value = false;
    actions.listenTo(typed);
  };
  field.oninput = () => (address.value = field.value);
  field.onkeydown = ({ key }) => {
    if (key === "Enter" && listening.value === "off") go();
  };
  watch(() => {
    assign(field, { value: address.value, readOnly: listening.value !== "off" });
    connect.disabled = listening.value === "off" && (!address.value.trim() || state.link.value === "gone");
  });
  return element(
    "span",
    { className: "live-server", role: "group", ariaLabel: "retime live" },
    element("label", { className: "live-choice" }, element("span", { textContent: "retime live address" }), field),
    connect,
  );
}

/** State, time, rate, confidence and deviation, as label and value. */
export function serverRows({ state: what, reference, time, rate, confidence, late }: LiveServerHeader): [string, string][] {
  return [
    ["State", reference ? `${what}, ${reference} at ${seconds(time)}` : what],
    ["Rate", `${number(rate)}×`],
    ["Confidence", percent(confidence)],
    ["Deviation", late === null ? "–" : sayLate(late)],
  ];
}

export function serverReadout(): HTMLElement {
  const value = (k: number): string => (serverReading.value ? serverRows(serverReading.value)[k]![1] : "");
  const chips = ["State", "Rate", "Confidence", "Deviation"].map((name, k) =>
    element(
      "span",
      { className: "live-chip live-reading", data: { reading: name.toLowerCase() } },
      element("span", { className: "live-reading-name", textContent: name }),
      live(() => value(k)),
    ));
  const made = element("span", { className: "live-chips", role: "group", ariaLabel: "Live server" }, ...chips);
  return shown(() => serverReading.value !== null, made);
}

/** What there is to say while nothing is shown. */
export function serverWords(): HTMLElement {
  const words = (): string => (listening.value === "connecting" ? "Connecting…" : serverNote.value);
  return shown(() => words() !== "", live(words, "live-chip"));
}
