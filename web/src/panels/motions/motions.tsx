/** The project's motions: the one that is retimed is cyan; a file that was moved can be found again. */

import { useSignal } from "@preact/signals";
import { Button, classes, Icon, IconButton, IconToggle, MenuButton, type MenuRow, Online, openMenuAt, Section } from "../../controls";
import * as actions from "../../store/actions";
import { meshNotes } from "../../store/mesh_notes";
import * as state from "../../store/state";
import { recipeFor } from "../../store/recipes";
import { count, seconds, sentence } from "../../words/numbers";
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
        {Object.entries(project?.motions ?? {}).map(([id, { name }]) => <MotionItem key={id} {...{ id, name }} />)}
        {state.failedFiles.value.map(({ file, text }) => <FailedItem key={file.name} {...{ file, text }} />)}
      </ul>
      <div>{project?.audio && <SoundItem name={project.audio.name} />}</div>
    </Section>
  );
}

const sampleRows = (): MenuRow[] => [
  { heading: "Bundled motions" },
  ...Object.entries(state.welcome.value?.samples ?? {}).map(
    ([name, note]): MenuRow => ({ label: sentence(name), note, icon: "file", run: () => actions.openSample(name) }),
  ),
];

function MotionItem({ id, name }: { id: string; name: string }) {
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
          <span class="motion-name" title={[name, ...notes.map(sentence)].join("\n")}>{name}</span>
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
const FailedItem = ({ file, text }: { file: File; text: string }) => (
  <li class="motion failed" aria-label={`${file.name} was not loaded`}>
    <span class="motion-use">
      <span class="motion-mark"><Icon name="warning" /></span>
      <span class="failed-words"><span class="motion-name" title={file.name}>{file.name}</span><span class="caption">{text}</span></span>
    </span>
    <Online><Button class="button small" onClick={() => void actions.upload([file])}>Retry</Button></Online>
    <IconButton icon="close" label={`Remove ${file.name} from the list`} onClick={() => actions.dropFailed(file)} />
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
