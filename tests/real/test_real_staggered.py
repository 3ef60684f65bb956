"""Staggered poses on recorded motion: what trials on real clips showed must hold."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from contact_making import off_path
from retime import (
    Motion,
    Recipe,
    StaggeredPoses,
    Step,
    TimeWarp,
    apply,
    detect_contacts,
    positions,
    quat,
    read,
)
from retime.body.contacts import find_contacts
from retime.body.measure.metrics import flight_error, plant_drift
from retime.body.solve.hinges import bones, find_hinges, hinge_angle
from retime.methods.staggered import StaggerParameters, edited_poses
from retime.motion.kinematics import global_rotations
from retime.parameters import build

SHARED = Path(__file__).parents[3] / "shared" / "mocap"
pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared motion files are absent")

# The nine clips of the trials, and as many others.
CLIPS = ["16_16", "16_35", "16_06", "64_01", "10_01", "124_01", "124_07", "111_32", "05_06"]
OTHERS = ["02_01", "02_04", "11_01", "16_15", "18_01", "19_02", "22_17", "49_03", "90_02"]


def clip(name: str) -> Motion:
    motion = read(SHARED / f"{name}.bvh")
    if motion.duration > 11:
        motion = apply(motion, TimeWarp([0, 10], [0, 10]))
    return motion


def recall(wanted: StaggeredPoses, found: StaggeredPoses) -> float:
    met = [np.abs(found.times - t).min() <= 0.05 for t in wanted.times]
    return float(np.mean(met))


@pytest.mark.parametrize("name", CLIPS + OTHERS)
def test_what_held_in_the_trials(name: str) -> None:
    motion = clip(name)
    poses = StaggeredPoses.from_motion(motion)
    assert 2 <= (len(poses) - 2) / motion.duration <= 6
    assert np.abs(poses.refinements).max() <= 0.25 + 1e-9
    assert not poses.refinements[[0, -1]].any()
    assert np.diff(poses.timing.knots, axis=0).min() * motion.rate >= 2 - 1e-6
    for j, curve in enumerate(poses.curves[: len(motion.skeleton)]):
        assert quat.angle(curve.values, motion.rotations[:, j]).max() < 1e-9

    noise = np.random.default_rng(7).normal(
        0, np.radians(0.1) / np.sqrt(3), (*motion.rotations.shape[:2], 3)
    )
    noisy = replace(motion, rotations=quat.multiply(motion.rotations, quat.exp(noise)))
    slower = apply(motion, TimeWarp.identity(*motion.domain), fps=60)
    assert recall(poses, StaggeredPoses.from_motion(noisy)) >= 0.9
    assert recall(poses, StaggeredPoses.from_motion(slower)) >= 0.9

    poses = replace(poses, limits="off")  # what is asked, as it is
    k = len(poses) // 2
    gap = poses.times[k + 1] - poses.times[k]
    moved = poses.retime(k, poses.times[k] + 0.4 * gap).motion(constraints="free")
    changed = quat.angle(moved.rotations, motion.rotations).max(axis=1) > 1e-9
    knots = poses.timing.knots
    inside = (motion.times >= knots[k - 1].min() - 1e-9) & (
        motion.times <= knots[k + 1].max() + 1e-9
    )
    assert changed.any()
    assert not changed[~inside].any()

    edited = poses.exaggerate(0.3).succession(motion.skeleton.names[0], 0.005)
    before = edited.motion(constraints="free")
    for other in (edited.insert(float(edited.times[k : k + 2].mean())), edited.delete(k)):
        after = other.motion(constraints="free")
        assert quat.angle(after.rotations, before.rotations).max() < 1e-9


def test_poses_stand_at_contact_changes() -> None:
    shares = []
    for name in CLIPS + OTHERS:
        motion = clip(name)
        poses = StaggeredPoses.from_motion(motion)
        events = [t for c in detect_contacts(motion) for t in (c.start, c.end)]
        inner = [t for t in events if 0.03 < t - motion.start < motion.duration - 0.03]
        if inner:
            shares.append(np.mean([np.abs(poses.times - t).min() <= 0.05 for t in inner]))
    assert np.mean(shares) >= 0.75


@pytest.mark.parametrize("name", ["16_16", "16_15", "02_01"])
def test_a_walk_edited_as_in_figure_7(name: str) -> None:
    """Arms reshaped and loosened: feet stay, and no pose appears beside the edited ones."""
    motion = clip(name)
    poses = StaggeredPoses.from_motion(motion, keep=0.5)
    arms = ["LeftArm", "LeftForeArm", "RightArm", "RightForeArm"]
    edited = poses.exaggerate(0.6, joints=arms)
    edited = edited.turn({"LeftArm": [0, 0, 12], "RightArm": [0, 0, -12]})
    for side in ("Left", "Right"):
        edited = edited.succession(f"{side}Shoulder", 0.02, 1.5)
    result = edited.motion()
    contacts = detect_contacts(motion)
    off = off_path(motion, result, edited.warp(), contacts)
    assert max(np.abs(d).max() for d in off) < 1e-6
    step = Step("stagger", {"keep": 0.5, "edits": edited.edits})
    result = Recipe([step, Step("hold")]).evaluate(motion)
    assert plant_drift(result, [c for c in contacts if c.firmness == 1]).max() < 1e-3
    found = StaggeredPoses.from_motion(motion).times
    again = StaggeredPoses.from_motion(result).times
    for k in poses.free:
        before, after = ((np.abs(t - poses.times[k]) <= 0.1).sum() for t in (found, again))
        assert after <= before


EDITS: dict[str, dict[str, Any]] = {
    "no overlap": {"overlap": 0.0},
    "double overlap": {"overlap": 2.0},
    "jitter": {"jitter": 0.05},
    "succession": {"succession": [("Spine", 0.05, 1.0)]},
}


def turn_speeds(motion: Motion) -> np.ndarray:
    turns = global_rotations(motion)
    return np.asarray(quat.angle(turns[:-1], turns[1:]).max(axis=0) * motion.rate)


@pytest.mark.parametrize("what", EDITS)
@pytest.mark.parametrize("name", ["02_01", "10_01", "16_35"])
def test_staggering_is_within_limits_of_the_source(name: str, what: str) -> None:
    motion = clip(name)
    parameters = {**EDITS[what], "constraints": "free"}
    made = Recipe([Step("stagger", parameters)]).evaluate(motion)
    turns = [quat.angle(m.rotations[1:], m.rotations[:-1]).max(axis=0) for m in (made, motion)]
    assert (turns[0] / np.maximum(turns[1], 2.0 / motion.rate)).max() < 3
    jerks = [np.linalg.norm(np.diff(positions(m), 2, axis=0), axis=-1) for m in (made, motion)]
    most = np.maximum(jerks[1].max(axis=0), 20.0 / motion.rate**2)
    assert (jerks[0].max(axis=0) / most).max() < 4
    assert positions(made)[..., 1].min() > positions(motion)[..., 1].min() - 0.02
    feet = [motion.skeleton.index(n) for n in motion.skeleton.names if "Foot" in n or "Toe" in n]
    assert np.array_equal(positions(made)[:, feet], positions(motion)[:, feet])
    arrivals = edited_poses(motion, build(StaggerParameters, parameters)).arrivals
    assert arrivals.kept > 0.6
    assert any(n.code == "staggering-limited" for n in made.notes) == (arrivals.kept < 0.995)


def test_a_slider_of_staggering_moves_continuously() -> None:
    motion = clip("02_01")
    made = [
        Recipe([Step("stagger", {"overlap": o, "constraints": "free"})]).evaluate(motion)
        for o in np.linspace(1.8, 2.0, 9)
    ]
    steps = [
        np.linalg.norm(positions(b) - positions(a), axis=-1).max()
        for a, b in itertools.pairwise(made)
    ]
    assert max(steps) < 2.5 * np.mean(steps)


@pytest.mark.parametrize("name", ["13_11", "16_03", "16_06"])
def test_an_exaggerated_jump_is_higher_and_its_crouch_deeper(name: str) -> None:
    motion = clip(name)
    hips = motion.skeleton.index("Hips")
    made = Recipe([Step("stagger", {"exaggerate": 0.4})]).evaluate(motion)
    before, after = positions(motion)[:, hips], positions(made)[:, hips]
    start, end = max(find_contacts(motion).flights, key=lambda f: f[1] - f[0])
    flight = (motion.times >= start) & (motion.times <= end)
    crouch = (motion.times >= start - 0.7) & (motion.times <= start)
    level = before[flight][0, 1]
    rise = (after[flight, 1].max() - level) / (before[flight, 1].max() - level)
    depth = (level - after[crouch, 1].min()) / (level - before[crouch, 1].min())
    assert rise == pytest.approx(1.4, abs=0.1)
    assert depth == pytest.approx(1.4, abs=0.1)
    assert np.abs(after - before)[:, [0, 2]].max() < 1e-3
    kept = Recipe([Step("stagger", {"exaggerate": 0.4, "keep_gravity": True})]).evaluate(motion)
    assert kept.duration > motion.duration
    assert flight_error(kept).mean < 0.5 * flight_error(made).mean


@pytest.mark.parametrize(
    "name", ["mocap/111_32", "mocap/49_03", "mocap-more/114_02", "mocap-more/111_03"]
)
def test_exaggerating_never_snaps(name: str) -> None:
    """Elbows and knees that are fully bent, and hands held on the floor, some out of reach."""
    motion = read(SHARED.parent / f"{name}.bvh")
    made = Recipe([Step("stagger", {"exaggerate": 0.4})]).evaluate(motion)
    own = [quat.angle(m.rotations[:-1], m.rotations[1:]).max(axis=0) for m in (motion, made)]
    slow = np.radians(120)
    assert (own[1] * motion.rate / np.maximum(own[0] * motion.rate, slow)).max() < 3
    assert (turn_speeds(made) / np.maximum(turn_speeds(motion), slow)).max() < 3
    hips = motion.skeleton.index("Hips")
    lying = positions(motion)[:, hips, 1] < 0.3
    sunk = positions(motion)[lying, hips, 1] - positions(made)[lying, hips, 1]
    assert sunk.max(initial=0.0) < 0.05  # what holding the trunk's contacts leaves; 0.34 scaled
    travel = np.abs(positions(made) - positions(motion))[:, hips][:, [0, 2]]
    assert travel.max() < 1e-3  # knees that slide on the floor moved the hips by 0.04
    lowest = [positions(m)[..., 1].min() for m in (motion, made)]
    assert lowest[1] > lowest[0] - 2e-3  # a hand of 111_03 sank by 0.035


@pytest.mark.parametrize("name", ["mocap-more/09_01", "mocap-more/118_05", "mocap-more/01_02"])
def test_exaggerated_limbs_stay_within_their_hinges(name: str) -> None:
    motion = read(SHARED.parent / f"{name}.bvh")
    made = Recipe([Step("stagger", {"exaggerate": 0.4})]).evaluate(motion)
    for joint, hinge in find_hinges(motion).items():
        parent = motion.skeleton.parents[joint]
        angles = []
        for m in (motion, made):
            upper, lower = bones(positions(m), hinge.limb)
            axis = quat.rotate(global_rotations(m)[:, parent], np.tile(hinge.axis, (len(m), 1)))
            angles.append(hinge_angle(upper, lower, axis))
        assert angles[1].min() > min(angles[0].min(), 0.0) - np.radians(0.2)  # 2.6 degrees before


@pytest.mark.parametrize("joint", ["Hips", "LowerBack"])
def test_a_succession_of_a_fast_run_moves_gradually(joint: str) -> None:
    run = clip("16_35")
    poses = StaggeredPoses.from_motion(run)
    made = [poses.succession(joint, v) for v in np.linspace(0.01, 0.05, 41)]
    steps = [
        max(
            np.abs(b.channel(n).at(run.times) - a.channel(n).at(run.times)).max()
            for n in a.channels
        )
        for a, b in itertools.pairwise(p.warp() for p in made)
    ]
    assert made[-1].arrivals.kept < 0.95  # the limits act
    assert max(steps) < 2.5 * np.mean(steps)


def test_no_part_moves_farther_than_requested() -> None:
    arrivals = edited_poses(clip("18_08"), StaggerParameters(overlap=0.0)).arrivals
    known = arrivals.timing.known_refinements
    parts = arrivals.modes.leaders
    asked, given = (
        np.abs(r - known)[1:-1, parts] for r in (arrivals.timing.refinements, arrivals.delivered)
    )
    assert arrivals.kept > 0.75
    assert np.maximum(given - asked, 0.0).sum() < 0.1 * asked.sum()
