import { describe, expect, test } from "vitest";
import type { PosesEditor } from "../src/protocol";
import { slipOf } from "../src/panels/poses/slip";
import { keepWith } from "../src/panels/poses/candidates";
import { chainBelow, delay } from "../src/panels/poses/delays";
import { parseSets, withJoint } from "../src/panels/poses/joint_sets";
import {
  detailOf, goingOn, namesPoses, sameKind, sayEdit, sayLater, withDetail, withDocument,
} from "../src/store/pose_edits";
import { withMute, withoutEdit } from "../src/store/pose_numbers";
import { placePose, PosesView } from "../src/store/poses_view";
import { fewestFor, keepFor, keptCount } from "../src/timeline/poses/pose_count";
import {
  jointLabel, makeRows, markTime, poseBands, ROW_HEIGHT, rowMiddle, visibleRows,
} from "../src/timeline/poses/pose_rows";
import { commonRoom, refine } from "../src/timeline/poses/refining";

const CHANNELS = ["Hips", "LeftArm", "LeftHand", "Hips:translation"];
const JOINTS = [0, 1, 2, 0];
const LIMBS = ["trunk", "left_arm", "left_arm"] as const;
const ROLES = ["hips", "left_upper_arm", "left_hand"];

function view(times = [0, 1, 2, 3], refinements: Record<string, number> = {}, leftOut: string[] = []): PosesView {
  const count = times.length * CHANNELS.length;
  const late = new Float32Array(count);
  const included = new Float32Array(count).fill(1);
  for (const [at, value] of Object.entries(refinements)) late[index(at)] = value;
  for (const at of leftOut) included[index(at)] = 0;
  const free = times.map((_, k) => k).slice(1, -1);
  const editor: PosesEditor = {
    type: "poses", step: "s1", channels: CHANNELS, joints: JOINTS, free, found: 9, notes: [], counted: [], layers: 1, weights: [1],
  };
  return new PosesView(editor, Float32Array.from(times), late, included, null, 0.01);
}
/** "1:2" is channel 2 of pose 1. */
const index = (at: string): number => {
  const [k, c] = at.split(":").map(Number) as [number, number];
  return k * CHANNELS.length + c;
};

describe("poses as a result brings them", () => {
  test("knots, means and what is left out", () => {
    const poses = view(undefined, { "1:1": 0.1, "1:2": 0.2 }, ["2:1"]);
    expect(poses.knot(1, 2)).toBeCloseTo(1.2, 5);
    expect(poses.mean(1, [1, 2])).toBeCloseTo(0.15, 5);
    expect(poses.mean(2, [1])).toBeNull();
    expect(poses.has(2, 1)).toBe(false);
    expect(poses.most(1)).toBeCloseTo(0.2, 5);
  });

  test("how much later than asked a result has parts", () => {
    const asked = view(undefined, { "1:1": 0.1, "1:2": 0.2 }, ["2:1"]);
    expect(asked.late(1, [1, 2])).toBe(0);
    const delivered = new Float32Array(asked.count * asked.channels.length);
    delivered[asked.channels.length + 1] = 0.06;
    delivered[asked.channels.length + 2] = 0.12;
    const times = Float32Array.from(asked.times);
    const count = asked.channels.length;
    const late = Float32Array.from(delivered, (_, n) => asked.refinement(Math.floor(n / count), n % count));
    const poses = new PosesView(asked.editor, times, late, null, null, 0.01, null, null, delivered);
    expect(poses.late(1, [1, 2])).toBeCloseTo(-0.06, 5);
    expect(poses.moved(1, 1.1).late(1, [1, 2])).toBe(0); // the result is not there yet
  });

  test("channels are joints, the root's way is not its rotation", () => {
    const poses = view();
    expect(poses.channelOf(0)).toBe(0);
    expect(poses.channelOf(2)).toBe(2);
    expect(poses.jointOf(3)).toBe(0);
    expect(poses.isTranslation(3)).toBe(true);
  });

  test("the nearest pose to a time", () => {
    expect(view().at(1.05, 0.1)).toBe(1);
    expect(view().at(1.5, 0.1)).toBeNull();
    expect(view().at(2.9, Infinity)).toBe(3);
  });
});

