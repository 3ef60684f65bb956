/** The two versions of the recipe, to compare: each named by its first step that counts, and how many follow. */

import { MenuButton, type MenuRow, Online } from "../../controls";
import type { StepEntry } from "../../protocol";
import * as actions from "../../store/actions";
import * as state from "../../store/state";

export function versionName(steps: StepEntry[], titles: ReadonlyMap<string, { title: string }>): string {
  const [first, ...more] = steps.filter((s) => !s.mute);
  if (!first) return "Original";
  const name = first.label || titles.get(first.method)?.title || first.method;
  return more.length ? `${name} +${more.length}` : name;
}

const copyRows = (): MenuRow[] => [
  { label: "Copy A to B", run: () => actions.run({ type: "copy_version", to: "B" }) },
  { label: "Copy B to A", run: () => actions.run({ type: "copy_version", to: "A" }) },
];

export const VersionSwitch = () => (
  <div class="segments versions" role="group" aria-label="Version">
    <VersionButton version="A" />
    <VersionButton version="B" />
    <Online><MenuButton icon="down" label="Copy one version to the other" name="Versions" rows={copyRows} /></Online>
  </div>
);

function VersionButton({ version }: { version: state.Version }) {
  const name = versionName(state.committed.value?.versions[version] ?? [], state.methods.value);
  return (
    <button
      type="button" class="segment" aria-pressed={state.version.value === version}
      title={`Version ${version}: ${name}`} onClick={() => actions.showVersion(version)}
    >
      <span class="version-letter">{version}</span> <span class="version-name">{name}</span>
    </button>
  );
}
