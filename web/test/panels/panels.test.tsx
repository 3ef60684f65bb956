/** @vitest-environment happy-dom */
/** The panels on a page: what they show of the document, and what they send. */

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PointerMenu } from "../../src/controls";
import { formatsFor } from "../../src/panels/export/export";
import { Header } from "../../src/panels/header/header";
import { Help, openHelp } from "../../src/panels/help/help";
import { Inspector } from "../../src/panels/inspector/inspector";
import { Left } from "../../src/panels/left/left";
import { listed, MotionsSection } from "../../src/panels/motions/motions";
import { inspectorOpen } from "../../src/panels/page/layout";
import { RecipeSection } from "../../src/panels/recipe/recipe";
import { Tabs } from "../../src/panels/transport/tabs";
import { Cards, GoneBar } from "../../src/panels/view/cards";
import { EmptyState } from "../../src/panels/view/empty";
import type { FailedFile } from "../../src/protocol";
import * as state from "../../src/store/state";
import type { ViewApi } from "../../src/viewport/view";
import { close, drawn, field, method, mount, named, open, press, resize, sent, type } from "../dom";

vi.mock("../../src/store/connection", async () => (await import("../dom")).fakeConnection());

const METHODS = [method("spline", field({ name: "speed", label: "Speed", default: 1 })), method("hold")];
const commands = (): unknown[] => sent.map((m) => m["command"]);
const row = (id: string): HTMLElement => document.querySelector(`[data-step=${id}]`)!;

beforeEach(() => {
  HTMLElement.prototype.showPopover = vi.fn();
  HTMLElement.prototype.hidePopover = vi.fn();
});
afterEach(close);

describe("the recipe", () => {
  beforeEach(() => {
    open(METHODS, { method: "spline" }, { method: "hold", mute: true }, { method: "hold", label: "Feet" });
    mount(<RecipeSection />);
  });

  it("lists steps with their title, weight and eye", () => {
    const names = [...document.querySelectorAll(".step-name")].map((e) => e.textContent);
    expect(names).toEqual(["Spline", "Hold", "Feet"]);
    expect([row("s1").className, row("s2").className]).toEqual(["step-row step selected", "step-row step muted"]);
    expect(row("s2").querySelector(".step-line")?.textContent).toBe("muted");
  });

  it("mutes, removes and moves a step", () => {
    row("s1").querySelector<HTMLElement>("[aria-label='Mute (M)']")!.click();
    const choose = row("s1").querySelector<HTMLElement>(".step-choose")!;
    press(choose, "ArrowDown", { altKey: true });
    press(choose, "Delete");
    expect(commands()).toEqual([
      { type: "change_step", id: "s1", mute: true },
      { type: "move_step", id: "s1", index: 1 },
      { type: "remove_step", id: "s1" },
    ]);
  });

  it("goes from step to step by arrow keys: one stop for the Tab key", async () => {
    press(row("s1").querySelector<HTMLElement>(".step-choose")!, "ArrowDown");
    await drawn();
    expect(state.selectedStep.value).toBe("s2");
    const stops = [...document.querySelectorAll<HTMLElement>(".step-choose")].map((e) => e.tabIndex);
    expect(stops).toEqual([-1, 0, -1]);
  });

  it("gives the focus of a removed row to the next one", async () => {
    row("s2").querySelector<HTMLElement>(".step-choose")!.focus();
    const { versions } = state.committed.value!;
    const left = versions.A.filter((s) => s.id !== "s2");
    state.committed.value = { ...state.committed.value!, versions: { ...versions, A: left } };
    await drawn();
    expect(document.activeElement?.closest<HTMLElement>("[data-step]")?.dataset["step"]).toBe("s3");
    expect(state.selectedStep.value).toBe("s3");
  });

  it("opens a menu by a right click", async () => {
    mount(<><RecipeSection /><PointerMenu /></>);
    row("s1").dispatchEvent(new MouseEvent("contextmenu", { clientX: 5, clientY: 5, bubbles: true, cancelable: true }));
    await drawn();
    expect(named("Duplicate").getAttribute("role")).toBe("menuitem");
    document.querySelectorAll<HTMLElement>("[role=menuitem]")[1]!.click();
    expect(commands().at(-1)).toMatchObject({ type: "add_step", index: 1, step: { method: "spline" } });
  });
});

