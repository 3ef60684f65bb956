/** Drags as transactions: begun, updated, then committed or discarded. */

import { afterEach, describe, expect, it, vi } from "vitest";
import * as actions from "../src/store/actions";
import { ofStep, ofWindow } from "../src/store/editable";
import * as state from "../src/store/state";
import { begin } from "../src/store/transaction";
import { solverStop, tellVerdict } from "../src/store/verdicts";
import { close, method, open, sent } from "./dom";

vi.mock("../src/store/connection", async () => (await import("./dom")).fakeConnection());
vi.stubGlobal("document", { body: { replaceChildren: () => undefined } });

const types = (): unknown[] => sent.map((m) => m["type"]);
const at = (duration: number) => ({ parameters: { duration } });
const shown = (): unknown => state.step.value?.parameters?.["duration"];

afterEach(close);

describe("a drag", () => {
  it("shows every update and keeps the last one: one undo step", () => {
    open([method("spline")], {});
    const drag = begin("s1");
    expect(drag.isOpen).toBe(false);
    drag.update(at(2));
    drag.update(at(3));
    expect(shown()).toBe(3);
    drag.commit();
    expect(types()).toEqual(["preview", "preview", "do"]);
    expect(sent.at(-1)!["command"]).toEqual({ type: "change_step", id: "s1", ...at(3) });
    drag.commit(); // it is over
    expect(types()).toHaveLength(3);
  });

  it("may be part of the undo step before it", () => {
    open([method("spline")], {});
    const drag = begin("s1", 7);
    drag.update(at(2));
    drag.commit();
    begin("s1").update(at(3));
    actions.commit();
    expect(sent.filter((m) => m["type"] === "do").map((m) => m["joins"])).toEqual([7, null]);
  });

  it("that is discarded leaves all as it was", () => {
    open([method("spline")], { parameters: { duration: 1 } });
    const drag = begin("s1");
    drag.update(at(2));
    drag.discard();
    expect(shown()).toBe(1);
    expect(types()).toEqual(["preview", "discard"]);
  });

  it("without an update changes nothing", () => {
    open([method("spline")], {});
    begin("s1").commit();
    begin("s1").discard();
    expect(types()).toEqual([]);
  });

  it("gives way to the next one", () => {
    open([method("spline")], {}, {});
    const first = begin("s1");
    first.update(at(2));
    const second = begin("s2");
    second.update(at(4));
    expect(first.isOpen).toBe(false);
    first.commit(); // which would keep what was discarded
    expect(types()).toEqual(["preview", "discard", "preview"]);
    second.commit();
    expect(sent.at(-1)!["command"]).toMatchObject({ id: "s2" });
  });

  it("is not kept once the connection dropped it", () => {
    open([method("spline")], {});
    const drag = begin("s1");
    drag.update(at(2));
    state.pending.value = null;
    drag.commit();
    expect(types()).toEqual(["preview"]);
  });

  it("is what scripts make too", () => {
    open([method("spline")], {});
    actions.preview({ id: "s1", ...at(2) });
    actions.preview({ id: "s1", ...at(3) });
    actions.commit();
    expect(types()).toEqual(["preview", "preview", "do"]);
  });
});

describe("a drag that only the solver can judge", () => {
  const keys = (time: number) => ({ parameters: { keys: [{ time, joint: "Hand" }] } });
  const asks = (): number => sent.findLast((m) => m["type"] === "preview")!["request"] as number;
  const time = (): number => (state.step.value?.parameters?.["keys"] as { time: number }[])[0]!.time;
  const openSurface = (): void => open([method("surface")], { method: "surface", ...keys(1) });

  it("goes back from what is refused towards what is taken", () => {
    openSurface();
    const drag = begin("s1");
    drag.update(keys(3));
    tellVerdict({ request: asks(), refused: "it overlaps key 2." });
    expect([time(), solverStop.value]).toEqual([2, "Stops here: it overlaps key 2."]);
    tellVerdict({ request: asks(), refused: null });
    expect(time()).toBe(2.5);
    drag.update(keys(4)); // beyond what was refused: nothing is asked
    expect(time()).toBe(2.5);
    tellVerdict({ request: asks(), refused: "it overlaps key 2." });
    expect(time()).toBe(2.25);
    drag.discard();
    expect([time(), solverStop.value]).toEqual([1, null]);
  });

  it("is kept once the solver has taken it, else as far as it went", () => {
    openSurface();
    const drag = begin("s1");
    drag.update(keys(2));
    drag.commit();
    expect(types()).toEqual(["preview"]);
    tellVerdict({ request: asks(), refused: null });
    expect(sent.at(-1)!["command"]).toMatchObject(keys(2));
    actions.change("s1", keys(9));
    tellVerdict({ request: asks(), refused: "it is outside." });
    expect(types()).toEqual(["preview", "do", "preview", "discard"]);
    expect(state.problems.value).toMatchObject([{ title: "It was not kept", text: "it is outside." }]);
  });

  it("is taken back by undo before the solver has answered", () => {
    openSurface();
    actions.change("s1", keys(2));
    actions.undo();
    expect([types(), time()]).toEqual([["preview", "discard"], 1]);
  });
});

describe("a value that controls edit", () => {
  it("is set at once, where it is another one, and told", () => {
    open([method("spline")], {});
    const kept = vi.fn();
    const value = ofStep<number>("s1", 2, at, kept);
    value.set(2);
    expect([types(), kept.mock.calls]).toEqual([[], []]);
    value.set(3);
    expect([types(), kept.mock.calls]).toEqual([["do"], [[3]]]);
  });

  it("is told once a drag is kept, and not once it is discarded", () => {
    open([method("spline")], {});
    const kept = vi.fn();
    for (const end of ["discard", "commit"] as const) {
      const drag = ofStep<number>("s1", 2, at, kept).drag();
      drag.update(4);
      drag[end]();
    }
    expect(kept.mock.calls).toEqual([[4]]);
  });

  it("of this window goes back when its drag is discarded", () => {
    let rate = 1;
    const drag = ofWindow(rate, (to) => (rate = to)).drag();
    drag.update(2);
    expect(rate).toBe(2);
    drag.discard();
    expect(rate).toBe(1);
  });
});

