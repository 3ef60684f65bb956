/** @vitest-environment happy-dom */
/** Forms are made from declarations: a control for each kind, and what a change of it sends. */

import { afterEach, describe, expect, it, vi } from "vitest";
import { StepForm } from "../../src/panels/form/form";
import type { FormField } from "../../src/protocol";
import * as state from "../../src/store/state";
import { close, drawn, field, method, mount, named, open, press, sent, type, words } from "../dom";

vi.mock("../../src/store/connection", async () => (await import("../dom")).fakeConnection());

afterEach(close);

function form(fields: FormField[], parameters: Record<string, unknown> = {}): HTMLElement {
  const made = method("spline", ...fields);
  open([made], { parameters });
  return mount(<StepForm step="s1" form={made} panel={{}} />);
}

const changed = (): unknown => (sent.at(-1)?.["command"] as { parameters: unknown } | undefined)?.parameters;

describe("kinds of fields", () => {
  it("a number is typed, and its reset button brings the default back", async () => {
    form([field({ name: "speed", label: "Speed", unit: "×", default: 2 })], { speed: 3 });
    const input = named<HTMLInputElement>("Speed, ×");
    type(input, "4");
    press(input, "Enter");
    expect(changed()).toEqual({ speed: 4 });
    await drawn();
    named("Reset Speed").click();
    expect(changed()).toEqual({ speed: null });
    await drawn();
    expect([input.value, document.querySelector("[aria-label='Reset Speed']")]).toEqual(["2.00", null]);
  });

  it("a number within narrow bounds has a slider", () => {
    const host = form([field({ name: "share", label: "Share", minimum: 0, maximum: 1, default: 0.5 })]);
    const slider = host.querySelector<HTMLInputElement>("input[type=range]")!;
    type(slider, "0.75");
    expect([sent.at(-1)!["type"], state.step.value!.parameters]).toEqual(["preview", { share: 0.75 }]);
    type(slider, "0.75", "change");
    expect(sent.at(-1)!["type"]).toBe("do");
  });

  it("a word stands beside a number", () => {
    form([field({ name: "duration", label: "Duration", choices: words({ free: "Free" }), ends: ["", ""] })]);
    named("Free").click();
    expect(changed()).toEqual({ duration: "free" });
  });

  it("a flag is a switch, a choice a list", () => {
    form([
      field({ name: "loop", label: "Loop", kind: "flag", default: false }),
      field({ name: "root", label: "Root", kind: "choice", choices: words({ auto: "Automatic", lock: "Lock feet" }) }),
    ]);
    named("Loop").click();
    expect(changed()).toEqual({ loop: true });
    const root = named<HTMLSelectElement>("Root");
    expect([...root.options].map((o) => o.textContent)).toEqual(["Automatic", "Lock feet"]);
    type(root, "lock", "change");
    expect(changed()).toEqual({ root: "lock" });
  });

  it("a motion is chosen from the project or by its path", async () => {
    form([field({ name: "reference", label: "Reference", kind: "motion" })]);
    const list = named<HTMLSelectElement>("Reference");
    expect([...list.options].map((o) => o.textContent)).toEqual(["This motion", "Walk", "A file or folder"]);
    type(list, "motion:m2", "change");
    expect(changed()).toEqual({ reference: "motion:m2" });
    type(list, "path", "change");
    await drawn();
    type(named<HTMLInputElement>("Reference, path under the root"), "walks/slow.bvh", "change");
    expect(changed()).toEqual({ reference: "walks/slow.bvh" });
  });

  it("several motions get a list each", async () => {
    const several = field({ name: "guides", label: "Guides", kind: "motions" });
    const host = form([several], { guides: ["motion:m1"] });
    named("Another guides").click();
    await drawn();
    const lists = host.querySelectorAll("select");
    expect(lists).toHaveLength(2);
    type(lists[1]!, "motion:m2", "change");
    expect(changed()).toEqual({ guides: ["motion:m1", "motion:m2"] });
  });

  it("a range has two ends", () => {
    form([field({ name: "range", label: "Range", kind: "range" })], { range: [0.2, 0.8] });
    type(named<HTMLInputElement>("Range, to, s"), "0.9");
    press(named("Range, to, s"), "Enter");
    expect(changed()).toEqual({ range: [0.2, 0.9] });
    named("Whole clip").click();
    expect(changed()).toEqual({ range: null });
  });

  it("keytimes are rows of output and source", () => {
    const keytimes = field({ name: "keytimes", label: "Keytimes", kind: "keytimes" });
    form([keytimes], { keytimes: [[1, 1.2], [2, 2.4]] });
    type(named<HTMLInputElement>("Keytime 2, source, s"), "2.5");
    press(named("Keytime 2, source, s"), "Enter");
    expect(changed()).toEqual({ keytimes: [[1, 1.2], [2, 2.5]] });
    named("Delete keytime 1").click();
    expect(changed()).toEqual({ keytimes: [[2, 2.5]] });
  });

  it("tuples are rows with a cell for each part", () => {
    const weights = field({ name: "weights", label: "Weights", kind: "rows", metavar: "JOINT=FACTOR" });
    form([weights], { weights: [["hips", 2]] });
    type(named<HTMLInputElement>("Weights 1, factor"), "3");
    press(named("Weights 1, factor"), "Enter");
    expect(changed()).toEqual({ weights: [["hips", 3]] });
    type(named<HTMLInputElement>("Weights 1, joint"), "head", "change");
    expect(changed()).toEqual({ weights: [["head", 3]] });
    named("Remove Weights 1").click();
    expect(changed()).toEqual({ weights: null });
  });

  it("joints are chips", () => {
    form([field({ name: "joints", label: "Joints", kind: "joints" })], { joints: ["hips", "head"] });
    named("Remove hips").click();
    expect(changed()).toEqual({ joints: ["head"] });
  });

  it("words are words, and what only a recipe can give is shown where it does", () => {
    const host = form([
      field({ name: "note", label: "Note", kind: "text" }), field({ name: "curve", label: "Curve", kind: "data" }),
      field({ name: "grid", label: "Grid", kind: "data" }), field({ name: "contacts", label: "Contacts", kind: "data" }),
    ], { curve: { a: 1 } });
    type(named<HTMLInputElement>("Note"), "slowly", "change");
    expect(changed()).toEqual({ note: "slowly" });
    expect(host.querySelector("[data-field=curve]")?.textContent).toContain("Given by the recipe");
    expect(host.querySelector("[data-field=grid]")).toBeNull();
    expect(host.querySelector("[data-field=contacts]")?.textContent).toContain("Edit the bars in the Warp tab");
  });
});

describe("the form", () => {
  it("folds advanced fields under More, and leaves out what a panel shows itself", () => {
    const made = method("physics", field({ name: "a", label: "A" }), field({ name: "b", label: "B", advanced: true }));
    open([made], {});
    const host = mount(<StepForm step="s1" form={made} panel={{ replaces: ["a"], Below: () => <i>Own</i> }} />);
    expect(host.querySelector("[data-field=a]")).toBeNull();
    expect(host.querySelector("i")?.textContent).toBe("Own");
    expect(host.querySelector("[data-section=more-physics]")?.textContent).toContain("More");
    expect(host.querySelector("[data-field=b]")).toBeNull(); // it is folded
  });

  it("shows the help of every field", () => {
    const host = form([field({ name: "a", label: "A", help: "Explains A." })]);
    expect(host.querySelector("[data-field=a] .field-help")?.textContent).toBe("Explains A.");
  });
});
