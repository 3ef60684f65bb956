/** Of steps that hold contacts: each joint's contacts as numbers, to switch, type, add and delete. */

import { Button, IconButton, NumberField, Section, Switch } from "../../controls";
import type { ContactBar } from "../../protocol";
import * as contacts from "../../store/contacts";
import { ofStep } from "../../store/editable";
import * as state from "../../store/state";
import { timeReader } from "../../store/times";
import type { MethodPanel } from "../form/form";

export const holdPanel: MethodPanel = { replaces: ["contacts", "contacts_only"], Below: Contacts };

function Contacts({ step }: { step: string }) {
  const holder = contacts.contactsStep();
  if (holder?.id !== step)
    return <p class="note">The contacts on the timeline are held by another step, or this one is muted.</p>;
  const rows = contacts.contactRows(state.result.value, state.source.value, state.selectedJoint.value, holder);
  const edited = holder.parameters?.["contacts"] !== undefined;
  return (
    <Section
      id="hold-contacts" title="Contacts" caption={edited ? "edited" : "as found"}
      actions={edited && <Button class="button small quiet" onClick={contacts.forgetContacts}>Use those found</Button>}
    >
      {rows.map((row) => <JointContacts key={row.joint} {...{ step, row }} />)}
      {rows.length === 0 && <p class="empty-note">There are no contacts. Select a joint to add one.</p>}
    </Section>
  );
}

function JointContacts({ step, row }: { step: string; row: contacts.ContactRow }) {
  const { joint, label, bars, off } = row;
  const turns = new Map(bars.map((bar) => [bar.given.join(), bar]));
  const canSwitch = off || bars.length > 0;
  return (
    <div class="contact-joint" role="group" aria-label={`Contacts of ${label}`}>
      <div class="contact-head">
        <span class="contact-name">{label}</span>
        <IconButton
          icon="plus" label={`Add a contact of ${label} at the playhead`}
          onClick={() => contacts.addContact(joint, state.time.value)}
        />
        {canSwitch && <Switch label={`Contacts of ${label}`} on={!off} onChange={() => contacts.switchJoint(joint)} />}
      </div>
      {[...turns.values()].map((bar, k) => <ContactTimes key={k} {...{ step, bar }} name={`${label} ${k + 1}`} />)}
    </div>
  );
}

function ContactTimes({ step, bar, name }: { step: string; bar: ContactBar; name: string }) {
  const shown = (): ContactBar[] => state.result.value?.contacts ?? [];
  const end = (side: 0 | 1) => (
    <NumberField
      label={`Contact of ${name}, ${side ? "end" : "start"}`} unit="s"
      parse={timeReader("source", () => step)}
      edit={ofStep(step, bar.given[side], (to: number) => {
        const next: contacts.Stretch = side ? [bar.given[0], to] : [to, bar.given[1]];
        if (next[0] >= next[1]) return null;
        const own = contacts.stretchesOf(shown(), bar.joint).filter(([a]) => Math.abs(a - bar.given[0]) > 1e-3);
        return {
          parameters: contacts.parametersWith(contacts.contactsStep(), shown(), bar.joint, [...own, next]),
        };
      })}
    />
  );
  return (
    <div class="contact-times">
      {end(0)}<span class="caption">to</span>{end(1)}
      <IconButton
        icon="close" label={`Delete contact of ${name}`}
        onClick={() => contacts.deleteContact({ joint: bar.joint, given: bar.given })}
      />
    </div>
  );
}