describe("the inspector", () => {
  it("shows the selected step's form, and another one for another step", async () => {
    open(METHODS, { method: "spline" }, { method: "hold" });
    mount(<Inspector />);
    expect(document.querySelector("h2")?.textContent).toBe("Spline");
    expect(document.querySelector("[data-field=speed]")).not.toBeNull();
    state.selectedStep.value = "s2";
    await drawn();
    expect([document.querySelector("h2")?.textContent, document.querySelector("[data-field=speed]")]).toEqual(
      ["Hold", null],
    );
  });

  it("shows the problem of its step", async () => {
    open(METHODS, { method: "spline" });
    mount(<Inspector />);
    state.problems.value = [{ type: "problem", title: "No", text: "It is too fast.", step: "s1" }];
    await drawn();
    expect(document.querySelector(".step-notes .problem")?.textContent).toBe("It is too fast.");
  });

  it("is not drawn while its drawer is closed in a narrow window", async () => {
    open(METHODS, { method: "spline" });
    mount(<Inspector />);
    resize(800, 600);
    await vi.waitFor(() => expect(document.querySelector(".inspector h2")).toBeNull());
    inspectorOpen.value = true;
    await drawn();
    expect(document.querySelector(".inspector h2")?.textContent).toBe("Spline");
    inspectorOpen.value = false;
    resize(1440, 900);
  });

  it("says what to do where there is no step", () => {
    open(METHODS);
    mount(<Inspector />);
    expect(document.querySelector(".inspector-empty h2")?.textContent).toBe("No step");
  });
});

describe("the header", () => {
  it("names the project and the motion, and counts undo steps", async () => {
    open(METHODS, { method: "spline" });
    state.undoDepth.value = 2;
    mount(<Header view={() => ({}) as ViewApi} />);
    expect(document.querySelector("h1")?.textContent).toBe("study  /  Jump");
    named("Undo, 2 changes").click();
    expect(sent.at(-1)).toEqual({ type: "undo", count: 1 });
    state.undoNames.value = ["Move keytime", "Add Guided"];
    await drawn();
    expect(named("Undo: Move keytime, 2 changes").title).toBe("Undo: Move keytime (Ctrl+Z)");
    state.undoNames.value = [];
    expect(named<HTMLButtonElement>("Redo, 0 changes").disabled).toBe(true);
    state.undoDepth.value = 1;
    await drawn();
    expect(named("Undo, 1 change")).toBeTruthy();
  });
});

describe("motions", () => {
  it("are retimed by a click, and found again where their file was moved", async () => {
    open(METHODS);
    mount(<MotionsSection />);
    named("Retime Walk").click();
    expect(commands().at(-1)).toEqual({ type: "choose_motion", id: "m2" });
    state.missing.value = ["m1"];
    await drawn();
    named("Find").click();
    expect(sent.at(-1)).toMatchObject({ type: "locate", id: "m1", path: null });
  });

  it("that were not loaded give their reason in words, each its own where names are the same", async () => {
    const MARKED = "the key at \ue000m|1.25|1.2 s\ue001 is outside";
    const file = (folder: string): FailedFile => ({ path: `${folder}/a.bvh`, name: "a.bvh", text: `${folder}: ${MARKED}` });
    open(METHODS);
    state.committed.value = { ...state.committed.value!, source: null };
    state.failedAtStart.value = [file("one"), file("two")];
    mount(<><MotionsSection /><EmptyState /></>);
    const shown = (): Element[] => [...document.querySelectorAll(".failed, .empty-why p")];
    const before = shown();
    expect(before.length).toBe(4);
    before.forEach((element, k) =>
      expect(element.textContent).toContain(`${k % 2 ? "Two" : "One"}: the key at 1.2 s is outside`));
    state.failedAtStart.value = [file("two")];
    await drawn();
    const after = shown();
    state.failedAtStart.value = [];
    expect(after.map((element) => before.indexOf(element))).toEqual([1, 3]);
  });
});