describe("room", () => {
  test("a pose stops beside its neighbours and says why", () => {
    expect(placePose(view(), 1, 1.4)).toEqual({ time: 1.4, refusal: null });
    const { time, refusal } = placePose(view(), 1, 2.6);
    expect(time).toBeCloseTo(1.99, 3);
    expect(refusal).toBe("Stops at 1.99 s: the next pose is at 2.00 s.");
    expect(placePose(view(), 2, 0.2).refusal).toContain("the pose before is at 1.00 s");
  });

  test("the ends stay", () => {
    expect(placePose(view(), 0, 0.5)).toEqual({
      time: 0, refusal: "The first pose starts the clip: it stays where it is.",
    });
    expect(placePose(view(), 3, 2.5).refusal).toContain("last pose");
  });

  test("a knot stays between its own at the poses beside, whichever have it", () => {
    const poses = view(undefined, { "2:1": -0.3 });
    expect(poses.refinementRoom(1, 1)[1]).toBeCloseTo(0.69, 3);
    expect(view(undefined, {}, ["2:1"]).refinementRoom(1, 1)[1]).toBeCloseTo(1.99, 3);
  });

  test("moving a pose scales refinements with the gap on their side", () => {
    const moved = view(undefined, { "1:1": 0.4, "1:2": -0.2 }).moved(1, 1.5);
    expect(moved.refinement(1, 1)).toBeCloseTo(0.2, 5); // half of the way to the next is left
    expect(moved.refinement(1, 2)).toBeCloseTo(-0.3, 5);
    expect(moved.times[1]).toBe(1.5);
  });
});

describe("refining", () => {
  test("one document a pose, and none for the ends", () => {
    const { documents, view: made } = refine(view(), [[1, 1, 0.1], [1, 2, 0.2], [2, 1, 0.1], [0, 1, 0.1]], true);
    expect(documents).toEqual([
      { do: "refine", pose: 2, refinements: { LeftArm: 0.1 } },
      { do: "refine", pose: 1, refinements: { LeftArm: 0.1, LeftHand: 0.2 } },
    ]);
    expect(made.refinement(1, 2)).toBeCloseTo(0.2, 5);
  });

  test("poses that go earlier do so from the first on", () => {
    const { documents } = refine(view(), [[2, 1, -0.1], [1, 1, -0.1]], false);
    expect(documents.map((d) => d["pose"])).toEqual([1, 2]);
  });

  test("knots that would cross stop, and are counted", () => {
    const { documents, stopped } = refine(view(), [[1, 1, 1.5]], true);
    expect(stopped).toBe(1);
    expect((documents[0]!["refinements"] as Record<string, number>)["LeftArm"]).toBeLessThan(0.9901);
  });

  test("what moves along is not in the way", () => {
    const poses = view(undefined, { "1:1": 0.95 });
    expect(commonRoom(poses, [[1, 1]])[1]).toBeCloseTo(0.04, 3);
    expect(commonRoom(poses, [[1, 1], [2, 1]])[1]).toBeCloseTo(0.99, 3);
  });
});

