/** The one WebSocket: requests out, documents, progress and frames in; it comes back by itself. */

import { batch, effect } from "@preact/signals";
import type { ClientMessage, Command, ServerMessage } from "../protocol";
import { LiveRun, PhysicsView, RetimedClip, SourceClip } from "./clip";
import { comparing } from "./compare";
import { endServer, leaveServer, receiveServerFrame } from "./live_server";
import * as state from "./state";
import { keepUnsent, takeUpUnsent, tellNotApplied } from "./unsent";
import { tellVerdict } from "./verdicts";
import { parseFrame } from "./wire";

const LONGEST_WAIT = 8000; // milliseconds between two tries

let socket: WebSocket | null = null;
let wait = 250;
let timer = 0;
let counter = 0;
/** The latest request, the last one that ended a drag, and the one whose result is on screen. */
let wanted = 0;
let settled = 0;
let shown = 0;

export const nextRequest = (): number => ++counter;

export function send(message: ClientMessage): boolean {
  if (socket?.readyState !== WebSocket.OPEN) return false;
  socket.send(JSON.stringify(message));
  return true;
}

/**
 * Expect a result. While a drag goes on, whatever is newer than what is on screen is shown, so that a slow method still
 * follows the hand; a drag that is kept or given up (`settles`) makes all results of it stale.
 */
export function want(request: number, settles: boolean): void {
  wanted = request;
  if (settles) settled = request;
  state.computing.value = true;
}

/**
 * Send a command that changes the document; false where the server is gone. It is part of the undo step that made the
 * revision `joins`, if nothing has changed since.
 */
export function run(command: Command, joins: number | null = null): boolean {
  const request = nextRequest();
  if (!send({ type: "do", request, command, joins })) {
    putOff(command);
    return false;
  }
  want(request, true);
  return true;
}

export function connect(): void {
  window.clearTimeout(timer);
  socket?.close();
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const opened = new WebSocket(`${scheme}://${location.host}/ws`);
  opened.binaryType = "arraybuffer";
  socket = opened;
  opened.onopen = () => {
    wait = 250;
    state.link.value = "open";
    state.restarted.value = false;
    show();
  };
  opened.onmessage = ({ data }) => {
    if (opened !== socket) return;
    if (typeof data === "string") receive(JSON.parse(data) as ServerMessage);
    else receiveFrame(data as ArrayBuffer);
  };
  opened.onclose = () => {
    if (opened !== socket) return;
    finishTyping();
    tellVerdict({ request: Infinity, refused: null }); // what was let go waits no longer: it is kept for later
    batch(() => {
      state.link.value = "gone";
      state.pending.value = null; // what was not committed goes back to what was
      state.computing.value = false;
      state.progress.value = null;
      leaveServer();
      state.nextTry.value = Date.now() + wait;
    });
    timer = window.setTimeout(connect, wait);
    wait = Math.min(2 * wait, LONGEST_WAIT);
    void fetch("/", { method: "HEAD" }).then(
      (reply) => (state.restarted.value = reply.status === 403), // another studio, which this key does not open
      () => (state.restarted.value = false),
    );
  };
}

/** A field that is being typed into keeps its value before it is disabled: that waits with the other changes. */
function finishTyping(): void {
  const focused = document.activeElement as HTMLElement | null | undefined;
  if (focused?.matches("input, textarea")) focused.blur();
}

/** The server is gone: a changed value waits for it; anything else is said not to have happened. */
function putOff(command: Command): void {
  batch(() => {
    state.pending.value = null;
    if (command.type === "change_step") state.unsent.value = [...state.unsent.value, command];
    else {
      const text = "The server does not answer. Do it again when it is back.";
      state.problems.value = [...state.problems.value, { type: "problem", title: "Not applied", text }];
    }
  });
}

/** Send what was typed while the server was gone; a step that is gone too takes its changes along. */
function sendWaiting(): void {
  const waiting = state.unsent.value;
  if (!waiting.length || state.link.value !== "open") return;
  state.unsent.value = [];
  const ids = new Set(Object.values(state.committed.value?.versions ?? {}).flat().map((step) => step.id));
  const lost = waiting.filter(({ id }) => !ids.has(id));
  for (const command of waiting) if (ids.has(command.id)) run(command);
  if (lost.length) tellNotApplied(lost, "The step was removed meanwhile.");
}

/** Say what this window shows: its version, and the step whose editor is open. */
export function show(): void {
  send({
    type: "show", version: state.version.peek(), editing: state.editing.peek(), compare: comparing.peek(),
  });
}

