/** Export: files of the version that is shown, and a video of the view. */

import type { TargetedMouseEvent } from "preact";
import { Icon, Popover } from "../../controls";
import * as state from "../../store/state";
import type { ViewApi } from "../../viewport/view";
import { download, saveBlob } from "./download";
import { recording, recordOnce } from "./record";

const FORMATS: { format: string; label: string; note: string }[] = [
  { format: "bvh", label: "BVH", note: "Motion for any animation tool" },
  { format: "glb", label: "GLB", note: "Motion with its mesh, where the file had one" },
  { format: "npz", label: "npz", note: "Arrays for Python" },
  { format: "warp", label: "Warp (JSON)", note: "Only the timing, to use on other motions" },
  { format: "recipe", label: "Recipe (JSON)", note: "The steps, to run again with retime" },
  { format: "report", label: "Report (HTML)", note: "What was changed, with pictures" },
];

const NOTHING = "There is nothing to export yet. Open a motion first.";

export const exportAddress = (format: string, version: state.Version): string =>
  `/export?${new URLSearchParams({ format, version }).toString()}`;

export const ExportButton = ({ view }: { view(): ViewApi }) => (
  <Popover
    label="Export" icon="export" class="button filled"
    content={(close) => (
      <>
        <h2 class="popover-title">Export version {state.version.value}</h2>
        {state.source.value
          ? <><Formats close={close} /><VideoItem {...{ view, close }} /></>
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
  return (
    <>
      {FORMATS.map(({ format, label, note }) => (
        <a
          key={format} class="menu-item" href={exportAddress(format, state.version.value)} download=""
          onClick={(event) => choose(event, label)}
        >
          <span class="menu-label">{label}<small>{note}</small></span>
        </a>
      ))}
    </>
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
          <small>{stop ? "What was recorded is kept" : "Plays the range once and records it"}</small>
        </span>
      </button>
    </div>
  );
}