describe("rows", () => {
  test("fold by limb; the root's way is apart", () => {
    const poses = view(undefined, { "1:1": 0.1, "1:2": 0.3 });
    const folded = makeRows(poses, LIMBS, ROLES, new Set());
    expect(folded.map((row) => row.label)).toEqual(["Trunk and head", "Left arm", "Root path"]);
    expect(markTime(poses, folded[1]!, 1)).toBeCloseTo(1.2, 5);
    const open = makeRows(poses, LIMBS, ROLES, new Set(["left_arm"]));
    expect(open.map((row) => row.label)).toEqual(["Trunk and head", "Left arm", "Upper arm", "Hand", "Root path"]);
    expect(open[1]!.open).toBe(true);
  });

  test("labels", () => {
    expect(jointLabel("lhand", "left_lower_arm")).toBe("Lower arm");
    expect(jointLabel("LThumb", null)).toBe("LThumb");
  });

  test("parts fill the height, and only rows on screen are drawn", () => {
    for (const height of [222, 324, 374]) {
      const { ruler, likely, rows, contacts } = poseBands(height, 2);
      expect(ruler.height + likely.height + rows.height + (contacts?.height ?? 0)).toBe(height);
      expect(rows.height).toBeGreaterThanOrEqual(6 * ROW_HEIGHT - 10);
    }
    const band = { top: 85, height: 100 };
    expect(visibleRows(40, band, 30)).toEqual([1, 7]);
    expect(visibleRows(3, band, 0)).toEqual([0, 3]);
    expect(rowMiddle(0, band, 0)).toBe(95);
  });
});

describe("edits", () => {
  const push = (weight: number, pose = 3) => ({ do: "exaggerate", weight, poses: [pose] });

  test("a slider goes on with the last edit of its kind, and with no other", () => {
    expect(withDocument([push(0.1)], push(0.2))).toEqual([push(0.2)]);
    expect(withDocument([push(0.1)], push(0.2, 4))).toHaveLength(2);
    expect(withDocument([push(0.1), { do: "delete", pose: 2 }], push(0.2))).toHaveLength(3);
    expect(sameKind({ ...push(0.1), mute: true }, push(0.2))).toBe(false);
    expect(goingOn([push(0.1)], push(0), "weight")).toBe(0.1);
    expect(goingOn([], push(0), "weight")).toBeNull();
  });

  test("detail is one edit a limb, wherever it stands, and none at 100 %", () => {
    const arm = ["LeftArm", "LeftHand"];
    const made = withDetail(withDetail([], arm, 0.5), ["Hips"], 0.2);
    const again = withDetail(made, arm, 0.6);
    expect(again).toHaveLength(2);
    expect([detailOf(again, arm), detailOf(again, ["Hips"]), detailOf(again, ["Head"])]).toEqual([0.6, 0.2, 1]);
    expect(withDetail(again, arm, 1)).toEqual([{ do: "detail", share: 0.2, joints: ["Hips"] }]);
  });

  test("in words", () => {
    expect(sayEdit({ do: "retime", pose: 5, time: 1.2 })).toEqual({ title: "Move", detail: "pose 6, to 1.20 s" });
    expect(sayEdit({ do: "weigh_layer", layer: 1, weight: 0.4 }).detail).toBe("layer 1, 40 %");
    expect(sayEdit({ do: "remove_layer", layer: 2 })).toEqual({ title: "Remove a layer", detail: "layer 2" });
    const late = { do: "succession", joint: "RightArm", step: 0.018, past_end: true };
    expect(sayEdit(late).detail).toBe("all poses, RightArm, 0.018 s later, past the end");
    expect(sayEdit({ do: "succession", joint: "RightArm", step: 0.018, power: 1.5 }).detail)
      .toBe("all poses, RightArm, 0.018 s later");
    expect(sayEdit({ do: "refine", pose: 1, refinements: { A: 0.1, B: 0.2 } }).detail).toBe("pose 2, A and 1 more");
    expect(sayEdit({ do: "detail", share: 0.6, joints: ["A"] }).detail).toBe("A, 60 %");
    const said = [sayLater(0.02), sayLater(-0.02), sayLater(0)];
    expect(said).toEqual(["0.020 s later", "0.020 s earlier", "with its pose"]);
  });
});

describe("the number of poses", () => {
  test("is a count of those between the ends; all of them is the default", () => {
    expect(keepFor(9, 9)).toBeNull();
    expect(keepFor(5, 9)).toBe(3);
    expect(keepFor(1, 9)).toBe(2); // one would mean a share
    expect(keptCount(3, view(), [])).toBe(5);
    expect(keptCount(null, view(), [])).toBe(9);
    expect(keptCount(0.5, view(), [{ do: "insert", time: 1 }])).toBe(3);
  });

  test("leaves the poses that edits name", () => {
    const edits = [{ do: "delete", pose: 6 }, { do: "jitter", seconds: 0.1, poses: [2, 7] }, { do: "insert", time: 1 }];
    expect(fewestFor(edits)).toBe(9);
    expect(fewestFor([])).toBe(4);
    expect(edits.map(namesPoses)).toEqual([true, true, false]);
  });
});

