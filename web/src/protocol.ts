// Made by web/make_protocol.py from retime/studio; changes here are lost.

/** Remove a motion and its recipe from the project; its file stays. */
export interface DropMotion {
  type: "drop_motion";
  id: string;
}

/** Retime this motion, by its own recipe. */
export interface ChooseMotion {
  type: "choose_motion";
  id: string;
}

/** A step that has no name yet. */
export interface NewStep {
  method: string;
  parameters?: Record<string, unknown>;
  weight?: number;
  mute?: boolean;
  label?: string;
}

/** Give motions a recipe: pasted to one, or applied to all. */
export interface SetRecipe {
  type: "set_recipe";
  motions: string[];
  version: "A" | "B";
  steps: NewStep[];
}

/** Add a step at a place, at the end if none is given. */
export interface AddStep {
  type: "add_step";
  version: "A" | "B";
  step: NewStep;
  index?: number | null;
}

/** Remove a step. */
export interface RemoveStep {
  type: "remove_step";
  id: string;
}

/** Move a step to another place of its version. */
export interface MoveStep {
  type: "move_step";
  id: string;
  index: number;
}

/** Change parameters (``null`` restores the default), weight, mute or label of a step. */
export interface ChangeStep {
  type: "change_step";
  id: string;
  parameters?: Record<string, unknown>;
  weight?: number | null;
  mute?: boolean | null;
  label?: string | null;
}

/** Replace all steps of a version, for example by an imported recipe. */
export interface ReplaceSteps {
  type: "replace_steps";
  version: "A" | "B";
  steps: NewStep[];
}

/** Copy one version to the other. */
export interface CopyVersion {
  type: "copy_version";
  to: "A" | "B";
}

/** Set the start time of the sound. */
export interface MoveAudio {
  type: "move_audio";
  offset: number;
}

/** Remove the sound. */
export interface RemoveAudio {
  type: "remove_audio";
}

/** Replace the named sets of joints. */
export interface SetJointSets {
  type: "set_joint_sets";
  sets: Record<string, string[]>;
}

/** Change the document: one step of undo. */
export interface Do {
  type: "do";
  request: number;
  command: Command;
  joins?: number | null;
}

/** Preview the effect of a command in this window during a drag; only the latest counts. */
export interface Preview {
  type: "preview";
  request: number;
  command: Command;
}

/** Discard the preview of a cancelled drag. */
export interface Discard {
  type: "discard";
  request: number;
}

/** Undo the last changes. */
export interface Undo {
  type: "undo";
  count?: number;
}

/** Redo undone changes. */
export interface Redo {
  type: "redo";
  count?: number;
}

/** Write the project file now. */
export interface Save {
  type: "save";
}

/** Show a version in this window, with the data of a step's editor. */
export interface Show {
  type: "show";
  version: "A" | "B";
  editing?: string | null;
  compare?: boolean;
}

/** Stop the computation for this window. */
export interface Cancel {
  type: "cancel";
}

/** Push the watched optimiser toward a rate around a source time. */
export interface Push {
  type: "push";
  time: number;
  rate: number;
}

/** Request data that is not part of a result. */
export interface Ask {
  type: "ask";
  request: number;
  question: "suggestions" | "physics" | "watch" | "live";
  step?: string | null;
  motion?: string | null;
}

/** Add a bundled motion to the project. */
export interface Sample {
  type: "sample";
  request: number;
  name: string;
}

/** Give the new path of a motion's file under the root, or search for it by its hash. */
export interface Locate {
  type: "locate";
  request: number;
  id: string;
  path?: string | null;
}

/** Try again to load a file that was named when the studio started. */
export interface Retry {
  type: "retry";
  request: number;
  path: string;
}

/** Remove a file that could not be loaded from the list. */
export interface Forget {
  type: "forget";
  path: string;
}

/** Show a running ``retime live`` in this window; no address ends it. */
export interface Listen {
  type: "listen";
  request: number;
  address: string | null;
}

/** A choice of a field: its value in a recipe, its label in a menu, and its effect. */
export interface FieldChoice {
  value: string;
  label: string;
  help: string;
}

/** One parameter of a method, as a form shows it. */
export interface FormField {
  name: string;
  label: string;
  help: string;
  kind: "number" | "integer" | "flag" | "choice" | "text" | "keytimes" | "pairs" | "range" | "motion" | "motions" | "joints" | "rows" | "data";
  unit: string;
  default: unknown;
  required: boolean;
  minimum: number | null;
  maximum: number | null;
  choices: FieldChoice[];
  metavar: string | null;
  advanced: boolean;
  shared: boolean;
  slider: [number, number] | null;
  step: number;
  ends: [string, string] | null;
}

/** A method and its form. */
export interface MethodForm {
  name: string;
  title: string;
  summary: string;
  fields: FormField[];
}

/** First message to a window. */
export interface Welcome {
  type: "welcome";
  project: string;
  methods: MethodForm[];
  samples: Record<string, string>;
  formats: string[];
  root: string;
  version: string;
  most_upload: number;
}

/** A motion of the project: the path of its file under the root, and its content. */
export interface MotionEntry {
  name: string;
  path: string;
  sha256: string;
  animation?: string | null;
}

/** A step of a recipe, with a name by which commands can tell it from others. */
export interface StepEntry {
  id: string;
  method: string;
  parameters?: Record<string, unknown>;
  weight?: number;
  mute?: boolean;
  label?: string;
}

/** Sound that belongs to the motion; ``offset`` is the motion's time at which it starts. */
export interface Audio {
  name: string;
  path: string;
  sha256: string;
  offset?: number;
}

