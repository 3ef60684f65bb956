"""The per-joint editors: surfaces dragged, poses staggered, a hand moved, steps stacked."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retime
from browser_running import Studying, for_the_documentation
from retime.motion.kinematics import joint_speeds

Open = Callable[..., Studying]
SIZE = (970, 600)


@pytest.fixture(scope="session")
def swing_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("clips") / "swing.bvh"
    retime.write(retime.samples.swing(), place)
    return place


def drag(
    page: Studying, at: dict[str, float], dx: float, dy: float = 0.0, drop: bool = True
) -> None:
    mouse = page.page.mouse
    mouse.move(at["x"], at["y"])
    mouse.down()
    for k in range(1, 11):
        mouse.move(at["x"] + dx * k / 10, at["y"] + dy * k / 10)
        page.page.wait_for_timeout(10)
    if drop:
        mouse.up()


def block(page: Studying, name: str) -> Any:
    listed = f"retime.state.result.value.header.arrays.find(a => a.name === '{name}')"
    shape = page.get(f"{listed}.shape")
    values = page.get(f"Array.from(retime.state.result.value.block('{name}'))")
    return np.array(values).reshape(shape)


def joint(page: Studying, name: str) -> int:
    return int(page.get(f"retime.state.source.value.header.joints.indexOf('{name}')"))


def add_surface(page: Studying, time: float, name: str) -> None:
    page.page.evaluate(f"retime.actions.seek({time}); retime.state.selectedJoint.value = "
                       f"{joint(page, name)}")  # fmt: skip
    page.page.keyboard.press("t")
    page.until("retime.state.result.value.header.editor?.type === 'surface'")
    page.up_to_date()


def ahead(page: Studying, name: str, at: float) -> float:
    times = np.array(page.get("Array.from(retime.state.result.value.times)"))
    return float(np.interp(at, times, block(page, "joint_times")[:, joint(page, name)]))


def test_a_dragged_surface_moves_the_hand_and_leaves_the_legs(
    open_page: Open, swing_file: Path
) -> None:
    page = open_page(swing_file, size=SIZE)
    page.up_to_date()
    add_surface(page, 1.8, "RightHand")
    assert page.get("retime.state.tab.value") == "joints"
    page.until("retime.places.handlePosition()")
    before = page.get("retime.state.projectHash.value")
    at = page.get("retime.places.handlePosition()")
    depth = page.get("retime.state.undoDepth.value")
    drag(page, at, 60, 10, drop=False)
    page.until("Math.abs(retime.state.step.value.parameters.keys[0].shift ?? 0) > 0.02")
    page.page.keyboard.press("Escape")
    page.page.mouse.up()
    page.up_to_date()
    assert page.get("retime.state.projectHash.value") == before
    drag(page, page.get("retime.places.handlePosition()"), 40, 10)
    page.until(f"retime.state.undoDepth.value === {depth + 1}")
    page.up_to_date()
    shift = page.get("retime.state.step.value.parameters.keys[0].shift")
    assert abs(shift) > 0.02
    assert ahead(page, "RightHand", 1.8 + shift) == pytest.approx(-shift, abs=5e-3)
    for name in ("LeftFoot", "RightFoot", "LeftLeg", "RightUpLeg"):
        assert abs(ahead(page, name, 1.8 + shift)) < 0.02 * abs(shift)


def test_one_selection_and_an_overlapping_surface_is_refused(
    open_page: Open, swing_file: Path
) -> None:
    page = open_page(swing_file, size=(1280, 800))
    page.up_to_date()
    # A click on the body selects; the tree shows it; a click beside the body selects nothing.
    page.until("retime.places.bodyJointPosition(0)")
    left = joint(page, "LeftForeArm")
    at = page.get(f"retime.places.bodyJointPosition({left})")
    page.page.mouse.click(at["x"], at["y"])
    assert page.get("retime.state.selectedJoint.value") == left
    limb = page.page.get_by_role("treeitem", name="Left arm")
    assert limb.get_attribute("aria-selected") == "true"
    box = page.get("document.querySelector('.view-canvas canvas').getBoundingClientRect().toJSON()")
    page.page.mouse.click(box["x"] + box["width"] * 0.3, box["y"] + box["height"] * 0.25)
    assert page.get("retime.state.selectedJoint.value") is None
    page.page.get_by_role("treeitem", name="Left leg").click()
    assert page.get("retime.state.selectedJoint.value") == joint(page, "LeftFoot")
    # Without a selection T takes the limb that moves most: here the right hand swings.
    page.page.evaluate("retime.state.selectedJoint.value = null; retime.actions.seek(1.8)")
    page.page.keyboard.press("t")
    page.until("retime.state.result.value.header.editor?.type === 'surface'")
    page.up_to_date()
    assert page.get("retime.state.step.value.parameters.keys[0].joint") == "RightHand"
    assert page.get("retime.state.selectedJoint.value") == joint(page, "RightHand")
    page.page.evaluate("retime.actions.seek(1.85)")
    page.page.keyboard.press("t")
    page.page.wait_for_timeout(500)
    assert page.get("retime.state.step.value.parameters.keys.length") == 1
    said = page.get("retime.state.announcement.value + JSON.stringify(retime.state.problems.value)")
    assert "1.8" in said or "range" in said, said
    add_surface(page, 0.6, "LeftHand")
    page.until("retime.state.step.value.parameters.keys.length === 2")
    page.up_to_date()
    # A timing that is acted with the pointer becomes keytimes of a guided step: one undo step.
    depth, problems = page.get("[retime.state.undoDepth.value, retime.state.problems.value]")
    page.page.keyboard.press("r")
    bar = page.page.locator(".act-bar").bounding_box()
    assert bar is not None
    mouse, middle = page.page.mouse, bar["y"] + bar["height"] / 2
    mouse.move(bar["x"] + 1, middle)
    mouse.down()
    began = time.monotonic()
    for share in (0.05, 0.1, 0.15, 0.2, 0.25, 0.4, 0.6, 0.8, 1.0):  # slow at first, then fast
        page.page.wait_for_timeout(60)
        mouse.move(bar["x"] + bar["width"] * share, middle)
    acted = time.monotonic() - began
    mouse.up()
    page.until(f"retime.state.undoDepth.value === {depth + 1}")
    page.up_to_date()
    made: Any = page.get("retime.state.step.value")
    assert made["method"] == "guided"
    assert made["parameters"]["duration"] == pytest.approx(acted, rel=0.25)
    keys = np.array(made["parameters"]["keytimes"])
    assert (np.diff(keys, axis=0) > 0).all()
    middle_time, middle_place = keys[np.argmin(np.abs(keys[:, 0] - 0.5 * acted))]
    clip = page.get("retime.state.source.value.end")
    assert middle_place / clip < middle_time / acted  # it begins slowly
    assert all(p in problems for p in page.get("retime.state.problems.value"))


def test_poses_are_moved_staggered_and_undone(open_page: Open, jump_file: Path) -> None:
    page = open_page(jump_file, size=SIZE)
    page.up_to_date()
    first = page.get("retime.state.projectHash.value")
    page.add_step(method="stagger")
    page.until("retime.state.result.value.header.editor?.type === 'poses'")
    assert page.get("retime.state.tab.value") == "poses"
    page.page.wait_for_timeout(300)
    times = block(page, "pose_times")
    k = len(times) // 2
    page.until(f"retime.places.posePosition({k})")
    depth = page.get("retime.state.undoDepth.value")
    drag(page, page.get(f"retime.places.posePosition({k})"), 14)
    page.until(f"retime.state.undoDepth.value === {depth + 1}")
    page.up_to_date()
    moved = block(page, "pose_times")
    assert moved[k] > times[k] + 1e-3
    np.testing.assert_allclose(np.delete(moved, k), np.delete(times, k), atol=1e-6)
    edit = page.get("retime.state.step.value.parameters.edits")
    assert edit[-1]["do"] == "retime"
    # A succession over what is there, and one diamond of it.
    before = block(page, "refinements")
    step = page.get("retime.state.selectedStep.value")
    document = [*edit, {"do": "succession", "joint": "RightArm", "step": 0.03, "power": 1.0}]
    page.page.evaluate(
        "([id, edits]) => retime.actions.setParameter(id, 'edits', edits)", [step, document]
    )
    page.up_to_date()
    after = block(page, "refinements")
    channels = page.get("retime.state.result.value.header.editor.channels")
    hand = channels.index("RightHand")
    assert after[k, hand] - before[k, hand] > 0.01
    last = page.get("retime.state.projectHash.value")
    total = page.get("retime.state.undoDepth.value")
    for n in range(total):
        page.page.keyboard.press("Control+z")
        page.until(f"retime.state.undoDepth.value === {total - n - 1}")
    assert page.get("retime.state.projectHash.value") == first
    for n in range(total):
        page.page.keyboard.press("Control+Shift+z")
        page.until(f"retime.state.undoDepth.value === {n + 1}")
    assert page.get("retime.state.projectHash.value") == last


def with_poses(page: Studying) -> Any:
    """Add a step of staggered poses; their times."""
    page.up_to_date()
    page.add_step(method="stagger")
    page.until("retime.state.result.value.header.editor?.type === 'poses'")
    page.until("retime.places.posePosition(1)")
    page.page.wait_for_timeout(200)
    return block(page, "pose_times")


def mark(page: Studying, pose: int, channel: str) -> dict[str, float]:
    place = page.get(f"retime.places.posePosition({pose}, '{channel}')")
    assert place is not None
    return dict(place)


def test_a_box_of_diamonds_goes_on_top_of_a_succession(open_page: Open, jump_file: Path) -> None:
    page = open_page(jump_file, size=SIZE)
    times = with_poses(page)
    first = page.get("retime.state.projectHash.value")
    depth = page.get("retime.state.undoDepth.value")
    page.page.evaluate(f"retime.state.selectedJoint.value = {joint(page, 'RightArm')}")
    page.page.get_by_role("button", name="Succession").click()
    page.page.get_by_role("dialog", name="Succession").get_by_role("button", name="Apply").click()
    page.until(f"retime.state.undoDepth.value === {depth + 1}")
    page.up_to_date()
    succession = page.get("retime.state.step.value.parameters.edits")
    assert [e["do"] for e in succession] == ["succession"]
    staggered = block(page, "refinements")
    channels = page.get("retime.state.result.value.header.editor.channels")
    # A box over the left arm's diamonds at three poses, then one of them pulled: all of them go.
    a, b = 2, 4
    page.page.locator("#panel-poses canvas.timeline-plot").focus()
    page.page.keyboard.press("b")
    corner, other = mark(page, a, "LeftHand"), mark(page, b, "LeftHand")
    drag(page, {"x": corner["x"] - 8, "y": corner["y"] - 8}, other["x"] - corner["x"] + 16, 16)
    arm = page.get(
        "(() => { const { parents, joints } = retime.state.source.value.header;"
        " const below = (j) => j >= 0 && (joints[j] === 'LeftShoulder' || below(parents[j]));"
        " return joints.filter((_, j) => below(j)); })()"
    )
    columns = [c for c, name in enumerate(channels) if name in arm]
    count = (b - a + 1) * len(columns)
    page.until(f"retime.state.announcement.value === '{count} parts are selected.'")
    drag(page, mark(page, b - 1, "LeftHand"), 5)
    page.until(f"retime.state.undoDepth.value === {depth + 2}")
    page.up_to_date()
    moved = block(page, "refinements") - staggered
    by = moved[a, columns[0]]
    assert by > 0.005
    expected = np.zeros_like(moved)
    expected[a : b + 1, columns] = by
    np.testing.assert_allclose(moved, expected, atol=1e-4)
    np.testing.assert_allclose(block(page, "pose_times"), times, atol=1e-6)
    edits = page.get("retime.state.step.value.parameters.edits")
    assert edits[: len(succession)] == succession  # it is kept, and the refinements come after it
    assert {e["do"] for e in edits[len(succession) :]} == {"refine"}
    last = page.get("retime.state.projectHash.value")
    for n in (1, 0):
        page.page.keyboard.press("Control+z")
        page.until(f"retime.state.undoDepth.value === {depth + n}")
    assert page.get("retime.state.projectHash.value") == first
    for n in (1, 2):
        page.page.keyboard.press("Control+Shift+z")
        page.until(f"retime.state.undoDepth.value === {depth + n}")
    assert page.get("retime.state.projectHash.value") == last
    page.until("retime.state.result.value.header.revision === retime.state.revision.value")
    np.testing.assert_allclose(block(page, "refinements") - staggered, expected, atol=1e-4)


def slip(page: Studying) -> float:
    """How far any standing foot goes along the ground in the result, metres."""
    shape = page.get("[retime.state.result.value.frames, retime.state.result.value.points, 3]")
    places = np.array(page.get("Array.from(retime.state.result.value.positions)")).reshape(shape)
    times = np.array(page.get("Array.from(retime.state.result.value.times)"))
    bars = page.get("retime.state.result.value.contacts")
    assert len(bars) >= 2
    most = 0.0
    for bar in bars:
        inside = (times >= bar["start"] - 1e-6) & (times <= bar["end"] + 1e-6)
        level = places[inside, bar["point"]][:, [0, 2]]
        most = max(most, float(np.linalg.norm(level - level[0], axis=1).max()))
    return most


def test_feet_stay_where_they_stand_after_an_edit(open_page: Open, jump_file: Path) -> None:
    page = open_page(jump_file, size=SIZE)
    times = with_poses(page)
    k = len(times) // 2
    depth = page.get("retime.state.undoDepth.value")
    drag(page, page.get(f"retime.places.posePosition({k})"), 12)
    page.until(f"retime.state.undoDepth.value === {depth + 1}")
    page.up_to_date()
    assert block(page, "pose_times")[k] > times[k] + 0.01
    assert slip(page) < 1e-3
    page.page.locator("select[aria-label='Hold contacts']").select_option("free")
    page.until("retime.state.step.value.parameters.constraints === 'free'")
    page.up_to_date()
    assert slip(page) < 1e-3  # all parts of a moved pose follow the body, held or not


@pytest.fixture(scope="session")
def long_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A walk on and on: more than 10,000 knots of poses."""
    place = tmp_path_factory.mktemp("clips") / "long.bvh"
    walk = retime.samples.walk(fps=30)
    turns = np.concatenate([walk.rotations] * 30)
    ways = {name: np.concatenate([way] * 30) for name, way in walk.translations.items()}
    retime.write(retime.Motion(walk.skeleton, turns, ways, fps=30), place)
    return place