test("a succession goes down the longest chain", () => {
  const parents = [-1, 0, 1, 2, 2, 4, 0];
  expect(chainBelow(parents, 1)).toEqual([1, 2, 4, 5]);
  expect(chainBelow(parents, 6)).toEqual([6]);
  expect([delay(0, 0.02, 1.5), delay(1, 0.02, 1.5)]).toEqual([0, 0.02]);
  expect(delay(4, 0.02, 1.5)).toBeCloseTo(0.16, 9);
});

test("slip is how far a standing point goes along the ground, whatever it does above it", () => {
  const positions = Float32Array.from([0, 0, 0, 0.003, 1, 0.004, 9, 0, 9]);
  const clip = { positions, times: Float32Array.from([0, 1, 2]), points: 1 };
  expect(slipOf({ ...clip, contacts: [{ joint: "Foot", point: 0, start: 0, end: 1, given: [0, 1], sure: 1 }] })).toBeCloseTo(0.005, 6);
  expect(slipOf({ ...clip, contacts: [] })).toBe(0);
});

describe("numbers of poses when an edit before them goes", () => {
  const insert = { do: "insert", time: 1.5 };
  const move = (pose: number): { do: string; pose: number; time: number } => ({ do: "retime", pose, time: 2.2 });

  test("later edits keep their poses when an insertion is removed", () => {
    const edits = [move(1), insert, move(3), { do: "turn", poses: [1, 4], joints: ["Hips"] }];
    expect(withoutEdit(edits, 1, [null, 2, null, null])).toEqual({
      edits: [move(1), move(2), { do: "turn", poses: [1, 3], joints: ["Hips"] }],
    });
  });

  test("an edit of the inserted pose itself keeps the insertion, and says which it is", () => {
    expect(withoutEdit([insert, move(4), move(2)], 0, [2, null, null])).toEqual({
      refused: "Edit 3 changes the pose that edit 1 inserts: remove or change edit 3 first.",
    });
  });

  test("a deletion that goes brings its pose back before those that follow", () => {
    const edits = [{ do: "delete", pose: 2 }, move(1), move(2), { do: "exaggerate", weight: 1, relative_to: 2 }];
    expect(withoutEdit(edits, 0, [2, null, null, null])).toEqual({
      edits: [move(1), move(3), { do: "exaggerate", weight: 1, relative_to: 3 }],
    });
  });

  test("other insertions and deletions between them are counted", () => {
    // The pose is 2; one more comes before it (then it is 3), one before it goes (2 again): 3 means what 2 will.
    const edits = [insert, { do: "insert", time: 0.5 }, { do: "delete", pose: 2 }, move(3), move(1)];
    expect(withoutEdit(edits, 0, [2, 1, 2, null, null])).toEqual({
      edits: [{ do: "insert", time: 0.5 }, { do: "delete", pose: 2 }, move(2), move(1)],
    });
  });

  test("muting is removing, and the way back leads to where it was", () => {
    const edits = [insert, move(3)];
    const muted = withMute(edits, 0, [2, null]);
    expect(muted).toEqual({ edits: [{ ...insert, mute: true }, move(2)] });
    expect(withMute((muted as { edits: typeof edits }).edits, 0, [2, null])).toEqual({ edits });
    // What is muted was not made: it goes without a trace.
    expect(withoutEdit([{ ...insert, mute: true }, move(2)], 0, [2, null])).toEqual({ edits: [move(2)] });
  });

  test("poses by their time stay, and what cannot be counted is refused", () => {
    expect(withoutEdit([insert, { do: "turn", poses: ["0.5 s"] }], 0, [])).toEqual({
      edits: [{ do: "turn", poses: ["0.5 s"] }],
    });
    expect(withoutEdit([insert, move(3)], 0, [])).toHaveProperty("refused");
    expect(withoutEdit([insert, move(-2)], 0, [2, null])).toHaveProperty("refused");
    // A pose that comes back into the gap of a later one: which is first cannot be told.
    const gap = [{ do: "delete", pose: 2 }, insert, move(3)];
    expect(withoutEdit(gap, 0, [2, 2, null])).toHaveProperty("refused");
    const known = [{ ...insert, mute: true }, { do: "insert", time: 1.7 }, move(3)];
    expect(withMute(known, 0, [2, 2, null])).toEqual({ edits: [insert, { do: "insert", time: 1.7 }, move(4)] });
  });
});

