/** What the timeline shows: one picture of the signals, made anew when one of them changes. */

import { computed } from "@preact/signals";
import type { MethodForm, StepEntry, StepResult } from "../../protocol";
import type { PhysicsView, RetimedClip, SourceClip, StepTimes } from "../../store/clip";
import { contactRows, contactsStep, selectedContact, type ContactRow } from "../../store/contacts";
import { shownBeats, soundBegin } from "../../store/sound";
import * as state from "../../store/state";
import { openSuggestions } from "../../store/suggested";
import { timeUnit } from "../../words/units";
import { fieldOf, limitsOf, type Limits } from "../warp/limits";
import type { Room } from "../warp/room";

export interface Scene {
  result: RetimedClip | null;
  source: SourceClip | null;
  /** First and last time of the output, and of the source. */
  output: [number, number];
  span: [number, number];
  fps: number;
  step: StepEntry | null;
  form: MethodForm | null;
  keys: state.Key[];
  /** How the step's times, which keys and ends are in, lie on the axes. */
  times: StepTimes;
  selected: number | null;
  /** Suggested keytimes that are not keytimes yet. */
  suggestions: state.Key[];
  /** What the step holds fixed. */
  ends: [state.Key, state.Key] | null;
  limits: Limits;
  /** Source moment and speed, where the step's method takes them. */
  rates: state.Key[] | null;
  physics: PhysicsView | null;
  showsForce: boolean;
  contacts: ContactRow[];
  range: [number, number] | null;
  /** Output time at which the sound starts. */
  soundBegin: number;
  /** Output times of the music's beats; keytimes are drawn to them. */
  beats: readonly number[];
  editable: boolean;
}

export const scene = computed<Scene>(() => {
  const result = state.result.value;
  const source = state.source.value;
  const step = state.step.value;
  const form = step ? (state.methods.value.get(step.method) ?? null) : null;
  const keys = state.keys.value;
  const selected = state.selectedKey.value;
  void timeUnit.value; // read-outs and the ruler follow it
  const span: [number, number] = source ? [source.start, source.end] : knotSpan(result);
  return {
    result,
    source,
    output: state.domain.value,
    span,
    fps: state.fps.value,
    step,
    form,
    keys,
    times: state.stepTimes.value,
    selected: selected !== null && selected < keys.length ? selected : null,
    suggestions: openSuggestions.value.map(({ key }) => key),
    ends: result || source ? fixedEnds(step, form, result, span) : null,
    limits: limitsOf(step, form),
    rates: fieldOf(form, "rates") ? pairs(step?.parameters?.["rates"]) : null,
    physics: result ? state.physics.value : null,
    showsForce: step?.method === "physics",
    contacts: (void selectedContact.value, contactRows(result, source, state.selectedJoint.value, contactsStep())),
    range: state.playRange.value,
    soundBegin: soundBegin(),
    beats: shownBeats(),
    editable: state.link.value !== "gone",
  };
});

/** The room of a key between its neighbours, or null where the step has none. */
export function roomOf({ keys, ends, limits, fps }: Scene, index: number): Room | null {
  if (!ends || !keys[index]) return null;
  return { before: keys[index - 1] ?? ends[0], after: keys[index + 1] ?? ends[1], limits, gap: 1 / fps };
}

/** Speed of the step's input at a time of its output, over a thirtieth of a second. */
export function rateAt({ result, times }: Scene, output: number): number {
  if (!result) return 1;
  const [a, b] = [output - 1 / 60, output + 1 / 60].map((t) => {
    const shown = Math.min(Math.max(times.toResult(t), result.start), result.end);
    return [times.fromResult(shown), times.fromSource(result.sourceAt(shown))] as const;
  }) as [readonly [number, number], readonly [number, number]];
  return b[0] > a[0] ? (b[1] - a[1]) / (b[0] - a[0]) : 1;
}

const pairs = (value: unknown): state.Key[] => (Array.isArray(value) ? (value as state.Key[]) : []);

const knotSpan = (result: RetimedClip | null): [number, number] =>
  result?.source.length ? [result.source[0]!, result.source[result.source.length - 1]!] : [0, 1];

/** A duration under way counts at once; what the last result found is only asked where none is given. */
function fixedEnds(
  step: StepEntry | null, form: MethodForm | null, result: RetimedClip | null, span: [number, number],
): [state.Key, state.Key] {
  const found = result?.header.steps.find(({ id }) => id === step?.id);
  const range = fieldOf(form, "keytimes") ? step?.parameters?.["range"] : null;
  const [from, to] = Array.isArray(range) ? (range as [number, number]) : (found?.given ?? span);
  const duration = fieldOf(form, "duration") ? step?.parameters?.["duration"] : null;
  if (typeof duration === "number") return [[from, from], [from + duration, to]];
  if (Array.isArray(range)) return [[from, from], [found ? from + (to - from) + lengthened(found) : to, to]];
  return [[found?.made[0] ?? result?.start ?? from, from], [found?.made[1] ?? result?.end ?? to, to]];
}

/** How much longer a step made the whole: what its range gained, where the rest ripples. */
const lengthened = ({ given, made }: StepResult): number => made[1] - made[0] - (given[1] - given[0]);
