/** The line under the inspector: all is up to date, or what is being done and how to stop it. */

import { Button, Icon, type IconName, Progress } from "../../controls";
import type { Problem, Progress as Underway } from "../../protocol";
import * as actions from "../../store/actions";
import * as state from "../../store/state";
import { openProblem } from "../../store/trouble";
import { waiting } from "../../store/waiting";
import { left, percent, took } from "../../words/numbers";

export interface Status {
  kind: "ready" | "busy" | "problem" | "idle";
  text: string;
  detail: string;
  share: number | null;
}

interface Facts {
  /** Whether the server is there; what is shown may be old without it. */
  connected?: boolean;
  waiting: boolean;
  progress: Underway | null;
  problem: Problem | null;
  took: number | null;
}

export function statusOf({ connected = true, waiting, progress, problem, took: ms }: Facts): Status {
  if (!connected) return { kind: "idle", text: "Not connected", detail: "", share: null };
  if (waiting) {
    const share = progress?.share ?? null;
    const parts = [share === null ? "" : percent(share), progress?.left == null ? "" : left(progress.left)];
    return { kind: "busy", text: progress?.text ?? "Working", detail: parts.filter(Boolean).join(", "), share };
  }
  if (problem) return { kind: "problem", text: problem.title, detail: "", share: null };
  if (ms === null) return { kind: "idle", text: "", detail: "", share: null };
  return { kind: "ready", text: "Up to date", detail: took(ms), share: null };
}

const ICONS: Partial<Record<Status["kind"], IconName>> = { ready: "check", problem: "alert" };

export function StatusLine() {
  const { kind, text, detail, share } = statusOf({
    connected: state.link.value !== "gone",
    waiting: waiting.value,
    progress: state.progress.value,
    problem: openProblem(),
    took: state.result.value?.header.took ?? null,
  });
  const icon = ICONS[kind];
  return (
    <footer class="status" data-kind={kind}>
      {kind === "busy" && <Progress class="status-bar" label="Progress" share={share} />}
      <span class="status-mark">{icon && <Icon name={icon} />}</span>
      <span class="status-words">
        <span class="status-text">{text}</span><span class="status-detail">{detail}</span>
      </span>
      {kind === "busy" && <Button class="button small" onClick={actions.cancel}>Cancel<kbd>Esc</kbd></Button>}
    </footer>
  );
}
