/** Whether feet stay where they stood, and how far they slip all the same. */

import { Field, Select } from "../../controls";
import { optionsOf } from "../../store/choices";
import * as state from "../../store/state";
import { number } from "../../words/numbers";
import { namedParameter } from "../form/parameter";
import { slip } from "./slip";

/** More than the recording's own by this much is seen, metres. */
const SEEN = 0.003;

export function ContactsGroup({ step }: { step: string }) {
  const parameter = namedParameter(step, "stagger", "constraints");
  if (!parameter) return null;
  const { label, choices } = parameter.field;
  const value = String(parameter.value);
  return (
    <div class="field-group">
      <Field label={label}>
        <Select {...{ label, value }} options={optionsOf(choices)} onChange={(chosen) => parameter.set(chosen)} />
      </Field>
      <span class="caption">{slipText(value)}</span>
    </div>
  );
}

function slipText(constraints: string): string {
  const [result, source] = [state.result.value, state.source.value];
  if (!result?.contacts.length || !source) return "";
  const [now, recorded] = [slip(result), slip(source)];
  const far = (metres: number): string => `${number(1000 * metres, metres < 0.01 ? 1 : 0)} mm`;
  if (now <= recorded + SEEN && constraints !== "free")
    return `Contacts hold${now > SEEN ? " as recorded" : ""}; they slip by ${far(now)}`;
  return `Contacts slip by up to ${far(now)}; the recording's by ${far(recorded)}`;
}