def test_a_sheet_of_ten_thousand_keys(open_page: Open, long_file: Path) -> None:
    page = open_page(long_file, size=SIZE)
    times = with_poses(page)
    included = block(page, "included")
    assert included.sum() > 10_000
    lost = page.get(
        "(() => { const { channels } = retime.state.result.value.header.editor;"
        " const has = retime.state.result.value.block('included'); let lost = 0;"
        f" for (let k = 0; k < {len(times)}; k++) for (let c = 0; c < channels.length; c++)"
        "  if (has[k * channels.length + c] && !retime.places.posePosition(k, c)) lost++;"
        " return lost; })()"
    )
    assert lost == 0
    # At this width marks lie on one another: look closer, then pull one of them.
    k = len(times) // 2
    at = mark(page, k, "RightHand")
    for _ in range(24):
        at = mark(page, k, "RightHand")
        page.page.mouse.move(at["x"], at["y"])
        page.page.mouse.wheel(0, -120)
        page.page.wait_for_timeout(30)
    before = block(page, "refinements")
    depth = page.get("retime.state.undoDepth.value")
    drag(page, mark(page, k, "RightHand"), 8)
    page.until(f"retime.state.undoDepth.value === {depth + 1}")
    page.up_to_date()
    moved = np.abs(block(page, "refinements") - before)
    hand = page.get("retime.state.result.value.header.editor.channels.indexOf('RightHand')")
    assert moved[k, hand] > 1e-3
    assert np.delete(moved, k, axis=0).max() < 1e-5


