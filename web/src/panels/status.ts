/** The line under the inspector: all is up to date, or what is being done and how to stop it. */

import * as actions from "../store/actions";
import type { Problem, Progress } from "../protocol";
import * as state from "../store/state";
import { button } from "./controls";
import { element, live, rebuild, shown, watch } from "./dom";
import { left, percent, took } from "./format";
import { icon, type IconName } from "./icons";
import { openProblem } from "./trouble";
import { waiting } from "./waiting";

export interface Status {
  kind: "ready" | "busy" | "problem" | "idle";
  text: string;
  detail: string;
  share: number | null;
}

interface Facts {
  waiting: boolean;
  progress: Progress | null;
  problem: Problem | null;
  took: number | null;
}

export function statusOf({ waiting, progress, problem, took: ms }: Facts): Status {
  if (waiting) {
    const share = progress?.share ?? null;
    const parts = [share === null ? "" : percent(share), progress?.left == null ? "" : left(progress.left)];
    return { kind: "busy", text: progress?.text ?? "Working", detail: parts.filter(Boolean).join(", "), share };
  }
  if (problem) return { kind: "problem", text: problem.title, detail: "", share: null };
  if (ms === null) return { kind: "idle", text: "", detail: "", share: null };
  return { kind: "ready", text: "Up to date", detail: took(ms), share: null };
}

const ICONS: Record<Status["kind"], IconName | null> = { ready: "check", problem: "alert", busy: null, idle: null };

export function statusLine(): HTMLElement {
  const now = (): Status =>
    statusOf({
      waiting: waiting.value,
      progress: state.progress.value,
      problem: openProblem(),
      took: state.result.value?.header.took ?? null,
    });
  const mark = element("span", { className: "status-mark" });
  const cancel = button("Cancel", actions.cancel, "button small");
  cancel.append(element("kbd", { textContent: "Esc" }));
  const bar = element("span", { className: "status-bar", role: "progressbar", ariaLabel: "Progress" });
  const made = element(
    "footer",
    { className: "status" },
    bar,
    mark,
    element(
      "span",
      { className: "status-words" },
      live(() => now().text, "status-text"),
      live(() => now().detail, "status-detail"),
    ),
    shown(() => now().kind === "busy", cancel),
  );
  rebuild(mark, () => now().kind, (kind) => [ICONS[kind] ? icon(ICONS[kind]) : null]);
  watch(() => {
    const { kind, share } = now();
    made.dataset["kind"] = kind;
    bar.hidden = kind !== "busy";
    bar.classList.toggle("unknown", share === null);
    bar.ariaValueNow = share === null ? null : String(Math.round(100 * share));
    bar.style.setProperty("--share", String(share ?? 0));
  });
  return made;
}
