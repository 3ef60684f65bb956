/** What the whole step does beside its keys: feet that keep their time, stretched limbs; and which way time goes. */

import { Field, NumberField, Select, Switch } from "../../controls";
import * as actions from "../../store/actions";
import * as state from "../../store/state";
import { changeSurface, surfaceEditor, surfaceKeys } from "../../store/surface";
import { namedParameter } from "../form/parameter";
import { ofKey } from "./field";
import { heading, turnBetween, turnedBy } from "./heading";

export function LockFeet({ step }: { step: string }) {
  const root = namedParameter(step, "surface", "root")?.value;
  const locked = root === "lock" || (root === "auto" && !isWholeBody());
  const free = root === "auto" ? "the whole body is dragged" : "root and legs follow";
  const set = (on: boolean): void =>
    actions.change(step, {
      parameters: on ? { root: "lock", constraints: "hold" } : { root: "follow", constraints: "free" },
    });
  return (
    <Field
      label="Lock feet" data-surface="feet"
      help="The root and the legs that are not dragged keep their time, and feet stay where they stood."
    >
      <span class="surface-flag">
        <span class="caption">{locked ? "root and legs keep time" : free}</span>
        <Switch label="Lock feet" on={locked} onChange={set} />
      </span>
    </Field>
  );
}

/** Left to itself, a drag that takes the hips along is one of the whole body: its feet are not locked. */
function isWholeBody(): boolean {
  const hips = state.source.value?.header.roles.indexOf("hips") ?? -1;
  return (surfaceEditor.value?.keys ?? []).some((key) => Math.abs(key.weights[hips] ?? 0) > 1e-6);
}

export function CartoonField({ step }: { step: string }) {
  const parameter = namedParameter(step, "surface", "cartoon");
  if (!parameter) return null;
  const share = parameter.number ?? 0;
  return (
    <Field
      label="Cartoon stretch" data-surface="cartoon"
      help="Joints move to their source positions, and bones stretch to them."
    >
      <span class="surface-flag">
        {share > 0 && (
          <NumberField
            label="Share of the stretch" unit="%" whole step={1} minimum={0} maximum={100}
            edit={parameter.editable(100 * share, (percent) => percent / 100)}
          />
        )}
        <Switch
          label="Cartoon stretch" on={share > 0} onChange={(on) => (on ? parameter.set(1) : parameter.reset())}
        />
      </span>
    </Field>
  );
}

const WAYS = [{ value: "heading", label: "Heading" }, { value: "turned", label: "Turned by" }];

/** Which way the figure is seen along time: its heading, or turned from it. */
export function DirectionField({ index }: { index: number }) {
  const given = surfaceKeys.value[index]?.direction;
  const degrees = given ? Math.round(turnBetween(heading(), given)) : 0;
  const choose = (way: string): void =>
    changeSurface(index, { direction: way === "heading" ? null : turnedBy(heading(), 90) });
  return (
    <Field
      label="Time direction" data-surface="direction"
      help="Direction from which the figure is seen. Turn it for motion that goes sideways or backwards."
    >
      <span class="surface-direction">
        <Select label="Time direction" options={WAYS} value={given ? "turned" : "heading"} onChange={choose} />
        <NumberField
          label="Turned from the heading" unit="°" whole step={1} minimum={-180} maximum={180}
          edit={ofKey(index, degrees, (_, turn) => ({ direction: turnedBy(heading(), turn) }))}
        />
      </span>
    </Field>
  );
}
