/** All that the windows' panels look at, as signals. Only `connection.ts` and `actions.ts` write the first part. */

import { computed, signal } from "@preact/signals";
import type {
  ChangeStep, FailedFile, MethodForm, Problem, Progress, Project, StepEntry, StepResult, Suggested, Welcome,
} from "../protocol";
import { StepTimes, type LiveRun, type PhysicsView, type RetimedClip, type SourceClip } from "./clip";

export type Version = "A" | "B";

// ---- from the server

export const link = signal<"connecting" | "open" | "gone">("connecting");
/** When the next try to reach a server that is gone will be, milliseconds of `Date.now()`. */
export const nextTry = signal(0);
/** Whether a studio answers again that does not know this window. */
export const restarted = signal(false);
export const welcome = signal<Welcome | null>(null);
export const revision = signal(0);
export const committed = signal<Project | null>(null);
export const undoDepth = signal(0);
export const redoDepth = signal(0);
/** What undo takes back and redo makes again, the next one first. */
export const undoNames = signal<string[]>([]);
export const redoNames = signal<string[]>([]);
export const saved = signal(true);
export const projectHash = signal("");
/** Motions whose file was not found, by id. */
export const missing = signal<string[]>([]);
/** Motions as they are in their files, by id. */
export const clips = signal<ReadonlyMap<string, SourceClip>>(new Map());
/** The latest result of either version. */
export const results = signal<Readonly<Record<Version, RetimedClip | null>>>({ A: null, B: null });
export const physics = signal<PhysicsView | null>(null);
export const suggestions = signal<Suggested[]>([]);
export const progress = signal<Progress | null>(null);
export const problems = signal<Problem[]>([]);
/** Whether the result on screen is older than what was asked for. */
export const computing = signal(false);
/** What is being brought in: its name, and the share that has arrived. */
export const loading = signal<{ name: string; share: number | null } | null>(null);

/** Files that were not taken in, and why. */
export const failedFiles = signal<{ file: File; text: string }[]>([]);
/** The same for files that were named when the studio started. */
export const failedAtStart = signal<FailedFile[]>([]);
/** Changes that wait for a server that is gone. */
export const unsent = signal<ChangeStep[]>([]);

// ---- of this window

export const version = signal<Version>("A");
/** A change that is being dragged, or is on its way to the server. */
export const pending = signal<ChangeStep | null>(null);
/** The step that the inspector and the timeline edit. */
export const selectedStep = signal<string | null>(null);
/** Index of the selected keytime of that step. */
export const selectedKey = signal<number | null>(null);
export const hoveredJoint = signal<number | null>(null);

export const time = signal(0); // output seconds
export const playing = signal(false);
export const playbackRate = signal(1);
export const looping = signal(true);
/** The part that is played, output seconds; the whole where there is none. */
export const playRange = signal<[number, number] | null>(null);

export type Layout = "overlay" | "side";
export const layout = signal<Layout>("overlay");
export const showGhosts = signal(true);
export const showTrails = signal(true);
export const showContacts = signal(true);
export const showFeasibility = signal(false);
export const theme = signal<"dark" | "light">("dark");
export const TABS = ["warp", "joints", "poses", "layers", "live"] as const;
export type Tab = (typeof TABS)[number];
export const tab = signal<Tab>("warp");
/** Index of the selected surface in the `keys` of the edited step. */
export const selectedSurface = signal<number | null>(null);
/** The pose that is edited, of the edited step's. */
export const selectedPose = signal<number | null>(null);
/** The joint that is edited in 3D: chosen in the tree, in the view or in a row. */
export const selectedJoint = signal<number | null>(null);
/** The motion that is followed as if it came live, and how that went. */
export const performer = signal<string | null>(null);
export const liveRun = signal<LiveRun | null>(null);
/** What a screen reader is told, politely. */
export const announcement = signal("");

// ---- made of them

/** Whether the server is known to be gone: what needs it is disabled. */
export const offline = computed(() => link.value === "gone");

/** The document with the changes that wait for the server, and the one that is under way. */
export const project = computed<Project | null>(() => {
  const base = committed.value;
  const changes = [...unsent.value, ...(pending.value ? [pending.value] : [])];
  if (!base || !changes.length) return base;
  const versions = { ...base.versions };
  for (const change of changes)
    for (const name of ["A", "B"] as const)
      versions[name] = versions[name].map((step) => (step.id === change.id ? withChange(step, change) : step));
  return { ...base, versions };
});

export function withChange(step: StepEntry, change: ChangeStep): StepEntry {
  const parameters: Record<string, unknown> = { ...step.parameters, ...change.parameters };
  for (const name of Object.keys(parameters)) if (parameters[name] === null) delete parameters[name];
  return {
    ...step,
    parameters,
    weight: change.weight ?? step.weight,
    mute: change.mute ?? step.mute,
    label: change.label ?? step.label,
  };
}

export const steps = computed<StepEntry[]>(() => project.value?.versions[version.value] ?? []);
export const step = computed<StepEntry | null>(() => steps.value.find((s) => s.id === selectedStep.value) ?? null);
export const stepNamed = (id: string): StepEntry | null => steps.value.find((s) => s.id === id) ?? null;
/** The selected step, where it has an editor of its own. */
export const editing = computed<string | null>(() =>
  step.value && (step.value.method === "surface" || step.value.method === "stagger") ? step.value.id : null,
);
export const result = computed<RetimedClip | null>(() => results.value[version.value]);
/** What the result says of a step. */
export const stepResult = (id: string): StepResult | null =>
  result.value?.header.steps.find((s) => s.id === id) ?? null;
export const source = computed<SourceClip | null>(() => {
  const id = project.value?.source;
  return (id && clips.value.get(id)) || null;
});
/** First and last time of what is shown: of the retimed motion, else of the source. */
export const domain = computed<[number, number]>(() => {
  const clip = result.value ?? source.value;
  return clip ? [clip.start, clip.end] : [0, 1];
});
/** What is played: the range as far as the result reaches; a shorter result leaves less of it, or none. */
export const playSpan = computed<[number, number]>(() => {
  const [a, b] = domain.value;
  const [from, to] = playRange.value ?? [a, b];
  const kept: [number, number] = [Math.max(from, a), Math.min(to, b)];
  return kept[0] < kept[1] ? kept : [a, b];
});
export const fps = computed(() => result.value?.fps ?? source.value?.fps ?? 60);
export const methods = computed<ReadonlyMap<string, MethodForm>>(
  () => new Map((welcome.value?.methods ?? []).map((m) => [m.name, m])),
);

/** A keytime of the selected step: output and source seconds. */
export type Key = [number, number];

export function keysOf(step: StepEntry | null): Key[] {
  const listed = step?.parameters?.["keytimes"];
  return Array.isArray(listed) ? (listed as Key[]).map(([a, b]) => [a, b]) : [];
}

/** The selected step's keytimes, in order. */
export const keys = computed<Key[]>(() => keysOf(step.value).sort((a, b) => a[0] - b[0]));
/** How the selected step's own times lie in the source's and the result's. */
export const stepTimes = computed<StepTimes>(
  () => (step.value && result.value?.timesOf(step.value.id)) || new StepTimes(null, null),
);
export const takesKeytimes = (name: string): boolean =>
  methods.value.get(name)?.fields.some((f) => f.name === "keytimes") ?? false;