describe("cards", () => {
  it("stay until they are dismissed", async () => {
    mount(<Cards />);
    state.problems.value = [{ type: "problem", title: "a.bvh was not loaded", text: "Line 2 is cut off." }];
    await drawn();
    expect(document.querySelector("[role=alert] h2")?.textContent).toBe("a.bvh was not loaded");
    named("Dismiss").click();
    await drawn();
    expect([state.problems.value, document.querySelector(".card")]).toEqual([[], null]);
  });

  it("copy their words as they are shown", async () => {
    const writeText = vi.spyOn(navigator.clipboard, "writeText").mockResolvedValue();
    mount(<Cards />);
    const text = "the key at \ue000m|1.25|1.2 s\ue001 is outside";
    state.problems.value = [{ type: "problem", title: "Spline", text }];
    await drawn();
    named("Copy details").click();
    expect(writeText.mock.calls[0]![0].split("\n").slice(0, 2)).toEqual(["Spline", "The key at 1.2 s is outside"]);
  });

  it("offer the file that is where a changed motion was", async () => {
    open(METHODS);
    mount(<Cards />);
    state.missing.value = ["m1"];
    await drawn();
    const button = [...document.querySelectorAll("button")].find((b) => b.textContent === "Use this file")!;
    button.click();
    expect(sent.at(-1)).toMatchObject({ type: "locate", id: "m1", path: state.committed.value!.motions["m1"]!.path });
  });

  it("tell that the server is gone", () => {
    state.link.value = "gone";
    state.nextTry.value = Date.now() + 3000;
    mount(<GoneBar />);
    expect(document.querySelector("[role=status]")?.textContent).toContain("Next try in 3 s.");
  });
});

it("leaves Escape to a field of the panel that flies out, then closes the panel", async () => {
  open(METHODS, { method: "spline" });
  mount(<Left />);
  await drawn();
  named("Recipe").click();
  const weight = named<HTMLInputElement>("Weight, %");
  weight.focus();
  type(weight, "40");
  press(weight, "Escape");
  await drawn();
  const panel = document.querySelector<HTMLElement>(".left")!;
  expect([commands(), weight.value, panel.dataset["open"]]).toEqual([[], "100", "recipe"]);
  press(panel, "Escape");
  await drawn();
  expect(panel.dataset["open"]).toBe("");
});

describe("the page", () => {
  it("offers bundled motions where there is none", () => {
    open(METHODS);
    state.committed.value = { ...state.committed.value!, source: null };
    mount(<EmptyState />);
    named("Try the jump").click();
    expect(sent.at(-1)).toMatchObject({ type: "sample", name: "jump" });
    expect(document.querySelector("p")?.textContent).toBe("BVH or GLB. Nothing leaves this computer.");
  });

  it("goes from tab to tab by arrow keys", async () => {
    state.tab.value = "warp";
    mount(<Tabs />);
    press(document.querySelector<HTMLElement>("#tab-warp")!, "ArrowLeft");
    await drawn();
    expect([state.tab.value, document.activeElement?.id]).toEqual(["live", "tab-live"]);
    expect(document.querySelector("#tab-live")?.getAttribute("aria-selected")).toBe("true");
    state.tab.value = "warp";
  });

  it("opens its help as a dialog", async () => {
    HTMLDialogElement.prototype.showModal = vi.fn();
    mount(<Help />);
    openHelp();
    await drawn();
    expect(document.querySelector("dialog dt kbd")?.textContent).toBe("Space");
    document.querySelector("dialog")!.dispatchEvent(new Event("close"));
    await drawn();
    expect(document.querySelector("dialog")).toBeNull();
  });
});

it("lists the clips of one file by their own names, below the name of the file", () => {
  const clip = (name: string, path: string, animation: string | null) => ({ name, path, sha256: "", animation });
  const rows = listed({
    m1: clip("walk", "walk.bvh", null),
    m2: clip("robot: Dance", "motions/robot.glb", "Dance"),
    m3: clip("robot: Death", "motions/robot.glb", "Death"),
    m4: clip("fox: Run", "fox.glb", "Run"),
  });
  expect(rows.map(({ clip, file }) => [clip, file])).toEqual([
    [null, null], ["Dance", "robot.glb"], ["Death", null], [null, null],
  ]);
});

it("offers the motion's own format first, as a copy of its file, and each format once", () => {
  const labels = (path: string): string[] => formatsFor(path).map(({ label }) => label);
  expect(labels("robot.glb").slice(0, 2)).toEqual(["GLB", "BVH"]);
  expect(formatsFor("robot.glb")[0]!.note).toContain("own file");
  expect(labels("hero.fbx").slice(0, 3)).toEqual(["FBX", "BVH", "GLB"]);
  for (const path of ["robot.glb", "hero.fbx", "walk.bvh"]) expect(new Set(labels(path)).size).toBe(labels(path).length);
});
