/** Ways out: files of the version that is shown, and a video of the view. */

import * as actions from "../store/actions";
import * as state from "../store/state";
import type { ViewApi } from "../viewport/view";
import { element, rebuild, type Child } from "./dom";
import { icon } from "./icons";
import { attachPopover } from "./popover";
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

export function exportButton(view: () => ViewApi): HTMLElement {
  const made = element(
    "button",
    { type: "button", className: "button filled" },
    icon("export"),
    element("span", { textContent: "Export" }),
  );
  attachPopover(made, "Export", (close) => [
    element("h2", { className: "popover-title", textContent: `Export version ${state.version.value}` }),
    ...(state.source.value
      ? [...FORMATS.map((f) => formatLink(f, close)), videoButton(view(), close)]
      : [element("p", { className: "popover-note", textContent: NOTHING })]),
  ]);
  return made;
}

function formatLink({ format, label, note }: (typeof FORMATS)[number], close: () => void): Child {
  const link = element(
    "a",
    { className: "menu-item", href: exportAddress(format, state.version.value), download: "" },
    element("span", { className: "menu-label" }, label, element("small", { textContent: note })),
  );
  link.onclick = (event) => {
    event.preventDefault();
    close();
    void download(link.href, label);
  };
  return link;
}

/** Fetch and save: a plain link would save the server's refusal as if it were the file. */
async function download(address: string, label: string): Promise<void> {
  try {
    const reply = await fetch(address);
    if (!reply.ok) {
      const said = (await reply.json().catch(() => null)) as { title?: string; text?: string } | null;
      actions.fail(said?.title ?? `${label} was not written`, said?.text ?? "The server could not make the file.");
      return;
    }
    const named = /filename\*=UTF-8''([^;]+)/.exec(reply.headers.get("Content-Disposition") ?? "")?.[1];
    saveBlob(await reply.blob(), named ? decodeURIComponent(named) : "retimed");
  } catch {
    actions.fail(`${label} was not written`, "The server does not answer. Try again when it is back.");
  }
}

function saveBlob(blob: Blob, name: string): void {
  const href = URL.createObjectURL(blob);
  element("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}

// ---- video

function videoButton(view: ViewApi, close: () => void): HTMLElement {
  const host = element("div", { className: "menu-section" });
  rebuild(host, () => recording.value !== null, (busy) => {
    const made = element(
      "button",
      { type: "button", className: "menu-item" },
      icon(busy ? "pause" : "video"),
      element(
        "span",
        { className: "menu-label" },
        busy ? "Stop recording" : "Video of the view (WebM)",
        element("small", { textContent: busy ? "What was recorded is kept" : "Plays the range once and records it" }),
      ),
    );
    made.onclick = () => {
      close();
      if (recording.value) recording.value();
      else void recordOnce(view, saveBlob);
    };
    return [made];
  });
  return host;
}