describe("tools of the tab", () => {
  test("candidates are kept and left one by one", () => {
    const found = Float32Array.from([0.5, 0.5, 1, 1, 1.25, 1.5, 0.5, 0, 2, 2, 0.25, 1]);
    const poses = new PosesView(
      view().editor, Float32Array.from([0, 3]), new Float32Array(8), null, null, 0.01, found,
    );
    expect(poses.candidates.map((c) => c.kept)).toEqual([true, false, true]);
    expect(keepWith(poses.candidates, 1)).toEqual([0.5, 1.5, 2]);
    expect(keepWith(poses.candidates, 0)).toEqual([2]);
    expect(poses.moved(0, 0.1).candidates).toHaveLength(3);
  });

  test("tangents are of a pose and a channel", () => {
    const speeds = new Float32Array(2 * 4 * 6);
    speeds.set([1, 2, 3, 4, 5, 6], 6 * (1 * 4 + 2));
    const poses = new PosesView(
      view().editor, Float32Array.from([0, 3]), new Float32Array(8), null, null, 0.01, null, speeds,
    );
    expect(poses.tangents(1, 2)).toEqual({ arrive: [1, 2, 3], leave: [4, 5, 6] });
    expect(poses.tangents(0, 2)).toEqual({ arrive: [0, 0, 0], leave: [0, 0, 0] });
    expect(view().tangents(1, 2)).toBeNull();
  });

  test("sets of joints survive what a browser may hold", () => {
    expect(parseSets(null)).toEqual({});
    expect(parseSets("no json")).toEqual({});
    expect(parseSets('{"A": ["Hips"], "B": 3, "C": [1]}')).toEqual({ A: ["Hips"] });
    const added = withJoint({ A: ["Hips"] }, "A", "Head");
    expect(added).toEqual({ A: ["Hips", "Head"] });
    expect(withJoint(added, "A", "Hips")).toEqual({ A: ["Head"] });
  });

  test("an ease inserts a pose, and later numbers follow it", () => {
    const edits = [{ do: "ease", pose: 2, preset: "hold" }, { do: "tween", share: 0.5, toward: 4, poses: [5] }];
    expect(withoutEdit(edits, 0, [3, null])).toEqual({
      edits: [{ do: "tween", share: 0.5, toward: 3, poses: [4] }],
    });
    expect(withoutEdit([edits[0]!, { do: "turn", poses: [3] }], 0, [3, null])).toHaveProperty("refused");
    const none = [{ ...edits[0]!, amount: 0 }, edits[1]!];
    expect(withoutEdit(none, 0, [null, null])).toEqual({ edits: [edits[1]] });
    expect(withMute([{ do: "blank", pose: 1 }, edits[1]!], 0, [null, null])).toHaveProperty("refused");
  });

  test("tweens and eases in words", () => {
    expect(sayEdit({ do: "tween", share: 0.4, toward: "next", poses: [2] })).toEqual({
      title: "Tween", detail: "pose 3, 40 % toward next",
    });
    expect(sayEdit({ do: "ease", pose: 1, preset: "settle", amount: 0.5 }).detail).toBe("pose 2, settle 0.50");
    expect(sameKind({ do: "tween", share: 1, toward: "next" }, { do: "tween", share: 0, toward: "rest" })).toBe(false);
  });
});
