"""Time control surfaces on recorded motion: what trials on real clips showed must hold."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from contact_making import off_path
from retime import (
    ControlSurfaces,
    Motion,
    Recipe,
    Step,
    SurfaceKey,
    apply,
    detect_contacts,
    find_body,
    positions,
    quat,
    read,
)
from retime.body.contacts.grips import find_grips
from retime.methods.surface.arrival import arrival
from retime.methods.surface.projection import seen_at, topological_distances
from retime.motion.kinematics import global_rotations, joint_speeds

SHARED = Path(__file__).parents[3] / "shared" / "mocap"
pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared motion files are absent")

# Golf, soccer kick, pitch, swing, yawn, cartwheel, dance: those of the trials; then others.
CLIPS = {
    "64_01": "RightHand", "10_01": "RightFoot", "124_01": "RightHand", "124_07": "RightHand",
    "111_32": "RightHand", "90_02": "LeftHand", "05_06": "LeftFoot",
    "13_11": "LeftHand", "22_17": "RightHand", "49_03": "RightFoot", "16_35": "LeftHand",
}  # fmt: skip


# Feet that stand at their fastest moment, seen from the hips: a plant stays where it is.
STAND = ("05_06", "49_03")


def clip(name: str) -> Motion:
    return read(SHARED / f"{name}.bvh")


def moment(motion: Motion, joint: str) -> float:
    """When the joint is fastest, away from the ends."""
    speed = joint_speeds(motion)[:, motion.skeleton.index(joint)]
    inner = (motion.times > 0.8) & (motion.times < motion.duration - 0.8)
    if not inner.any():
        return motion.duration / 2
    return float(motion.times[inner][speed[inner].argmax()])


@pytest.mark.parametrize("mode", ["frozen", "intersection"])
@pytest.mark.parametrize("shift", [-0.2, 0.15])
@pytest.mark.parametrize("name", CLIPS)
def test_what_held_in_the_trials(name: str, shift: float, mode: str) -> None:
    motion, joint = clip(name), CLIPS[name]
    time = moment(motion, joint)
    key = SurfaceKey(time=time, joint=joint, shift=shift)
    surfaces = ControlSurfaces(motion, [key], mode=mode, falloff="joint")  # type: ignore[arg-type]
    warp = surfaces.warp()
    j = motion.skeleton.index(joint)
    graph = warp.channels[joint]
    arrived = float(np.interp(time, graph.y, graph.x))
    if mode == "frozen":  # a path that leaves the surface may undershoot: the paper's own way
        assert abs(arrived - (time + surfaces.shifts[0][j])) < 0.005
    if not surfaces.notes:
        assert surfaces.shifts[0][j] == pytest.approx(shift)
    for g in warp.channels.values():
        assert (np.diff(g.y) / np.diff(g.x)).min() >= 0.0999

    away = topological_distances(find_body(motion), j, seen_at(motion, [time])[0])
    far = away > 0.75 * surfaces.height
    gains = [np.abs(warp(motion.times, n) - motion.times).max() for n in motion.skeleton.names]
    assert np.array(gains)[far].max() < 0.02 * abs(shift)

    low, high = surfaces.spans[0]
    outside = (motion.times <= low) | (motion.times >= high)
    out = apply(motion, warp)
    assert np.array_equal(out.rotations[outside], motion.rotations[outside])
    if mode == "frozen":
        step = 1 / motion.rate
        least = min(high - time, time - low, time + shift - low, high - time - shift)
        t = motion.times[~outside]
        second = np.diff(warp(t, joint), 2) / step**2
        assert np.abs(second).max() < 6 * abs(shift) / least**2


@pytest.mark.parametrize("joint", ["RightHand", "Hips"])
def test_a_walk_keeps_its_feet(joint: str) -> None:
    motion = clip("16_16")
    key = SurfaceKey(time=2.0, joint=joint, shift=-0.2)
    if joint == "Hips":
        key = SurfaceKey(time=2.0, joint=joint, shift=-0.2, sigma=(3, 3), range_sigma=3)
    recipe = Recipe([Step("surface", {"keys": [key]})])
    out, warp = recipe.evaluate(motion), recipe.warp(motion)
    assert quat.angle(out.rotations, motion.rotations).max() > 0.05
    off = off_path(motion, out, warp, detect_contacts(motion))
    assert max(np.abs(d).max() for d in off) < 1e-6


@pytest.mark.parametrize("shift", [-0.2, 0.15])
@pytest.mark.parametrize("name", CLIPS)
def test_dragged_limbs_arrive_in_space(name: str, shift: float) -> None:
    motion, joint = clip(name), CLIPS[name]
    key = SurfaceKey(time=moment(motion, joint), joint=joint, shift=shift)
    step = Step("surface", {"keys": [key]})
    made = Recipe([step]).evaluate(motion)
    found = arrival(motion, made, motion.skeleton.index(joint), key.time, shift)
    paper = Recipe([replace(step, parameters={"keys": [key], "falloff": "joint"})])
    before = arrival(motion, paper.evaluate(motion), motion.skeleton.index(joint), key.time, shift)
    if name not in STAND:
        assert found.measured / shift > 0.9
        assert found.distance < 0.02
    # A foot that would have to leave the ground at once goes as far as it can, with a note.
    cut = any(n.code == "drag-cut" for n in made.notes)
    assert found.distance < before.distance or (name in STAND and cut)
    fastest = turn_speeds(motion)
    assert (turn_speeds(made) / np.maximum(fastest, 0.5)).max() < 4.0


@pytest.mark.parametrize(
    ("name", "time", "shift"), [("19_08", 4.925, -0.1), ("90_02", 3.317, 0.25)]
)
def test_straight_knees_do_not_shake(name: str, time: float, shift: float) -> None:
    """Judged as delivered, against holding alone: 241 and 274 m/s^2 before they were steadied."""
    motion = clip(name)
    made, held = (
        Recipe([step]).evaluate(motion)
        for step in (
            Step("surface", {"keys": [SurfaceKey(time=time, joint="LeftFoot", shift=shift)]}),
            Step("hold", {}),
        )
    )
    knees = [motion.skeleton.index(f"{side}Leg") for side in ("Left", "Right")]
    most = [
        np.linalg.norm(np.diff(positions(m)[:, knees], 2, axis=0) * m.rate**2, axis=-1).max()
        for m in (made, held)
    ]
    assert most[0] - most[1] < 60


def test_hands_of_a_spinning_dancer_arrive() -> None:
    """Half a turn of the hips, which a waist could not undo, does not move the hands."""
    motion = read(SHARED.parent / "mocap-more" / "61_01.bvh")
    hand = motion.skeleton.index("RightHand")

    def dragged(*keys: SurfaceKey) -> Motion:
        made = Recipe([Step("surface", {"keys": keys})]).evaluate(motion)
        assert not any(n.code == "drag-cut" for n in made.notes)
        return made

    for shift in (0.25, -0.25):
        key = SurfaceKey(time=9.608, joint="RightHand", shift=shift)
        found = arrival(motion, dragged(key), hand, key.time, shift)
        assert found.measured == shift
        assert found.distance < 1e-3
        # A key elsewhere, which moves nothing, changes nothing.
        again = dragged(SurfaceKey(time=2.0, joint="LeftHand", shift=1e-6), key)
        assert arrival(motion, again, hand, key.time, shift).distance < 1e-3

    other = SurfaceKey(time=14.0, joint="LeftHand", shift=0.1)
    both = dragged(SurfaceKey(time=9.608, joint="RightHand", shift=-0.25), other)
    left = motion.skeleton.index("LeftHand")
    assert arrival(motion, both, left, other.time, other.shift).distance < 1e-3


def turn_speeds(motion: Motion, *, space: bool = False) -> np.ndarray:
    rotations = global_rotations(motion) if space else motion.rotations
    turns = quat.angle(rotations[:-1], rotations[1:])
    return np.asarray(turns.max(axis=0) * motion.rate)


@pytest.mark.parametrize(
    ("name", "joint", "time", "shift"),
    [
        # The other hand undoes a flip of its arm; before, it turned 4.7 times as fast.
        ("mocap-more/01_02", "RightHand", 10.692, -0.25),
        # The other arm undoes jumps of the trunk: 8.2.
        ("mocap/16_35", "RightHand", 0.671, -0.25),
        # The neck keeps the head still: 4.2.
        ("mocap/64_01", "LeftHand", 2.7, 0.25),
        # The waist undoes turns of the hips: 9.1.
        ("mocap-more/143_01", "LeftHand", 0.4125, -0.25),
    ],
)
def test_turns_that_joints_undo_stay_invisible(
    name: str, joint: str, time: float, shift: float
) -> None:
    motion = read(SHARED.parent / f"{name}.bvh")
    key = SurfaceKey(time=time, joint=joint, shift=shift)
    made = Recipe([Step("surface", {"keys": [key]})]).evaluate(motion)
    fastest = np.maximum(turn_speeds(motion, space=True), 0.5)
    assert (turn_speeds(made, space=True) / fastest).max() < 3.5
    low, high = ControlSurfaces(motion, [key]).spans[0]
    outside = (motion.times < low - 1) | (motion.times > high + 1)
    arms = [n for n in motion.skeleton.names if "Arm" in n or "Hand" in n]
    chosen = [motion.skeleton.index(n) for n in arms]
    turned = quat.angle(made.rotations[outside], motion.rotations[outside])[:, chosen]
    assert turned.max(initial=0.0) < 1e-9


def test_hands_that_stand_on_something_hold_nothing() -> None:
    """Arm wrestling keeps the hands' distance too, but an elbow and a hand are on the table."""
    assert find_grips(clip("22_17")) == ()
    assert all(find_grips(clip(name)) for name in ("64_01", "124_01", "124_07"))


def test_both_hands_stay_on_the_club() -> None:
    motion = clip("64_01")
    key = SurfaceKey(time=moment(motion, "RightHand"), joint="RightHand", shift=-0.15)
    made = Recipe([Step("surface", {"keys": [key]})]).evaluate(motion)
    gaps = []
    for m in (motion, made):
        left, right = (positions(m)[:, m.skeleton.index(f"{s}Hand")] for s in ("Left", "Right"))
        gaps.append(np.linalg.norm(left - right, axis=1))
    then = Recipe([Step("surface", {"keys": [key]})]).warp(motion)(made.times, "RightHand")
    wanted = np.interp(then, motion.times, gaps[0])
    assert np.abs(gaps[1] - wanted).max() < 0.01
