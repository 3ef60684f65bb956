/** The view before there is a motion: what to do first, and what is being loaded. */

import { Button, Icon, Online, Progress } from "../../controls";
import * as actions from "../../store/actions";
import { isServerShown } from "../../store/live_server";
import * as state from "../../store/state";
import { failed } from "../../store/uploads";
import { percent } from "../../words/numbers";
import { sentence } from "../../words/sentence";
import { chooseFiles } from "../motions/files";

/** Bundled motions to begin with; the menu of the motions has all. */
const TRY: Record<string, string> = { jump: "Try the jump", swing: "Try the golf swing" };

/** Files whose reasons the view gives; the list of motions has all. */
const MOST_REASONS = 3;

export const isEmpty = (): boolean =>
  !state.project.value?.source && state.loading.value === null && !isServerShown.value;
/** A motion is on its way: being sent, or known by the document and not yet here. */
export function isLoading(): boolean {
  const source = state.project.value?.source;
  const expected = Boolean(source) && !state.source.value && !state.missing.value.includes(source!);
  return state.loading.value !== null || expected;
}

export function EmptyState() {
  if (!isEmpty() || !state.committed.value) return null;
  const samples = state.welcome.value?.samples ?? {};
  return (
    <section class="empty" aria-label="Open a motion">
      <h2>Drop a motion here</h2>
      <p>{formats()}. Nothing leaves this computer.</p>
      <div class="empty-why" role="status">
        {failed.value.slice(-MOST_REASONS).map(({ id, name, text }) => (
          <p key={id}><strong>{name}</strong> was not loaded. {sentence(text)}</p>
        ))}
        {failed.value.length > MOST_REASONS && <p>See Motions for {failed.value.length - MOST_REASONS} more.</p>}
      </div>
      <Online><div class="empty-actions">
        <Button class="button filled" onClick={chooseFiles}><Icon name="folder" />Open file</Button>
        <span class="sample-buttons">
          {Object.entries(TRY).filter(([name]) => name in samples).map(([name, label]) => (
            <Button key={name} onClick={() => actions.openSample(name)}>{label}</Button>
          ))}
        </span>
      </div></Online>
    </section>
  );
}

/** What the server reads, as people write it: "BVH, GLB, GLTF or NPZ". */
function formats(): string {
  const motions = (state.welcome.value?.formats ?? []).filter((name) => name !== ".json");
  const sounds = motions.indexOf(".wav");
  const names = motions.slice(0, sounds < 0 ? undefined : sounds).map((name) => name.slice(1).toUpperCase());
  return names.length > 1 ? `${names.slice(0, -1).join(", ")} or ${names.at(-1)}` : (names[0] ?? "Motions");
}

export function LoadingState() {
  if (!isLoading()) return null;
  const [project, loading, progress] = [state.project.value, state.loading.value, state.progress.value];
  const share = loading?.share ?? progress?.share ?? null;
  const cancel = (): void => {
    actions.cancel();
    state.loading.value = null;
  };
  return (
    <section class="loading" aria-label="Loading">
      <div class="loading-head">
        <Icon name="file" />
        <span class="loading-name">{loading?.name ?? project?.motions[project.source ?? ""]?.name}</span>
        <span class="caption">{progress?.text ?? (share !== null && percent(share))}</span>
      </div>
      <Progress class="loading-bar" label="Loading" share={share} />
      <div class="grey-block tall" />
      <div class="grey-blocks">{Array.from({ length: 8 }, (_, k) => <div key={k} class="grey-block" />)}</div>
      <div class="loading-foot"><Button onClick={cancel}>Cancel<kbd>Esc</kbd></Button></div>
    </section>
  );
}
