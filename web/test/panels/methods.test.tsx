/** @vitest-environment happy-dom */
/** What each method's panel adds to its generated form. */

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { StepForm } from "../../src/panels/form/form";
import { METHOD_PANELS } from "../../src/panels/inspector/method_panels";
import { jointSets, scopedJoints } from "../../src/panels/poses/selection";
import { toolShown } from "../../src/panels/poses/tool";
import type { FormField } from "../../src/protocol";
import { RetimedClip, type PhysicsView, type SourceClip } from "../../src/store/clip";
import * as state from "../../src/store/state";
import { close, drawn, field, method, mount, named, open, press, sent, type, words } from "../dom";

vi.mock("../../src/store/connection", async () => (await import("../dom")).fakeConnection());

const JOINTS = ["Hips", "RightArm", "RightHand", "LeftHand"];

/** A source of some seconds, with a skeleton. */
const source = (seconds: number): SourceClip => ({
  start: 0, end: seconds, duration: seconds, fps: 60, frames: 0, points: 4, contacts: [],
  header: {
    sha256: "x", name: "Jump", joints: JOINTS, parents: [-1, 0, 1, 0],
    roles: ["hips", "right_upper_arm", "right_hand", "left_hand"], limbs: [null, "right_arm", "right_arm", "left_arm"],
  },
}) as unknown as SourceClip;

/** A result that shows the source as it is, with what it says of its step. */
function result(step: object, header: object = {}): RetimedClip {
  const ramp = Float32Array.from([0, 2]);
  const times = Float32Array.from({ length: 121 }, (_, k) => k / 60);
  const blocks = { positions: new Float32Array(3 * times.length), times, output: ramp, source: ramp };
  const steps = [{ id: "s1", notes: [], costs: {}, line: "", given: [0, 2], made: [0, 2], ...step }];
  return new RetimedClip({ fps: 60, contacts: [], ...header, steps } as never, new Map(Object.entries(blocks)));
}

const TWEEN = method(
  "tween",
  field({ name: "tweens", choices: words({ rest: "Rest pose", next: "Next pose" }) }),
  field({ name: "eases", choices: words({ hold: "Hold", settle: "Settle" }) }),
);

function show(name: string, parameters: Record<string, unknown>, ...fields: FormField[]): HTMLElement {
  const form = method(name, ...fields);
  open([form, TWEEN], { parameters });
  state.clips.value = new Map([["m1", source(2)], ["m2", source(3)]]);
  return mount(<StepForm step="s1" form={form} panel={METHOD_PANELS[name] ?? {}} />);
}

const changed = (): unknown => (sent.at(-1)?.["command"] as { parameters: unknown } | undefined)?.parameters;

beforeEach(() => localStorage.clear());
afterEach(() => {
  state.physics.value = null;
  state.clips.value = new Map();
  close();
});

describe("guided", () => {
  it("offers suggested keytimes one by one or all, and compares costs", async () => {
    const host = show("guided", {}, field({ name: "keytimes", label: "Keytimes", kind: "keytimes" }));
    state.results.value = { A: result({ costs: { guided: 2, uniform: 4 } }), B: null };
    state.suggestions.value = [{ time: 0.5, weight: 2 }, { time: 1.5, weight: 1 }];
    await drawn();
    expect(host.querySelectorAll(".suggestion")).toHaveLength(2);
    expect([...host.querySelectorAll(".bar-row")].map((e) => [e.textContent, e.classList.contains("own")])).toEqual(
      [["Guided2.0", true], ["Uniform4.0", false]],
    );
    named("Add all").click();
    expect(changed()).toEqual({ keytimes: [[0.5, 0.5], [1.5, 1.5]] });
    named("Add a keytime at 1.50 s").click();
  });
});

describe("align", () => {
  it("compares the lengths of both takes", () => {
    const host = show("align", { reference: "motion:m2" });
    expect(host.querySelector(".note")?.textContent).toBe("The reference lasts 3.00 s, 150 % of this motion.");
  });
});

