/** A server that goes away loses nothing: changes wait for it, or are said not to be applied. */

import { beforeEach, expect, test, vi } from "vitest";

class FakeSocket {
  static readonly OPEN = 1;
  static all: FakeSocket[] = [];
  readyState = 0;
  binaryType = "";
  sent: Record<string, unknown>[] = [];
  onopen: () => void = () => undefined;
  onclose: () => void = () => undefined;
  onmessage: (event: { data: string }) => void = () => undefined;
  constructor() {
    FakeSocket.all.push(this);
  }
  send(text: string): void {
    this.sent.push(JSON.parse(text) as Record<string, unknown>);
  }
  close(): void {
    this.readyState = 3;
  }
  open(): void {
    this.readyState = 1;
    this.onopen();
  }
  gone(): void {
    this.readyState = 3;
    this.onclose();
  }
  document(ids: string[], revision: number): void {
    const steps = ids.map((id) => ({ id, method: id === "s3" ? "surface" : "spline", parameters: {}, weight: 1, mute: false }));
    const project = { source: "m1", motions: {}, versions: { A: steps, B: [] } };
    this.onmessage({
      data: JSON.stringify({
        type: "document", revision, project, undo: 0, redo: 0, saved: true, hash: "", missing: [],
        undo_names: [], redo_names: [], request: null,
      }),
    });
  }
}

vi.stubGlobal("WebSocket", FakeSocket);
vi.stubGlobal("location", { protocol: "http:", host: "localhost" });
vi.stubGlobal("window", { clearTimeout: () => undefined, setTimeout: () => 0 });
vi.stubGlobal("fetch", () => Promise.reject(new Error("nobody there")));
vi.stubGlobal("document", { body: { replaceChildren: () => undefined } });

const { connect } = await import("../src/store/connection");
const actions = await import("../src/store/actions");
const state = await import("../src/store/state");
const last = (): FakeSocket => FakeSocket.all.at(-1)!;
const done = (): unknown[] => last().sent.filter((m) => m["type"] === "do").map((m) => m["command"]);

beforeEach(() => {
  state.problems.value = [];
  state.unsent.value = [];
  state.committed.value = null;
  state.revision.value = 0;
  connect();
  last().open();
  last().document(["s1", "s2"], 1);
  last().gone();
});

test("a typed value is sent when the server is back", () => {
  actions.change("s1", { parameters: { duration: 2 } });
  actions.preview({ id: "s2", parameters: { duration: 3 } });
  actions.commit(); // a slider that was dragged is no other
  expect(state.unsent.value).toHaveLength(2);
  connect();
  last().open();
  last().document(["s1", "s2"], 2);
  expect(done()).toEqual([
    { type: "change_step", id: "s1", parameters: { duration: 2 } },
    { type: "change_step", id: "s2", parameters: { duration: 3 } },
  ]);
  expect([state.unsent.value, state.problems.value]).toEqual([[], []]);
});

test("a value of a step that is gone, and what cannot wait, are shown as not applied", () => {
  actions.change("s1", { parameters: { duration: 2 } });
  actions.addStep({ method: "spline" });
  expect(state.problems.value.map((p) => p.title)).toEqual(["Not applied"]);
  connect();
  last().open();
  last().document(["s2"], 2);
  expect(done()).toEqual([]);
  expect(state.problems.value.map((p) => p.title)).toEqual(["Not applied", "Not applied"]);
  expect(state.problems.value[1]!.text).toBe("Duration 2.00. The step was removed meanwhile.");
});

test("what waits is shown in its field", () => {
  actions.change("s1", { parameters: { duration: 2 } });
  expect(state.stepNamed("s1")!.parameters).toEqual({ duration: 2 });
  expect(state.committed.value!.versions.A[0]!.parameters).toEqual({});
});

test("a studio that is started again gets what another window left, for the same document only", () => {
  const stored = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    setItem: (name: string, value: string) => stored.set(name, value),
    getItem: (name: string) => stored.get(name) ?? null, removeItem: (name: string) => stored.delete(name),
  });
  const again = (hash: string): void => {
    state.committed.value = null; // another page
    state.unsent.value = [];
    const changes = [{ type: "change_step", id: "s1", parameters: { duration: 2 } }];
    stored.set("retime.unsent", JSON.stringify({ hash, changes }));
    connect();
    last().open();
    last().document(["s1"], 2);
  };
  again("");
  expect(done()).toEqual([{ type: "change_step", id: "s1", parameters: { duration: 2 } }]);
  expect(stored.size).toBe(0);
  again("another");
  expect(done()).toEqual([]);
  expect(state.problems.value.at(-1)!.title).toBe("Not applied");
});

test("what waits for the solver when the server goes is kept too", () => {
  connect();
  last().open();
  last().document(["s3"], 2);
  state.selectedStep.value = "s3";
  actions.change("s3", { parameters: { keys: [{ time: 1 }] } });
  last().gone();
  expect(state.unsent.value).toMatchObject([{ id: "s3", parameters: { keys: [{ time: 1 }] } }]);
});
