/** Problems, at the top of the view until they are dismissed; the document is unchanged by them. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button, GONE, Icon, IconButton } from "../../controls";
import type { Problem } from "../../protocol";
import * as actions from "../../store/actions";
import { connect } from "../../store/connection";
import * as state from "../../store/state";
import { unsentWords } from "../../store/unsent";
import { sentence } from "../../words/sentence";

const MOST_SHOWN = 3;

export const Cards = () => (
  <div class="cards">
    <div class="card-list" role="alert">
      {state.problems.value.slice(-MOST_SHOWN).map((problem, k) => (
        <ProblemCard key={`${k} ${problem.title}`} problem={problem} />
      ))}
    </div>
    <div class="card-list">{state.missing.value.map((id) => <MissingCard key={id} id={id} />)}</div>
  </div>
);

/** Long enough to be read twice: milliseconds, and more for each character. */
const READING = { least: 8000, each: 60 };

function dismissProblem(problem: Problem): void {
  state.problems.value = state.problems.value.filter((other) => other !== problem);
}

function ProblemCard({ problem }: { problem: Problem }) {
  const copied = useSignal("Copy details");
  const held = useSignal(false);
  const dismiss = (): void => dismissProblem(problem);
  // What a step has against its values stays while that is true; a word about what was done leaves by itself.
  const leaves = !problem.step && !held.value;
  useEffect(() => {
    if (!leaves) return undefined;
    const timer = setTimeout(() => dismissProblem(problem), READING.least + READING.each * problem.text.length);
    return () => clearTimeout(timer);
  }, [leaves, problem]);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(detailsOf(problem));
      copied.value = "Copied";
    } catch {
      copied.value = "The browser refused";
    }
  };
  return (
    <section
      class="card problem" aria-label={problem.title} onPointerEnter={() => (held.value = true)}
      onPointerLeave={() => (held.value = false)} onFocusIn={() => (held.value = true)}
      onFocusOut={() => (held.value = false)}
    >
      <Icon name="alert" />
      <div class="card-words">
        <h2>{problem.title}</h2>
        <p>{sentence(problem.text)}</p>
        <div class="card-actions">
          <Button onClick={dismiss}>Dismiss</Button>
          <Button class="button quiet" onClick={() => void copy()}>{copied.value}</Button>
        </div>
      </div>
      <IconButton icon="close" label="Dismiss" onClick={dismiss} />
    </section>
  );
}

const detailsOf = ({ title, text, step }: Problem): string =>
  [title, sentence(text), step && `Step ${step}`, `retime ${state.welcome.value?.version ?? ""}`, navigator.userAgent]
    .filter(Boolean).join("\n");

function MissingCard({ id }: { id: string }) {
  const motion = state.committed.value?.motions[id];
  const path = useSignal(motion?.path ?? "");
  const title = `${motion?.name ?? id} was moved or changed`;
  const locate = (): void => {
    if (path.value.trim()) actions.locate(id, path.value.trim());
  };
  return (
    <section class="card" aria-label={title}>
      <Icon name="warning" />
      <div class="card-words">
        <h2>{title}</h2>
        <p>Search for a file with its content, or use the file at a path.</p>
        <div class="card-actions">
          <Button onClick={() => actions.locate(id, null)}>Search</Button>
          <input
            type="text" class="text" aria-label="Path under the root" placeholder="path/to/motion.bvh"
            value={path.value} onInput={(event) => (path.value = event.currentTarget.value)}
            onKeyDown={({ key }) => key === "Enter" && locate()}
          />
          <Button class="button quiet" onClick={locate}>Use this file</Button>
        </div>
      </div>
    </section>
  );
}

/** Counts down to the next try to reach the server; looking and playing go on meanwhile. */
export const GoneBar = () => (state.offline.value ? <Countdown /> : null);

function goneWords(next: string): string {
  const unsent = unsentWords(state.unsent.value);
  const waits = unsent && ` Not applied yet: ${unsent}.`;
  return state.restarted.value
    ? `The studio was restarted. Open the address that it printed to continue.${waits}`
    : `The server does not answer, so nothing can be changed. ${next}${waits}`;
}

function Countdown() {
  const now = useSignal(Date.now());
  useEffect(() => {
    const timer = setInterval(() => (now.value = Date.now()), 250);
    return () => clearInterval(timer);
  }, [now]);
  const wait = Math.max(0, Math.ceil((state.nextTry.value - now.value) / 1000));
  const next = wait > 0 ? `Next try in ${wait} s.` : "Trying now.";
  return (
    <div class="gone" role="status" id={GONE}>
      <Icon name="warning" />
      <span>{goneWords(next)}</span>
      <Button onClick={connect}>Try now</Button>
    </div>
  );
}
