/** The project's motions: the one that is retimed is cyan; a file that was moved can be found again. */

import { useSignal } from "@preact/signals";
import { Fragment } from "preact";
import { Button, classes, Icon, IconButton, IconToggle, MenuButton, type MenuRow, Online, openMenuAt, Section } from "../../controls";
import type { MotionEntry } from "../../protocol";
import * as actions from "../../store/actions";
import { meshNotes } from "../../store/mesh_notes";
import * as state from "../../store/state";
import { recipeFor } from "../../store/recipes";
import { failed, type Failed } from "../../store/uploads";
import { count, seconds, titled } from "../../words/numbers";
import { sentence } from "../../words/sentence";
import { Notes } from "../form/form";
import { recipeRows } from "../recipe/clipboard";
import { chooseFiles } from "./files";

export function MotionsSection() {
  const project = state.committed.value;
  return (
    <Section
      id="motions" title="Motions"
      actions={(
        <Online>
          <MenuButton icon="more" label="Bundled motions" name="Motions" rows={sampleRows} />
          <IconButton icon="plus" label="Open files" onClick={chooseFiles} />
        </Online>
      )}
    >
      <ul class="motions" aria-label="Motions">
        {listed(project?.motions ?? {}).map(({ id, name, clip, file }) => (
          <Fragment key={id}>
            {file && <li class="motion-file" title={file}>{file}</li>}
            <MotionItem {...{ id, name, clip }} />
          </Fragment>
        ))}
        {failed.value.map((file) => <FailedItem key={file.id} {...file} />)}
      </ul>
      <div>{project?.audio && <SoundItem name={project.audio.name} />}</div>
    </Section>
  );
}

interface Listed {
  id: string;
  name: string;
  /** Its name in a file of several clips, which stand below the name of the file. */
  clip: string | null;
  /** The file, where this is the first of its clips. */
  file: string | null;
}

/** Clips of one file by their own names: with the file's name before each of them, long ones would look the same. */
export function listed(motions: Record<string, MotionEntry>): Listed[] {
  const all = Object.entries(motions);
  return all.map(([id, { name, path, animation }], k) => {
    const together = animation != null && all.filter(([, other]) => other.path === path).length > 1;
    const first = together && all[k - 1]?.[1].path !== path;
    return { id, name, clip: together ? animation : null, file: first ? (path.split("/").at(-1) ?? path) : null };
  });
}

const sampleRows = (): MenuRow[] => [
  { heading: "Bundled motions" },
  ...Object.entries(state.welcome.value?.samples ?? {}).map(
    ([name, note]): MenuRow => ({ label: titled(name), note, icon: "file", run: () => actions.openSample(name) }),
  ),
];

function MotionItem({ id, name, clip: own }: { id: string; name: string; clip: string | null }) {
  const gone = state.missing.value.includes(id);
  const isSource = state.committed.value?.source === id;
  const clip = state.clips.value.get(id);
  const steps = recipeFor(id).length;
  const notes = clip?.header.notes ?? [];
  const mesh = meshNotes.value.get(id);
  const open = useSignal(false);
  return (
    <li
      class={classes("motion", gone && "missing", isSource && "selected")}
      onContextMenu={(event) => openMenuAt(event, name, motionRows(id))}
    >
      <Online>
        <button
          type="button" class="motion-use" aria-current={isSource}
          aria-label={isSource ? `${name}, is retimed` : `Retime ${name}`} onClick={() => isSource || retime(id)}
        >
          <span class="motion-mark">{isSource ? <span class="swatch original" /> : <Icon name="file" />}</span>
          <span class="motion-name" title={[name, ...notes.map(sentence)].join("\n")}>{own ?? name}</span>
        </button>
      </Online>
      {steps > 0 && <span class="motion-steps" title="Steps of its recipe">{count(steps, "step")}</span>}
      {mesh && (
        <IconToggle
          icon="alert" label={`Notes about ${name}`} on={open.value} onClick={() => (open.value = !open.value)}
        />
      )}
      <Online>
        {gone
          ? <Button class="button small" onClick={() => actions.locate(id, null)}>Find</Button>
          : <span class="caption">{clip && seconds(clip.duration)}</span>}
        <MenuButton icon="more" label={`What to do with ${name}`} name={name} rows={() => motionRows(id)} />
      </Online>
      {mesh && open.value && <Notes notes={[...notes, mesh]} />}
    </li>
  );
}

/** A file that was not taken in stays, with the reason, until it is removed or taken in. */
const FailedItem = ({ name, text, retry, remove }: Failed) => (
  <li class="motion failed" aria-label={`${name} was not loaded`}>
    <span class="motion-use">
      <span class="motion-mark"><Icon name="warning" /></span>
      <span class="failed-words"><span class="motion-name" title={name}>{name}</span><span class="caption">{sentence(text)}</span></span>
    </span>
    <Online>
      <Button class="button small" onClick={retry}>Retry</Button>
      <IconButton icon="close" label={`Remove ${name} from the list`} onClick={remove} />
    </Online>
  </li>
);

const retime = (id: string): void => void actions.run({ type: "choose_motion", id });

const motionRows = (id: string): MenuRow[] => [
  { label: "Retime this motion", disabled: state.project.value?.source === id, run: () => retime(id) },
  { label: "Find its file again", run: () => actions.locate(id, null) },
  ...recipeRows(id),
  { heading: "File" },
  {
    label: "Remove from the project", icon: "close", note: "Its file stays",
    run: () => void actions.run({ type: "drop_motion", id }),
  },
];

const SoundItem = ({ name }: { name: string }) => (
  <div class="motion">
    <span class="motion-use">
      <span class="motion-mark"><Icon name="play" /></span><span class="motion-name">{name}</span>
    </span>
    <Online>
      <IconButton icon="close" label="Remove the sound" onClick={() => actions.run({ type: "remove_audio" })} />
    </Online>
  </div>
);