def test_a_hand_is_brought_to_a_place_at_a_pose(open_page: Open, jump_file: Path) -> None:
    page = open_page(jump_file, size=SIZE)
    page.up_to_date()
    page.add_step(method="stagger")
    page.until("retime.state.result.value.header.editor?.type === 'poses'")
    times = block(page, "pose_times")
    k, hand = len(times) // 2, joint(page, "RightHand")
    page.page.evaluate(
        f"retime.state.selectedPose.value = {k}; retime.state.selectedJoint.value = {hand}"
    )
    page.until("retime.places.poseHandlePosition('y')")
    page.page.wait_for_timeout(300)
    drag(page, page.get("retime.places.poseHandlePosition('y')"), 0, 12)
    page.until("(retime.state.step.value.parameters?.edits ?? []).some(e => e.do === 'reach')")
    page.up_to_date()
    reach = page.get("retime.state.step.value.parameters.edits.find(e => e.do === 'reach')")
    target = reach["targets"]["RightHand"]
    out = page.get(
        f"(() => {{ const r = retime.state.result.value, out = new Float32Array(3 * r.points);"
        f" r.poseAt(retime.state.stepTimes.value.toResult({times[k]}), out);"
        f" return Array.from(out.slice({3 * hand}, {3 * hand + 3})); }})()"
    )
    assert np.linalg.norm(np.array(out) - target) < 1e-3
    recipe = retime.Recipe(
        [retime.Step("stagger", {"edits": page.get("retime.state.step.value.parameters.edits")})]
    )
    made = recipe.evaluate(retime.read(jump_file))
    np.testing.assert_allclose(
        page.get("Array.from(retime.state.result.value.positions)"),
        retime.positions(made, end_sites=True).ravel(), atol=1e-5,
    )  # fmt: skip


