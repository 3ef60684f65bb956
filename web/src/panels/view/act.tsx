/** The bar on which a timing is acted out: left is the start of the source, right its end. */

import type { TargetedKeyboardEvent, TargetedPointerEvent } from "preact";
import { useRef } from "preact/hooks";
import { IconButton } from "../../controls";
import { act, acting, beginActing, finishActing, stopActing } from "../../store/acting";
import * as state from "../../store/state";
import { seconds } from "../../words/numbers";

export function ActBar() {
  const begun = useRef(0);
  const held = useRef(false);
  const now = acting.value;
  if (!now) return null;
  const [from, to] = now.span;
  const at = now.samples.at(-1)?.[1] ?? from;
  const record = (source: number): void => {
    const time = performance.now() / 1000;
    if (!acting.value?.samples.length) begun.current = time;
    act(time - begun.current, Math.min(Math.max(source, from), to));
  };
  const sourceUnder = ({ currentTarget, clientX }: TargetedPointerEvent<HTMLElement>): number => {
    const box = currentTarget.getBoundingClientRect();
    return from + ((clientX - box.left) / box.width) * (to - from);
  };
  const press = (event: TargetedPointerEvent<HTMLElement>): void => {
    event.currentTarget.setPointerCapture(event.pointerId);
    held.current = true;
    beginActing();
    record(sourceUnder(event));
  };
  const move = (event: TargetedPointerEvent<HTMLElement>): void => {
    if (held.current) record(sourceUnder(event));
  };
  const release = (): void => {
    if (!held.current) return;
    held.current = false;
    if (acting.value?.samples.length) record(acting.value.samples.at(-1)![1]);
    finishActing();
  };
  const key = (event: TargetedKeyboardEvent<HTMLElement>): void => {
    const step = { ArrowRight: 1, PageDown: 5 }[event.key];
    if (step) record(at + step / state.fps.value);
    else if (event.key === "Enter") finishActing();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const pace = state.playbackRate.value;
  return (
    <div class="act" role="group" aria-label="Act the timing out">
      <span class="act-words">
        <strong>Act it out</strong> Drag from left to right in the rhythm that you want
        {pace === 1 ? "" : `, played back at ${1 / pace} times the speed`}. What you leave out keeps its speed.
      </span>
      <div
        class="act-bar" role="slider" tabIndex={0} aria-label="Moment of the source" aria-valuemin={from}
        aria-valuemax={to} aria-valuenow={at} aria-valuetext={seconds(at)} onPointerDown={press} onPointerMove={move}
        onPointerUp={release} onPointerCancel={release} onKeyDown={key}
      >
        <span class="act-done" style={{ width: `${(100 * (at - from)) / (to - from)}%` }} />
        <span class="act-ends" aria-hidden="true"><span>{seconds(from)}</span><span>{seconds(to)}</span></span>
      </div>
      <IconButton icon="close" label="Close the bar" onClick={stopActing} />
    </div>
  );
}
