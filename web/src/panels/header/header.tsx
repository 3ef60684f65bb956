/** The bar at the top: what is open, whether it is saved, undo and redo, the two versions, and export. */

import { Icon, IconButton, Logo, MenuButton, type MenuRow, Online } from "../../controls";
import * as actions from "../../store/actions";
import * as state from "../../store/state";
import type { ViewApi } from "../../viewport/view";
import { count } from "../../words/numbers";
import { ExportButton } from "../export/export";
import { openHelp } from "../help/help";
import { inspectorOpen } from "../page/layout";
import { switchTheme } from "./theme";
import { VersionSwitch } from "./versions";

export const Header = ({ view }: { view(): ViewApi }) => (
  <header class="header" role="banner">
    <span class="brand"><Logo /><span>retime</span></span>
    <Title />
    <SaveState />
    <span class="divider" />
    <History name="undo" label="Undo" keys="Ctrl+Z" depth={state.undoDepth.value} next={state.undoNames.value[0]} />
    <History name="redo" label="Redo" keys="Ctrl+Shift+Z" depth={state.redoDepth.value} next={state.redoNames.value[0]} />
    <Online><MenuButton icon="down" label="History" class="icon-button history-list" rows={historyRows} /></Online>
    <span class="header-middle"><VersionSwitch /></span>
    <ThemeButton />
    <IconButton icon="help" label="Help and keys (?)" onClick={openHelp} />
    <IconButton
      icon="sliders" label="Parameters" class="drawer-button" aria-expanded={inspectorOpen.value}
      onClick={() => (inspectorOpen.value = !inspectorOpen.value)}
    />
    <Online><ExportButton view={view} /></Online>
  </header>
);

function Title() {
  const project = state.committed.value;
  const name = state.welcome.value?.project;
  return (
    <h1 class="title">
      {name && <span class="title-project"><span>{name}</span>{"  /  "}</span>}
      <span class="title-motion">{(project?.source && project.motions[project.source]?.name) || "No motion"}</span>
    </h1>
  );
}

type Saved = "Saved" | "Saving" | "Not saved";

/** The server writes by itself soon after a change: only without it something stays unsaved. */
export function savedWord(saved: boolean, open: boolean, underway: boolean): Saved {
  if (saved && !underway) return "Saved";
  return open ? "Saving" : "Not saved";
}

function SaveState() {
  if (!state.committed.value) return null;
  const underway = state.pending.value !== null || state.unsent.value.length > 0;
  const word = savedWord(state.saved.value, state.link.value === "open", underway);
  return (
    <Online>
      <button type="button" class="save-state" data-state={word} title="Save now (Ctrl+S)" onClick={actions.save}>
        <span class="dot" /><span>{word}</span>
      </button>
    </Online>
  );
}

interface HistoryProps {
  name: "undo" | "redo";
  label: string;
  keys: string;
  depth: number;
  /** What would be taken back or made again. */
  next: string | undefined;
}

function History({ name, label, keys, depth, next }: HistoryProps) {
  const words = next ? `${label}: ${next}` : label;
  return (
    <button
      type="button" class="history" disabled={depth === 0 || state.link.value !== "open"} title={`${words} (${keys})`}
      aria-label={`${words}, ${count(depth, "change")}`} onClick={() => actions[name]()}
    >
      <Icon name={name} /><span>{depth}</span>
    </button>
  );
}

/** All that can be taken back or made again, the latest first; the line between them is now. */
function historyRows(): MenuRow[] {
  const redo = state.redoNames.value.map((label, k): MenuRow => ({
    label: `${count(k + 1, "change")} ahead: ${label}`, icon: "redo", run: () => actions.redo(k + 1),
  }));
  const undo = state.undoNames.value.map((label, k): MenuRow => ({
    label: k ? `${k + 1}. ${label}` : label, icon: "undo", note: k ? "" : "The last change",
    run: () => actions.undo(k + 1),
  }));
  const none = "No changes yet";
  return [...redo.reverse(), { heading: undo.length ? "Undo up to and including" : none }, ...undo];
}

function ThemeButton() {
  const dark = state.theme.value === "dark";
  const label = dark ? "Use the light theme" : "Use the dark theme";
  return <IconButton icon={dark ? "sun" : "moon"} label={label} onClick={switchTheme} />;
}