def test_a_stack_of_steps_is_what_the_library_makes_of_it(
    open_page: Open, swing_file: Path, tmp_path: Path
) -> None:
    page = open_page(swing_file, size=SIZE)
    page.up_to_date()
    key = {"time": 1.4, "joint": "RightHand", "shift": -0.08}
    page.add_step(method="guided", parameters={"duration": 3.0})
    page.add_step(method="surface", parameters={"keys": [key]})
    succession = {"do": "succession", "joint": "RightArm", "step": 0.02, "power": 1.5}
    page.add_step(method="stagger", parameters={"edits": [succession]})
    status, _, data = page.studio.ask("GET", "/export?format=npz&version=A")
    assert status == 200
    (tmp_path / "out.npz").write_bytes(data)
    _, _, text = page.studio.ask("GET", "/export?format=recipe&version=A")
    (tmp_path / "recipe.json").write_bytes(text)
    assert [s["method"] for s in json.loads(text)["steps"]] == ["guided", "surface", "stagger"]
    expected = retime.read_recipe(tmp_path / "recipe.json").evaluate(retime.read(swing_file))
    np.testing.assert_allclose(
        retime.positions(retime.read(tmp_path / "out.npz")), retime.positions(expected), atol=1e-6
    )
    page.page.get_by_role("tab", name="Layers").click()
    page.page.wait_for_timeout(500)
    assert page.get("retime.state.tab.value") == "layers"
    page.page.evaluate("retime.actions.run({type: 'move_step', id: 's3', index: 0})")
    page.until("retime.state.steps.value[0].id === 's3'")
    page.up_to_date()
    page.page.evaluate("retime.actions.change('s3', {mute: true})")
    page.up_to_date()
    assert len(page.get("retime.state.result.value.header.steps")) == 2


