/** Export: files of the version that is shown, and a video of the view. */

import { signal } from "@preact/signals";
import type { TargetedMouseEvent } from "preact";
import { Icon, NumberField, Popover } from "../../controls";
import { ofWindow } from "../../store/editable";
import { recipeFor } from "../../store/recipes";
import * as state from "../../store/state";
import type { ViewApi } from "../../viewport/view";
import { digitsFor, number } from "../../words/numbers";
import { download, saveBlob } from "./download";
import { recording, recordOnce } from "./record";

const FORMATS: { format: string; label: string; note: string }[] = [
  { format: "bvh", label: "BVH", note: "Motion for any animation tool" },
  { format: "glb", label: "GLB", note: "For games and the web" },
  { format: "npz", label: "npz", note: "Arrays for Python" },
  { format: "warp", label: "Warp (JSON)", note: "Only the timing, to use on other motions" },
  { format: "recipe", label: "Recipe (JSON)", note: "The steps, to run again with retime" },
  { format: "report", label: "Report (HTML)", note: "What was changed, with pictures" },
];

const NOTHING = "There is nothing to export yet. Open a motion first.";

/** Frame rate of what is exported; the motion's own where there is none. */
export const exportRate = signal<number | null>(null);

export function exportAddress(format: string, version: state.Version, fps: number | null = null): string {
  const asked = { format, version, ...(fps === null ? {} : { fps: String(fps) }) };
  return `/export?${new URLSearchParams(asked).toString()}`;
}

/** Formats that a motion can be written in: its own first, changed in a copy of its file. */
export function formatsFor(path: string): typeof FORMATS {
  const suffix = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
  const own = ["glb", "fbx", "usd", "usda", "usdc", "usdz", "amc", "c3d"].includes(suffix);
  const first = { format: "own", label: suffix.toUpperCase(), note: "A copy of the motion's own file, retimed" };
  return own ? [first, ...FORMATS.filter(({ format }) => format !== suffix)] : FORMATS;
}

/** Motions whose recipe would change something. */
const retimedCount = (): number =>
  Object.keys(state.committed.value?.motions ?? {}).filter((id) => recipeFor(id).some((s) => !s.mute)).length;

export const ExportButton = ({ view }: { view(): ViewApi }) => (
  <Popover
    label="Export" icon="export" class="button filled"
    content={(close) => (
      <>
        <h2 class="popover-title">Export {state.source.value?.header.name} <small>version {state.version.value}</small></h2>
        {state.source.value
          ? <><Rate /><Formats close={close} /><VideoItem {...{ view, close }} /></>
          : <p class="popover-note">{NOTHING}</p>}
      </>
    )}
  >
    <span>Export</span>
  </Popover>
);

function Formats({ close }: { close(): void }) {
  const choose = (event: TargetedMouseEvent<HTMLAnchorElement>, label: string): void => {
    event.preventDefault();
    close();
    void download(event.currentTarget.href, label);
  };
  const project = state.committed.value;
  const count = retimedCount();
  const all = {
    format: "all", label: `All ${count} retimed motions`, note: "Each by its own recipe, clips of one file in one file",
  };
  const formats = [
    ...(count > 1 ? [all] : []), ...formatsFor(project?.motions[project.source ?? ""]?.path ?? ""),
  ];
  const rate = (format: string): number | null =>
    ["warp", "recipe", "report"].includes(format) ? null : exportRate.value;
  return (
    <>
      {formats.map(({ format, label, note }) => (
        <a
          key={format} class="menu-item" href={exportAddress(format, state.version.value, rate(format))} download=""
          onClick={(event) => choose(event, label)}
        >
          <span class="menu-label">{label}<small>{note}</small></span>
        </a>
      ))}
    </>
  );
}

/** The rate that frames are written at. Files that are retimed in place keep their keys. */
function Rate() {
  const own = state.source.value?.fps ?? 60;
  return (
    <div class="export-rate">
      <span>Frame rate</span>
      <NumberField
        label="Export frame rate" unit="fps" digits={2} step={1} minimum={1} maximum={1000}
        placeholder={number(own, digitsFor(own, 0))}
        edit={{
          ...ofWindow<number>(exportRate.value as number, (to) => (exportRate.value = to)),
          value: exportRate.value, clear: () => (exportRate.value = null),
        }}
      />
    </div>
  );
}

function VideoItem({ view, close }: { view(): ViewApi; close(): void }) {
  const stop = recording.value;
  const choose = (): void => {
    close();
    if (stop) stop();
    else void recordOnce(view(), saveBlob);
  };
  return (
    <div class="menu-section">
      <button type="button" class="menu-item" onClick={choose}>
        <Icon name={stop ? "pause" : "video"} />
        <span class="menu-label">
          {stop ? "Stop recording" : "Video of the view (WebM)"}
          <small>{stop ? "The recorded part is kept" : "Plays the range once and records it"}</small>
        </span>
      </button>
    </div>
  );
}