describe("physics", () => {
  const fields = [
    field({ name: "duration", label: "Duration", unit: "s", ends: ["", ""] }),
    field({ name: "gravity", label: "Gravity", default: 9.81 }),
    field({ name: "mass_scale", label: "Masses", kind: "rows", metavar: "ROLE=FACTOR" }),
  ];
  const violation = { output_start: 0.5, output_end: 1, text: "the push is too strong", cause: "force", mend: "slower" };
  const physics = {
    header: { least: 1.5, most: 4, mass: 70, friction: 0.8, violations: [violation] },
    times: [0], timing: [0, 1], distance: [0], frameAt: () => 0, stateAt: () => "feasible", region: () => [],
  } as unknown as PhysicsView;

  it("shows the feasible range, the cause of a violation, and its fix", async () => {
    const host = show("physics", { duration: 1.2 }, ...fields);
    state.physics.value = physics;
    await drawn();
    const duration = host.querySelector(".feasible")!;
    expect(duration.className).toBe("field wide feasible known impossible");
    expect(duration.querySelector(".slider-captions")?.textContent).toContain("1.50 s minimum");
    expect(host.querySelector(".violation")?.textContent).toContain("The push is too strong");
    host.querySelector<HTMLElement>("[data-section=violations] .link")!.click();
    expect(changed()).toEqual({ duration: 1.65 });
  });

  it("turns gravity by keys on its dial: presses in a row are one change", () => {
    vi.useFakeTimers();
    const host = show("physics", {}, ...fields);
    const dial = host.querySelector<HTMLElement>("canvas.dial")!;
    press(dial, "ArrowUp");
    press(dial, "ArrowUp");
    expect(state.step.value?.parameters?.["gravity"]).toBeCloseTo(10.81);
    expect(sent.map((m) => m["type"])).toEqual(["preview", "preview"]);
    vi.advanceTimersByTime(500);
    expect(sent.at(-1)!["type"]).toBe("do");
    vi.useRealTimers();
    named("Moon").click();
    expect(changed()).toEqual({ gravity: 1.62 });
  });

  it("gives each segment a factor", async () => {
    const host = show("physics", {}, ...fields);
    host.querySelector<HTMLElement>("[data-section=masses] .section-heading")!.click();
    await drawn();
    type(named<HTMLInputElement>("Mass of the hips, ×"), "2");
    press(named("Mass of the hips, ×"), "Enter");
    expect(changed()).toEqual({ mass_scale: [["hips", 2]] });
  });
});

describe("surface", () => {
  const fields = [
    field({ name: "keys", label: "Keys", kind: "data" }), field({ name: "cartoon", label: "Cartoon", default: 0 }),
    field({
      name: "root", label: "Root", kind: "choice", default: "auto",
      choices: words({ auto: "Automatic", lock: "Lock feet", follow: "Follow" }),
    }),
  ];
  const key = { time: 1, joint: "RightHand", shift: -0.1 };

  it("edits the selected key: its shift, its joint, its shape", async () => {
    show("surface", { keys: [key] }, ...fields);
    const shift = named<HTMLInputElement>("Shift, s");
    expect(shift.value).toBe("−0.10");
    type(shift, "0.2");
    press(shift, "Enter");
    expect(changed()).toEqual({ keys: [{ ...key, shift: 0.2 }] });
    type(named<HTMLSelectElement>("Joints"), "LeftHand", "change");
    expect(changed()).toMatchObject({ keys: [{ joint: "LeftHand" }] });
    named("Polynomial").click(); // it has one drag only
    await drawn();
    expect(changed()).toMatchObject({ keys: [{ shape: "polynomial" }] });
  });

  it("lists keys where there are several", () => {
    const host = show("surface", { keys: [key, { time: 1.5, joint: "LeftHand", shift: 0.1 }] }, ...fields);
    const rows = [...host.querySelectorAll(".surface-key-words")].map((e) => e.textContent);
    expect(rows).toEqual(["Right hand 0.10 s earlier", "Left hand 0.10 s later"]);
    named("Lock feet").click();
    expect(changed()).toMatchObject({ root: "follow" });
  });
});