/** The document: motions, which of them is retimed, and the two versions of its recipe. */
export interface Project {
  motions: Record<string, MotionEntry>;
  source: string | null;
  versions: Record<"A" | "B", StepEntry[]>;
  audio: Audio | null;
  recipes: Record<string, Record<"A" | "B", StepEntry[]>>;
  joint_sets: Record<string, string[]>;
}

/** A file that was named when the studio started and could not be loaded, with the reason. */
export interface FailedFile {
  path: string;
  name: string;
  text: string;
}

/** The document as it is now; ``request`` is the change that this window requested. */
export interface DocumentState {
  type: "document";
  revision: number;
  project: Project;
  undo: number;
  redo: number;
  saved: boolean;
  hash: string;
  missing: string[];
  failed: FailedFile[];
  undo_names: string[];
  redo_names: string[];
  request?: number | null;
}

/** Progress of a computation; a fraction of ``None`` is unknown. */
export interface Progress {
  type: "progress";
  request: number | null;
  text: string;
  share?: number | null;
  left?: number | null;
}

/** A problem: what, why and how to fix it. The document is unchanged. */
export interface Problem {
  type: "problem";
  title: string;
  text: string;
  request?: number | null;
  step?: string | null;
  stopped?: boolean;
}

/** A moment whose timing matters. */
export interface Suggested {
  time: number;
  weight: number;
}

/** The answer to a question that needs no arrays. */
export interface Answer {
  type: "answer";
  request: number;
  suggestions?: Suggested[];
}

/** The live server sends no more frames; ``request`` is the one that asked for them. */
export interface LiveServerOver {
  type: "live-server-over";
  request: number;
}

/** A joint that stands still, from when to when. */
export interface ContactBar {
  joint: string;
  point: number;
  start: number;
  end: number;
  given: [number, number];
  sure: number;
}

/** One array of a frame, float32. */
export interface Block {
  name: string;
  shape: number[];
}

/** A motion as it is in its file. Points are its joints, then its end sites. */
export interface MotionHeader {
  type: "motion";
  id: string;
  name: string;
  sha256: string;
  fps: number;
  start: number;
  duration: number;
  joints: string[];
  parents: number[];
  roles: (string | null)[];
  limbs: (string | null)[];
  ends: number[];
  height: number;
  ground: number;
  scale: number;
  contacts: ContactBar[];
  notes: string[];
  mesh: boolean;
  cycle: boolean;
  nodes: number[];
  arrays: Block[];
}

/** Result of one step: a line for the list, its notes, and its cost. */
export interface StepResult {
  id: string;
  line: string;
  notes: string[];
  given: [number, number];
  made: [number, number];
  costs: Record<string, number>;
}

/** A surface key in 3D: a plane through ``base``, spanned by ``across`` and ``up``. */
export interface SurfaceKeyView {
  index: number;
  time: number;
  joints: string[];
  shift: number;
  made: number;
  arrived: number;
  off: number;
  start: number;
  end: number;
  room: [number, number];
  base: number[];
  across: number[];
  up: number[];
  along: number[];
  pace: number;
  weights: number[];
}

/** Data for the surface editor of the step that a window edits. */
export interface SurfaceEditor {
  type: "surface";
  step: string;
  keys: SurfaceKeyView[];
  notes: string[];
}

/** Data for the poses editor of the step that a window edits. */
export interface PosesEditor {
  type: "poses";
  step: string;
  channels: string[];
  joints: number[];
  free: number[];
  found: number;
  notes: string[];
  counted: (number | null)[];
  layers: number;
  weights: number[];
}

/** The retimed motion. */
export interface ResultHeader {
  type: "result";
  version: "A" | "B";
  revision: number;
  request: number | null;
  source: string;
  fps: number;
  start: number;
  duration: number;
  took: number;
  contacts: ContactBar[];
  contacts_step: string | null;
  flights: ([number, number])[];
  notes: string[];
  steps: StepResult[];
  interim: boolean;
  editor: SurfaceEditor | PosesEditor | null;
  arrays: Block[];
}

/** An infeasible part, in the times of source and output. */
export interface ViolationRow {
  start: number;
  end: number;
  output_start: number;
  output_end: number;
  cause: string;
  text: string;
  mend: string;
  rate: number;
  feasible_rate: number | null;
}

/** Physics of the version shown, at the frames of the physics step's input. */
export interface PhysicsHeader {
  type: "physics";
  version: "A" | "B";
  revision: number;
  request: number;
  least: number | null;
  most: number | null;
  mass: number;
  friction: number;
  violations: ViolationRow[];
  notes: string[];
  arrays: Block[];
}

/** The result of following a performer's motion, with the source as the recording. */
export interface LiveHeader {
  type: "live";
  request: number;
  performer: string;
  reference: string;
  method: string;
  score: Record<string, number | null>;
  moments: number[][];
  arrays: Block[];
}

/** A frame of a running ``retime live``. */
export interface LiveServerHeader {
  type: "live-server";
  request: number;
  reference: string | null;
  time: number;
  rate: number;
  heard: number;
  confidence: number;
  late: number | null;
  state: string;
  performer_joints: string[];
  partner_joints: string[];
  arrays: Block[];
}

export type Command = DropMotion | ChooseMotion | SetRecipe | AddStep | RemoveStep | MoveStep | ChangeStep | ReplaceSteps | CopyVersion | MoveAudio | RemoveAudio | SetJointSets;

export type ClientMessage = Do | Preview | Discard | Undo | Redo | Save | Show | Cancel | Push | Ask | Sample | Locate | Retry | Forget | Listen;

export type ServerMessage = Welcome | DocumentState | Progress | Problem | Answer | LiveServerOver;

export type FrameHeader = MotionHeader | ResultHeader | PhysicsHeader | LiveHeader | LiveServerHeader;