def test_a_motion_is_followed_live(open_page: Open, tmp_path: Path) -> None:
    for name in ("punches", "punches-slow"):
        retime.write(retime.samples.sample(name).motion, tmp_path / f"{name}.bvh")
    page = open_page(tmp_path / "punches.bvh", tmp_path / "punches-slow.bvh", size=SIZE)
    page.up_to_date()
    page.until("retime.state.clips.value.size === 2")
    page.page.get_by_role("tab", name="Live").click()
    page.page.evaluate("retime.actions.followLive('m2')")
    page.until("retime.state.liveRun.value")
    assert page.get("retime.state.liveRun.value.header.score.worst_error_ms") > 100
    page.page.wait_for_timeout(500)


@for_the_documentation
def test_pictures_of_the_editors(open_page: Open, swing_file: Path, jump_file: Path) -> None:
    page = open_page(swing_file, size=(1440, 900))
    page.up_to_date()
    add_surface(page, 1.8, "RightHand")
    page.page.evaluate(
        "retime.actions.setParameter(retime.state.selectedStep.value, 'keys',"
        " [{time: 1.8, joint: 'RightHand', shift: -0.15}])"
    )
    page.up_to_date()
    page.page.evaluate("retime.actions.seek(1.65)")
    page.page.wait_for_timeout(2000)
    page.picture("studio-surface")
    other = open_page(jump_file, studio=page.studio, size=(1440, 900))
    other.page.evaluate("retime.actions.openSample('walk')")
    other.until("Object.values(retime.state.project.value.motions).some(m => m.name === 'walk')")
    other.page.evaluate(
        "retime.actions.showVersion('B'); retime.actions.run({type: 'choose_motion', id: 'm2'})"
    )
    other.until("retime.state.source.value?.header.name === 'walk'")
    other.up_to_date()
    edit = {"do": "succession", "joint": "RightArm", "step": 0.03, "power": 1.5}
    other.add_step(method="stagger", parameters={"edits": [edit]})
    other.until("retime.state.result.value.header.editor?.type === 'poses'")
    k = len(block(other, "pose_times")) // 2
    other.page.evaluate(
        f"retime.state.selectedPose.value = {k}; retime.state.selectedJoint.value = "
        f"{joint(other, 'RightHand')}"
    )
    other.page.wait_for_timeout(2500)
    other.picture("studio-poses")