describe("staggered poses", () => {
  it("lists its edits, which are muted and removed", async () => {
    const edits = [{ do: "succession", joint: "RightArm", step: 0.02 }, { do: "retime", pose: 2, time: 1 }];
    const host = show("stagger", { edits });
    const words = [...host.querySelectorAll(".pose-edit-words")].map((e) => e.textContent);
    expect(words).toEqual(["Successionall poses, RightArm, 0.020 s later", "Movepose 3, to 1.00 s"]);
    named("Mute edit 1").click();
    expect(changed()).toEqual({ edits: [{ ...edits[0], mute: true }, edits[1]] });
    await drawn();
    named("Remove all").click();
    expect(changed()).toEqual({ edits: null });
  });

  it("exaggerates by a slider that goes on with its own edit", () => {
    const reference = field({ name: "relative_to", choices: words({ neighbours: "Neighbouring poses" }) });
    const host = show("stagger", {}, reference);
    const slider = host.querySelector<HTMLInputElement>("[data-section=pose-exaggerate] input[type=range]")!;
    type(slider, "0.25");
    type(slider, "0.5");
    type(slider, "0.5", "change");
    const exaggerate = { do: "exaggerate", weight: 0.5, relative_to: "neighbours" };
    expect(changed()).toEqual({ edits: [exaggerate] });
    expect(state.announcement.value).toBe("Exaggerated by 0.50 from neighbouring poses, all poses.");
  });

  /** Three poses of all channels, the middle one chosen. */
  function withPoses(parameters: Record<string, unknown> = {}): HTMLElement {
    const host = show("stagger", parameters);
    const editor = {
      type: "poses", step: "s1", channels: JOINTS, joints: [0, 1, 2, 3], free: [1], found: 4, notes: [], counted: [],
      layers: 1,
    };
    const made = result({}, { editor });
    const blocks: Record<string, number[]> = {
      pose_times: [0, 1, 2], refinements: Array<number>(12).fill(0), included: Array<number>(12).fill(1),
      candidates: [0.5, 0.5, 0.2, 0, 1, 1, 1, 1], tangents: Array<number>(72).fill(30),
    };
    const before = made.block.bind(made);
    made.block = (name: string) => (name in blocks ? Float32Array.from(blocks[name]!) : before(name));
    state.results.value = { A: made, B: null };
    state.selectedPose.value = 1;
    state.selectedJoint.value = 2;
    return host;
  }
  const edits = (): unknown[] => (changed() as { edits: unknown[] }).edits;

  it("leads the chosen pose of the chosen joints toward another", async () => {
    const host = withPoses();
    await drawn();
    type(named<HTMLSelectElement>("Which joints"), "right_arm", "change");
    type(named<HTMLSelectElement>("Tween toward"), "rest", "change");
    await drawn();
    const slider = host.querySelector<HTMLInputElement>("[data-section=pose-tween] input[type=range]")!;
    type(slider, "120");
    type(slider, "120", "change");
    expect(edits()).toEqual([
      { do: "tween", share: 1.2, toward: "rest", poses: [1], joints: ["RightArm", "RightHand"], when: "pose" },
    ]);
    named("Mirror").click();
    expect(edits().at(-1)).toEqual({ do: "mirror", pose: 1, joints: ["RightArm", "RightHand"] });
  });

  it("shows an ease while its tool is open, and keeps it by Apply", async () => {
    withPoses();
    await drawn();
    type(named<HTMLSelectElement>("Which joints"), "all", "change");
    named("Settle").click();
    await drawn();
    const ease = { do: "ease", pose: 1, preset: "settle", amount: 1, seconds: 0.2 };
    expect(toolShown.value?.edit()).toEqual(ease);
    toolShown.value!.keep();
    expect(edits()).toEqual([ease]);
  });

  it("makes layers, tangents and poses from scratch", async () => {
    const host = withPoses();
    await drawn();
    host.querySelector<HTMLElement>("[data-section=pose-tangents] .section-heading")!.click();
    await drawn();
    named("Flat").click();
    expect(edits()).toEqual([{ do: "shape_tangents", shape: "flat", poses: [1] }]);
    expect(named<HTMLInputElement>("Arrive x, degrees a second").value).toBe("30");
    named("Start over from this pose").click();
    expect(edits().at(-1)).toEqual({ do: "blank", pose: 1 });
    named("Add a layer").click();
    expect(edits().at(-1)).toEqual({ do: "add_layer" });
  });

  it("keeps candidates one by one", async () => {
    const host = withPoses();
    await drawn();
    host.querySelector<HTMLElement>("[data-section=pose-candidates] .section-heading")!.click();
    await drawn();
    host.querySelectorAll<HTMLInputElement>("[data-section=pose-candidates] input")[0]!.click();
    expect(changed()).toEqual({ keep: [0.5, 1] });
  });

  it("makes, names and keeps sets of joints in the project", async () => {
    const host = withPoses();
    /** The server takes the command. */
    const taken = async (): Promise<void> => {
      const command = sent.at(-1)!["command"] as { type: string; sets: Record<string, string[]> };
      expect(command.type).toBe("set_joint_sets");
      state.committed.value = { ...state.committed.value!, joint_sets: command.sets };
      await drawn();
    };
    await drawn();
    type(named<HTMLSelectElement>("Which joints"), "joint", "change");
    await drawn();
    named("Make a set of these joints").click();
    await taken();
    expect(jointSets.value).toEqual({ "Set 1": ["RightHand"] });
    host.querySelectorAll<HTMLInputElement>("[data-section=pose-selection] input[type=checkbox]")[3]!.click();
    await taken();
    type(named<HTMLInputElement>("Name of the set"), "Hands", "change");
    await taken();
    expect(jointSets.value).toEqual({ Hands: ["RightHand", "LeftHand"] });
    expect(scopedJoints()).toEqual({ joints: ["RightHand", "LeftHand"] });
    await drawn();
    named("Remove").click();
    await taken();
    expect(jointSets.value).toEqual({});
    expect(scopedJoints()).toEqual({});
  });
});