/** Connect, and tell from then on what this window shows. */
export function start(): void {
  keepUnsent();
  connect();
  effect(() => {
    void [state.editing.value, comparing.value];
    show();
  });
}

function receive(message: ServerMessage): void {
  batch(() => {
    switch (message.type) {
      case "welcome":
        state.welcome.value = message;
        break;
      case "document":
        if (message.request != null && message.request >= wanted) state.pending.value = null;
        if (state.committed.value && message.revision < state.revision.value) break;
        if (!state.committed.value) takeUpUnsent(message.hash);
        // Results of another motion would be taken for this one's.
        if (message.project.source !== state.committed.value?.source) state.results.value = { A: null, B: null };
        state.revision.value = message.revision;
        state.committed.value = message.project;
        state.undoDepth.value = message.undo;
        state.redoDepth.value = message.redo;
        state.undoNames.value = message.undo_names;
        state.redoNames.value = message.redo_names;
        state.saved.value = message.saved;
        state.projectHash.value = message.hash;
        state.missing.value = message.missing;
        state.failedAtStart.value = message.failed;
        keepSelection();
        sendWaiting();
        dropProblems((step) => !known.has(step)); // what is gone needs no mending
        break;
      case "progress":
        state.progress.value = message;
        break;
      case "answer":
        if (message.suggestions) state.suggestions.value = message.suggestions;
        break;
      case "live-server-over":
        endServer(message.request);
        break;
      case "problem":
        endServer(message.request);
        if (message.request != null && message.request < wanted && message.step) break;
        // A drag goes on through what cannot be computed: only what is kept gets a card, one for each step.
        if (message.request != null && message.request > settled && state.pending.value) {
          state.computing.value = false;
          state.progress.value = null;
          if (!message.stopped) tellVerdict({ request: message.request, refused: message.text });
          break;
        }
        if (!message.stopped)
          state.problems.value = [...state.problems.value.filter((p) => !p.step || p.step !== message.step), message];
        if (message.request != null && message.request >= wanted) state.pending.value = null;
        state.computing.value = false;
        state.progress.value = null;
        state.loading.value = null;
        break;
    }
  });
}

/** Take back what was said about steps: it is true no longer. */
function dropProblems(over: (step: string) => boolean): void {
  const left = state.problems.value.filter(({ step }) => !step || !over(step));
  if (left.length < state.problems.value.length) state.problems.value = left;
}

/** A selected step that is gone is selected no longer; one that was just added is. */
function keepSelection(): void {
  const ids = state.steps.value.map((s) => s.id);
  const before = known;
  known = new Set(Object.values(state.committed.value?.versions ?? {}).flatMap((s) => s.map((x) => x.id)));
  const added = ids.filter((id) => !before.has(id));
  if (before.size && added.length === 1) state.selectedStep.value = added[0]!;
  else if (!ids.includes(state.selectedStep.value ?? "")) state.selectedStep.value = ids[0] ?? null;
  const count = state.keys.value.length;
  if (state.selectedKey.value !== null && state.selectedKey.value >= count) state.selectedKey.value = null;
}
let known = new Set<string>();

function receiveFrame(data: ArrayBuffer): void {
  const { header, arrays } = parseFrame(data);
  batch(() => {
    switch (header.type) {
      case "motion":
        state.clips.value = new Map(state.clips.value).set(header.id, new SourceClip(header, arrays));
        state.loading.value = null;
        break;
      case "result": {
        if (header.request !== null && header.request < Math.max(settled, shown)) break;
        if (header.request === null && state.pending.value) break;
        if (header.source !== state.committed.value?.source) break;
        if (header.request !== null) shown = header.request;
        state.results.value = { ...state.results.value, [header.version]: new RetimedClip(header, arrays) };
        const last = header.request === null || header.request >= wanted;
        if (header.version === state.version.value && !header.interim && last) {
          dropProblems(() => true);
          state.computing.value = false;
          state.progress.value = null;
        }
        const [a, b] = state.domain.value;
        state.time.value = Math.min(Math.max(state.time.value, a), b);
        if (header.request !== null && !header.interim) tellVerdict({ request: header.request, refused: null });
        break;
      }
      case "live":
        state.liveRun.value = new LiveRun(header, arrays);
        break;
      case "live-server":
        receiveServerFrame(header, arrays);
        break;
      case "physics":
        if (header.version === state.version.value) state.physics.value = new PhysicsView(header, arrays);
        break;
    }
  });
}