# The paper's examples on recorded takes: the clip, the joint at its fastest, and how much later.
EXAMPLES = {
    "golf": ("64_01", "RightHand", -0.16),
    "kick": ("10_01", "RightFoot", -0.1),
    "throw": ("124_01", "RightHand", -0.1),
    "yawn": ("111_32", "RightHand", 0.2),
}
MOCAP = Path(__file__).parents[3] / "shared" / "mocap"


@for_the_documentation
@pytest.mark.parametrize("name", EXAMPLES)
def test_the_examples_of_the_paper(open_page: Open, tmp_path: Path, name: str) -> None:
    clip, joint_name, shift = EXAMPLES[name]
    if not (MOCAP / f"{clip}.bvh").exists():
        pytest.skip(f"{clip}.bvh is not at hand")
    (tmp_path / f"{name}.bvh").write_bytes((MOCAP / f"{clip}.bvh").read_bytes())
    page = open_page(tmp_path / f"{name}.bvh", size=(1100, 720))
    page.up_to_date()
    motion = retime.read(tmp_path / f"{name}.bvh")
    speed = joint_speeds(motion)[:, motion.skeleton.index(joint_name)]
    inner = (motion.times > 0.8) & (motion.times < motion.duration - 0.8)
    moment = float(motion.times[inner][speed[inner].argmax()])
    add_surface(page, moment, joint_name)
    page.page.evaluate(
        "([id, keys]) => retime.actions.setParameter(id, 'keys', keys)",
        [page.get("retime.state.selectedStep.value"),
         [{"time": moment, "joint": joint_name, "shift": shift}]],
    )  # fmt: skip
    page.up_to_date()
    assert ahead(page, joint_name, moment + shift) == pytest.approx(-shift, abs=5e-3)
    page.page.evaluate(f"retime.actions.seek({moment + shift})")
    page.page.wait_for_timeout(1500)
    page.picture(f"studio-{name}")
