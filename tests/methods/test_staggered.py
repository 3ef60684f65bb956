"""Staggered poses: what they find, and that every edit does what it says and no more."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from contact_making import off_path
from motion_making import under_a_node
from retime import (
    FormatError,
    InputError,
    Motion,
    Pose,
    PoseEdit,
    Recipe,
    Skeleton,
    StaggeredPoses,
    Step,
    TimeWarp,
    apply,
    detect_contacts,
    positions,
    quat,
    read_recipe,
    samples,
    write_recipe,
)
from retime.arrays import FloatArray
from retime.body.contacts import find_contacts
from retime.methods.staggered.parameters import StaggerParameters
from retime.methods.staggered.search.filtering import noisy_joints, smoothed
from retime.methods.staggered.stagger import counted_poses, edited_poses
from retime.motion.contact import Contact, carry_contacts
from retime.motion.kinematics import global_rotations
from retime.notes import Note

UNKNOWN: Any = "best"


@pytest.fixture(scope="module")
def walk() -> Motion:
    return samples.walk()


@pytest.fixture(scope="module")
def poses(walk: Motion) -> StaggeredPoses:
    return StaggeredPoses.from_motion(walk)


def apart(a: Motion, b: Motion) -> float:
    """Measure how far two motions are apart, in radians or units of length."""
    turn = float(quat.angle(a.rotations, b.rotations).max())
    return max(turn, float(np.abs(a.root_translation - b.root_translation).max()))


def changed_times(a: Motion, b: Motion) -> FloatArray:
    moved = quat.angle(a.rotations, b.rotations).max(axis=1) > 1e-9
    moved |= np.abs(a.root_translation - b.root_translation).max(axis=1) > 1e-9
    times: FloatArray = a.times[moved]
    return times


def swings(times: list[float], lag: float = 0.03, fps: float = 120.0) -> Motion:
    """Make a chain of four links that turns back at given times, each link later by a lag."""
    names = ("Base", "Upper", "Lower", "Tip")
    offsets = np.array([[0.0, 0, 0], [0, 1, 0], [0, 1, 0], [0, 1, 0]])
    skeleton = Skeleton(names, np.array([-1, 0, 1, 2]), offsets)
    t = np.arange(round(fps * (times[-1] + 0.5))) / fps
    knots = np.array([0.0, *times, t[-1]])
    sides = np.where(np.arange(len(knots)) % 2, 0.6, -0.6)
    rotations = quat.identity(len(t), 4)
    for j in range(1, 4):
        at = knots + np.r_[0, np.full(len(times), lag * (j - 2)), 0]
        k = np.clip(np.searchsorted(at, t, side="right") - 1, 0, len(at) - 2)
        u = (t - at[k]) / (at[k + 1] - at[k])
        angle = sides[k] + (sides[k + 1] - sides[k]) * (1 - np.cos(np.pi * u)) / 2
        rotations[:, j] = quat.from_axis_angle([0, 0, 1], angle)
    return Motion(skeleton, rotations, {"Base": np.zeros((len(t), 3))}, fps=fps)


# ---- finding poses


def test_synthetic_swings_are_found_with_their_lags() -> None:
    truth = [0.5, 0.9, 1.5, 1.9, 2.6, 3.0, 3.5, 4.1]
    found = StaggeredPoses.from_motion(swings(truth), keep=8)
    assert len(found) == 10
    assert np.abs(found.times[1:-1] - truth).max() < 0.06
    knots = found.timing.knots[1:-1]
    for name, lag in (("Upper", -0.03), ("Lower", 0.0), ("Tip", 0.03)):
        assert np.abs(knots[:, found.channels.index(name)] - truth - lag).max() < 0.03


def test_times_may_be_picked_singly() -> None:
    motion = swings([0.5, 0.9, 1.5, 1.9])
    found = StaggeredPoses.from_motion(motion, keep=[0.52, 1.7])
    assert np.abs(found.times[1:-1] - [0.5, 1.7]).max() < 0.03


@pytest.mark.parametrize("keep", [0.0, 0.3, 1.0, 5])
def test_splines_and_displacements_rebuild_the_motion(walk: Motion, keep: float) -> None:
    found = StaggeredPoses.from_motion(walk, keep=keep)
    for j, curve in enumerate(found.curves[: len(walk.skeleton)]):
        assert quat.angle(curve.values, walk.rotations[:, j]).max() < 1e-9
    assert np.abs(found.curves[-1].values - walk.root_translation).max() < 1e-9
    assert found.layer() is None
    assert apart(found.motion(), walk) == 0.0


def test_refinements_keep_their_bounds(poses: StaggeredPoses) -> None:
    assert np.abs(poses.refinements).max() <= 0.25 + 1e-9
    assert not poses.refinements[[0, -1]].any()
    assert poses.refinements.any()
    assert np.diff(poses.timing.knots, axis=0).min() * poses.source.rate >= 2 - 1e-6
    assert not poses.timing.strays()
    near = StaggeredPoses.from_motion(poses.source, max_refinement=0.05)
    assert np.abs(near.refinements).max() <= 0.05 + 1e-9


def test_a_frame_rate_and_noise_change_little(walk: Motion, poses: StaggeredPoses) -> None:
    noise = np.random.default_rng(3).normal(0, np.radians(0.1) / np.sqrt(3), (len(walk), 1, 3))
    noise = noise + np.zeros((1, len(walk.skeleton), 1))
    noisy = replace(walk, rotations=quat.multiply(walk.rotations, quat.exp(noise)))
    slower = apply(walk, TimeWarp.identity(*walk.domain), fps=60)
    for other in (noisy, slower):
        times = StaggeredPoses.from_motion(other).times
        met = [np.abs(times - t).min() <= 0.05 for t in poses.times]
        assert np.mean(met) >= 0.9


def test_contact_changes_tell_of_poses(walk: Motion, poses: StaggeredPoses) -> None:
    events = [t for c in detect_contacts(walk) for t in (c.start, c.end)]
    inner = [t for t in events if 0.05 < t - walk.start < walk.duration - 0.05]
    # Where one foot lands as the other leaves, one pose stands between the two.
    met = [np.abs(poses.times - t).min() <= 0.1 for t in inner]
    assert len(met) >= 4
    assert np.mean(met) >= 0.9


def test_a_clip_without_movement_has_its_two_end_poses(walk: Motion) -> None:
    still = apply(walk, TimeWarp([0, 2], [1.0, 1.0]))
    found = StaggeredPoses.from_motion(still)
    assert len(found) == 2
    assert any("nothing moves" in n for n in found.notes)
    assert apart(found.motion(), still) == 0.0


def test_a_flipping_joint_is_named(walk: Motion) -> None:
    rotations = walk.rotations.copy()
    j = walk.skeleton.index("LeftHand")
    rotations[100:, j] = quat.multiply(rotations[100:, j], quat.exp(np.array([0.5, 0.0, 0.0])))
    notes = StaggeredPoses.from_motion(replace(walk, rotations=rotations)).notes
    assert any("jump between two frames: LeftHand (by 29 degrees" in n for n in notes)
    # Arms that swing fast are no flips, at usual frame rates.
    for fps in (30, 60):
        swung = StaggeredPoses.from_motion(samples.jump().resample(fps))
        assert not any("jump between" in n for n in swung.notes)


def test_uneven_samples_are_taken(walk: Motion) -> None:
    times = np.sort(np.random.default_rng(0).uniform(*walk.domain, 300))
    times[[0, -1]] = walk.domain
    uneven = apply(walk, TimeWarp.identity(*walk.domain), times=times)
    found = StaggeredPoses.from_motion(uneven)
    assert len(found) > 4
    assert apart(found.exaggerate(0.0).motion(constraints="free"), uneven) < 1e-9


def test_levenberg_marquardt_fits_no_worse(walk: Motion) -> None:
    plain = StaggeredPoses.from_motion(walk, keep=0.4)
    best = StaggeredPoses.from_motion(walk, keep=0.4, fit="levenberg-marquardt")

    def error(found: StaggeredPoses) -> float:
        curves = found.curves[: len(walk.skeleton)]
        return sum(float((quat.log(c.stack[0].detail) ** 2).sum()) for c in curves)

    assert error(best) <= error(plain) * (1 + 1e-9)
    assert error(plain) <= 1.2 * error(best)


def test_the_filter_takes_noise_out_and_keeps_ends(walk: Motion) -> None:
    j = walk.skeleton.index("Spine")
    noise = np.random.default_rng(1).normal(0, 0.01, (len(walk), 3))
    rotations = walk.rotations.copy()
    rotations[:, j] = quat.multiply(rotations[:, j], quat.exp(noise))
    noisy = replace(walk, rotations=rotations)
    even = smoothed(noisy, 0.03, ["Spine"])
    before = quat.angle(noisy.rotations[:, j], walk.rotations[:, j])[20:-20]
    after = quat.angle(even.rotations[:, j], walk.rotations[:, j])[20:-20]
    assert after.mean() < 0.5 * before.mean()
    assert quat.angle(even.rotations[[0, -1]], noisy.rotations[[0, -1]]).max() < 1e-9
    others = [k for k in range(len(walk.skeleton)) if k != j]
    assert np.array_equal(even.rotations[:, others], noisy.rotations[:, others])
    # A frame of reference means nothing to it.
    turn = quat.exp(np.array([0.3, -1.0, 0.2]))
    turned = replace(noisy, rotations=quat.multiply(turn, noisy.rotations))
    again = smoothed(turned, 0.03, ["Spine"])
    assert quat.angle(again.rotations[:, j], quat.multiply(turn, even.rotations[:, j])).max() < 1e-9
    assert "Spine" in noisy_joints(walk)
    assert "LeftLeg" not in noisy_joints(walk)
    found = StaggeredPoses.from_motion(noisy, filter=0.03)
    result = found.motion(constraints="free")
    wanted = smoothed(noisy, 0.03, noisy_joints(noisy))
    assert quat.angle(result.rotations, wanted.rotations).max() < 1e-9


# ---- edits of timing


def test_retiming_a_pose_changes_nothing_past_its_neighbours(poses: StaggeredPoses) -> None:
    for k in poses.free:
        gap = poses.times[k + 1] - poses.times[k]
        moved = poses.retime(k, poses.times[k] + 0.4 * gap)
        times = changed_times(poses.source, moved.motion(constraints="free"))
        knots = poses.timing.knots
        assert times.min() >= knots[k - 1].min() - 1e-9
        assert times.max() <= knots[k + 1].max() + 1e-9


def test_a_moved_pose_arrives_with_all_its_parts(poses: StaggeredPoses) -> None:
    k = poses.free[3]
    moved = poses.retime(k, poses.times[k] - 0.05)
    warp = moved.warp()
    for i, name in enumerate(poses.channels):
        assert float(warp(moved.timing.knots[k, i], name)) == pytest.approx(
            poses.timing.knots[k, i], abs=1e-12
        )
    assert float(warp(moved.times[k])) == pytest.approx(poses.times[k], abs=1e-12)


@pytest.mark.parametrize("share", [-0.8, -0.5, 0.5, 0.8])
def test_knots_never_cross(poses: StaggeredPoses, share: float) -> None:
    for k in poses.free:
        gap = np.diff(poses.times)[k if share > 0 else k - 1]
        room = poses.timing.least_gap
        time = np.clip(
            poses.times[k] + share * gap, poses.times[k - 1] + room, poses.times[k + 1] - room
        )
        moved = poses.retime(k, float(time))
        assert np.diff(moved.timing.knots, axis=0).min() > 0
        back = moved.retime(k, poses.times[k])
        if not any("gave way" in n for n in moved.notes):
            assert np.abs(back.refinements - poses.refinements).max() < 1e-12


def test_the_rest_ripples_where_told(poses: StaggeredPoses) -> None:
    moved = poses.retime(3, poses.times[3] + 0.2, ripple=True)
    assert np.allclose(moved.times[3:], poses.times[3:] + 0.2)
    assert moved.motion().duration == pytest.approx(poses.source.duration + 0.2, abs=0.01)
    longer = poses.retime(-1, poses.times[-1] + 0.5)
    assert longer.motion().duration == pytest.approx(poses.source.duration + 0.5, abs=0.01)


def test_succession_follows_its_formula(walk: Motion, poses: StaggeredPoses) -> None:
    later = poses.succession("RightArm", 0.01, 1.5, poses=4)
    depth = {"RightArm": 0, "RightForeArm": 1, "RightHand": 2}
    for name, d in depth.items():
        i = poses.channels.index(name)
        gain = later.refinements[4, i] - poses.refinements[4, i]
        assert gain == pytest.approx(0.01 * d**1.5, abs=1e-12)
    assert np.array_equal(np.delete(later.refinements, 4, 0), np.delete(poses.refinements, 4, 0))
    far = poses.succession("Hips", 0.2)
    assert np.diff(far.timing.knots, axis=0).min() >= far.timing.least_gap - 1e-12
    assert any("stop short" in n for n in far.notes)
    assert any(n.code == "staggering-limited" for n in far.warp().notes)


def test_succession_runs_past_the_end(walk: Motion, poses: StaggeredPoses) -> None:
    late = poses.succession("RightShoulder", 0.04, past_end=True)
    warp, end = late.warp(), walk.domain[1]
    assert warp.domain[1] == pytest.approx(end + 0.12)
    short = poses.succession("RightShoulder", 0.04)
    assert np.array_equal(late.refinements[:-2], short.refinements[:-2])
    assert late.refinements[-2].max() > short.refinements[-2].max()  # not undone at the end
    out = late.motion(constraints="free", times=[end, end + 0.04, end + 0.08])
    lower, arm = (poses.channels.index(f"Right{n}") for n in ("ForeArm", "Arm"))
    off = quat.angle(out.rotations, walk.rotations[-1])
    # What has arrived holds; each joint below is on its way until its own time.
    assert off[0, arm] > 1e-3
    assert off[1, arm] < 1e-9
    assert off[1, lower] > 1e-3
    assert off[2].max() < 1e-9
    assert np.delete(off[0], [arm, lower]).max() < 1e-9
    assert np.allclose(out.root_translation, walk.root_translation[-1])
    said = "the clip is 0.12 s longer: RightHand arrives last, past its end"
    assert said in warp.notes


def test_past_the_end_edits_compose_and_are_undone(walk: Motion, poses: StaggeredPoses) -> None:
    late = poses.succession("RightArm", 0.04, past_end=True)
    half = late.scale_refinements(0.5)
    assert np.allclose(half.refinements[-1], late.refinements[-1] / 2)
    assert late.clear_refinements().warp().domain == walk.domain
    assert apart(late.delete(3).motion(), late.motion()) < 1e-9
    again = StaggeredPoses.from_motion(walk).replay(late.edits)
    assert apart(again.motion(), late.motion()) == 0
    steps = [Step("stagger", {"edits": late.edits}), Step("spline", {"duration": 3.0})]
    assert Recipe(steps).evaluate(walk).duration == pytest.approx(3.0)
    held = Recipe([Step("stagger", {"edits": late.edits}, weight=0.5)]).evaluate(walk)
    assert held.duration == pytest.approx(walk.duration + 0.04, abs=0.6 / walk.rate)


def turn_speeds(motion: Motion) -> FloatArray:
    turns = global_rotations(motion)
    return np.asarray(quat.angle(turns[:-1], turns[1:]) * motion.rate)


def test_poses_may_be_exaggerated_against_any_pose(walk: Motion) -> None:
    poses = StaggeredPoses.from_motion(walk)
    step = Step("stagger", {"exaggerate": 0.5, "relative_pose": float(poses.times[3])})
    made = edited_poses(walk, StaggerParameters(exaggerate=0.5, relative_pose=poses.times[3]))
    wanted = poses.exaggerate(0.5, relative_to=3)
    for k in (2, 3, 4):
        assert np.allclose(made.extreme(k).rotations, wanted.extreme(k).rotations, atol=1e-12)
    assert np.allclose(made.extreme(3).rotations[1:], poses.extreme(3).rotations[1:], atol=1e-9)
    assert Recipe([step]).evaluate(walk).duration == walk.duration


def test_a_jump_of_the_source_does_not_loosen_the_bound(walk: Motion) -> None:
    rotations = walk.rotations.copy()
    rotations[0, 0] = quat.multiply(
        quat.from_axis_angle([0.0, 1.0, 0.0], np.radians(120)), rotations[0, 0]
    )
    jumps = replace(walk, rotations=rotations)
    made = StaggeredPoses.from_motion(jumps).scale_refinements(8.0).motion(constraints="free")
    usual = np.maximum(turn_speeds(walk).max(axis=0), np.radians(120))
    assert turn_speeds(jumps)[0].max() > 10 * usual[0]
    later = turn_speeds(made)[3:]
    assert (later / usual).max() <= 3.0 + 1e-6


def test_the_bound_holds_for_legs_that_are_led_to_their_contacts(walk: Motion) -> None:
    held = Recipe([Step("hold", {})]).evaluate(walk)
    usual = np.maximum(turn_speeds(walk).max(axis=0), turn_speeds(held).max(axis=0))
    made = Recipe([Step("stagger", {"overlap": 8.0})]).evaluate(walk)
    assert (turn_speeds(made) / np.maximum(usual, np.radians(120))).max() <= 3.0 + 1e-6


@pytest.mark.parametrize(
    ("make", "top"),
    [
        (lambda p, v: p.scale_refinements(1 + v), 3.0),
        (lambda p, v: p.succession("Hips", v), 0.08),
        (lambda p, v: p.jitter(v), 0.1),
    ],
)
@pytest.mark.parametrize("clip", [samples.walk, samples.jump])
def test_a_slider_moves_parts_evenly(
    clip: Callable[[], Motion], make: Callable[[StaggeredPoses, float], StaggeredPoses], top: float
) -> None:
    poses = StaggeredPoses.from_motion(clip())
    made = [make(poses, v) for v in np.linspace(0.05 * top, top, 30)]
    times = np.linspace(*poses.source.domain, 400)
    parts = [n for n in poses.channels if ":" not in n]
    given = [np.stack([w(times, n) for n in parts]) for w in (p.arrivals.warp for p in made)]
    steps = np.abs(np.diff(given, axis=0)).max(axis=(1, 2))
    assert min(p.arrivals.kept for p in made) < 0.99  # the limits act
    assert steps.max() < 2.5 * steps.mean()


def test_jitter_is_the_seeds(poses: StaggeredPoses) -> None:
    one, same, other = (poses.jitter(0.01, seed=s) for s in (5, 5, 6))
    assert np.array_equal(one.refinements, same.refinements)
    assert not np.array_equal(one.refinements, other.refinements)
    assert np.abs(one.refinements - poses.refinements).max() <= 0.01 + 1e-12
    arm = poses.jitter(0.01, seed=5, joints=["RightArm"])
    i = poses.channels.index("RightArm")
    assert np.array_equal(arm.refinements[:, i], one.refinements[:, i])
    assert np.array_equal(np.delete(arm.refinements, i, 1), np.delete(poses.refinements, i, 1))


def test_refinements_are_set_scaled_and_cleared(poses: StaggeredPoses) -> None:
    i = poses.channels.index("LeftHand")
    assert poses.refine(4, {"LeftHand": 0.02}).refinements[4, i] == 0.02
    parts = [n not in ("Hips", "Hips:translation") and "Leg" not in n and "Foot" not in n
             and "Toe" not in n for n in poses.channels]  # fmt: skip
    half = poses.scale_refinements(0.5).refinements
    assert np.allclose(half[:, parts], poses.refinements[:, parts] / 2)
    assert np.array_equal(np.delete(half, parts, 1), np.delete(poses.refinements, parts, 1))
    cleared = poses.clear_refinements(poses=[4], joints=["LeftHand"]).refinements
    assert cleared[4, i] == 0
    assert np.array_equal(cleared[5], poses.refinements[5])
    assert not poses.clear_refinements().refinements[:, parts].any()


def test_several_poses_are_refined_at_once_and_stop_short_of_their_neighbours() -> None:
    poses = StaggeredPoses.from_motion(samples.walk())
    chosen = {"LeftArm": 0.02, "LeftHand": 5 / 3}
    gentle = poses.refine_poses({"LeftArm": 0.02})
    column = poses.channels.index("LeftArm")
    assert np.allclose(gentle.refinements[1:-1, column], 0.02)
    assert not gentle.notes or not any("stop short" in n for n in gentle.notes)
    wild = poses.refine_poses(chosen)  # far beyond the next pose: clamped, not refused
    assert any("stop short" in n for n in wild.notes)
    assert all(np.diff(g.y).min() >= 0 for g in wild.warp().channels.values())
    with pytest.raises(InputError, match="out of bounds"):
        poses.refine(1, chosen)


def test_poses_come_and_go_without_a_trace(poses: StaggeredPoses) -> None:
    edited = poses.retime(4, poses.times[4] + 0.03).succession("RightArm", 0.02).exaggerate(0.3)
    for base in (poses, edited):
        before = base.motion(constraints="free")
        middle = float(base.times[2:4].mean())
        one = base.insert(middle)
        assert len(one) == len(base) + 1
        assert apart(one.motion(constraints="free"), before) < 1e-9
        assert (
            apart(base.insert(middle, joints=["LeftArm"]).motion(constraints="free"), before) < 1e-9
        )
        less = one.delete(3).delete(4).delete(2)
        assert len(less) == len(base) - 2
        assert apart(less.motion(constraints="free"), before) < 1e-9
        assert apart(less.retime(2, less.times[2] + 0.02).motion(constraints="free"), before) > 1e-4


def test_edits_tell_which_poses_come_and_go(walk: Motion, poses: StaggeredPoses) -> None:
    between = float(poses.times[[2, 3]].mean())
    documents = [
        {"do": "retime", "pose": 1, "time": float(poses.times[1]) + 0.01},
        {"do": "insert", "time": between},
        {"do": "delete", "pose": 4},
        {"do": "delete", "pose": f"{float(poses.times[5])!r} s"},
        {"do": "insert", "time": float(poses.times[[1, 2]].mean()), "mute": True},
        {"do": "delete", "pose": 999, "mute": True},
    ]
    edits = tuple(PoseEdit.from_document(d) for d in documents)
    # The second deletion names its pose by its time: the one after the first that is gone.
    assert counted_poses(walk, StaggerParameters(edits=edits)) == [None, 3, 4, 5, 2, None]
    made = edited_poses(walk, StaggerParameters(edits=edits))
    assert len(made) == len(poses) - 1
    assert made.times[3] == between


@pytest.mark.parametrize("seed", range(6))
def test_knots_never_cross_whatever_is_done(poses: StaggeredPoses, seed: int) -> None:
    """Staggered far, then moved to and fro: order holds, and the motion can be evaluated."""
    draw = np.random.default_rng(seed)
    edited = poses.succession("Hips", 0.04) if seed % 2 else poses.jitter(0.2, seed=seed)
    if seed > 2:
        edited = edited.insert(float(edited.times[3:5].mean()), joints=["LeftArm", "Head"])
    for _ in range(25):
        k = int(draw.integers(1, len(edited)))
        low = edited.times[k - 1] + edited.timing.least_gap
        high = edited.times[k + 1] - edited.timing.least_gap if k + 1 < len(edited) else low + 0.5
        edited = edited.retime(k, float(draw.uniform(low, high)), ripple=bool(draw.integers(2)))
        if draw.integers(3) == 0:
            edited = edited.scale_refinements(float(draw.uniform(0, 3)))
        for i in range(len(edited.channels)):
            has = edited.timing.included[:, i]
            assert np.diff(edited.timing.knots[has, i]).min() > 0
    edited.motion(constraints="free")


def test_inserting_many_poses_keeps_knots_apart(poses: StaggeredPoses) -> None:
    edited = poses.succession("Hips", 0.5)
    for _ in range(5):
        k = int(np.diff(edited.times).argmax())
        edited = edited.insert(float(edited.times[k : k + 2].mean()))
    gaps = [
        np.diff(edited.timing.knots[edited.timing.included[:, i], i]).min()
        for i in range(len(edited.channels))
    ]
    assert min(gaps) >= edited.timing.least_gap - 1e-9


# ---- edits of value


def joint(poses: StaggeredPoses, name: str) -> int:
    return poses.source.skeleton.index(name)


def test_a_pose_takes_the_value_that_it_is_given(poses: StaggeredPoses) -> None:
    j = joint(poses, "RightArm")
    turn = quat.exp(np.array([0.2, 0.4, -0.3]))
    for k in (3, 5):
        new = quat.multiply(turn, poses.at(k).rotations[j])
        edited = poses.edit(k, {"RightArm": new})
        result = edited.motion(constraints="free")
        frame = round((poses.times[k] - result.start) * result.rate)
        assert quat.angle(result.rotations[frame, j], new) < 1e-9
        # The extreme changes by as much, on the parent's side.
        extreme = quat.multiply(turn, poses.extreme(k).rotations[j])
        assert quat.angle(edited.extreme(k).rotations[j], extreme) < 1e-9
        times = changed_times(poses.source, result)
        knots = poses.timing.knots[:, j]
        assert knots[k - 1] - 1e-9 <= times.min()
        assert times.max() <= knots[k + 1] + 1e-9


def test_an_extreme_takes_the_value_that_it_is_given(poses: StaggeredPoses) -> None:
    j = joint(poses, "LeftArm")
    new = quat.multiply(quat.exp(np.array([0.0, 0.5, 0.0])), poses.extreme(4).rotations[j])
    edited = poses.edit(4, {"LeftArm": new}, when="extreme")
    assert quat.angle(edited.extreme(4).rotations[j], new) < 1e-9
    result = edited.motion(constraints="free")
    frame = round((poses.timing.knots[4, j] - result.start) * result.rate)
    assert quat.angle(result.rotations[frame, j], new) < 1e-9


def test_editing_after_retiming_meets_the_pose(poses: StaggeredPoses) -> None:
    """The pose's time is another moment of the source then, and between its frames."""
    moved = poses.succession("RightShoulder", 0.021).retime(4, poses.times[4] + 0.0137)
    j = joint(poses, "RightHand")
    first = moved.turn({"RightHand": [0, 0, 10]}, poses=[4], when="pose")
    new = quat.multiply(quat.exp(np.array([0.1, 0.2, 0.3])), first.at(4).rotations[j])
    result = first.edit(4, {"RightHand": new}).motion(constraints="free", times=[moved.times[4]])
    assert quat.angle(result.rotations[0, j], new) < 1e-9


def test_an_edit_past_a_neighbours_knot_is_refused(poses: StaggeredPoses) -> None:
    """The value at the pose's time is then a neighbour's to give."""
    crowded = replace(poses, limits="off").refine(3, {"RightArm": -0.02})
    room = crowded.timing.room(4)[0][crowded.channels.index("RightArm")]
    crowded = crowded.refine(4, {"RightArm": float(max(room, crowded.times[3] - crowded.times[4]))})
    new = quat.exp(np.array([0.3, 0.1, 0.2]))
    with pytest.raises(InputError, match="only beyond a neighbour's knot"):
        crowded.edit(3, {"RightArm": new})
    turned = crowded.turn({"RightArm": [0, 0, 20]}, poses=[3], when="pose")
    assert any("beyond a neighbour's knot" in n for n in turned.notes)


def test_an_old_editing_knot_goes(poses: StaggeredPoses) -> None:
    first = poses.refine(3, {"RightArm": 0.1}).turn({"RightArm": [0, 9, 0]}, poses=[3], when="pose")
    moved = first.refine(3, {"RightArm": -0.02})
    before = moved.motion(constraints="free")
    result = moved.turn({"RightArm": [0, 0, 20]}, poses=[3]).motion(constraints="free")
    times = changed_times(before, result)
    knots = moved.timing.knots[:, joint(poses, "RightArm")]
    frame = 1 / poses.source.rate
    assert knots[2] - frame <= times.min()
    assert times.max() <= knots[4] + frame


def test_a_hand_on_a_sliding_shoulder_reaches_its_target(walk: Motion) -> None:
    j = walk.skeleton.index("LeftArm")
    slide = np.zeros((len(walk), 3))
    slide[:, 1] = 0.05 * np.sin(np.arange(len(walk)) / 20) / walk.units.metres
    tracks = {**walk.translations, "LeftArm": walk.skeleton.offsets[j] + slide}
    poses = StaggeredPoses.from_motion(replace(walk, translations=tracks), keep=0.5)
    frame = round((poses.times[3] - walk.start) * walk.rate)
    hand = walk.skeleton.index("LeftHand")
    target = positions(poses.source)[frame, hand] + [0.02, 0.05, 0.02]
    result = poses.reach(3, {"left_hand": target}).motion(constraints="free")
    assert np.linalg.norm(positions(result)[frame, hand] - target) < 1e-6


def test_a_roots_place_can_be_edited(poses: StaggeredPoses) -> None:
    place = poses.at(4).translations["Hips"] + [0.0, 0.1, 0.0]
    edited = poses.edit(4, translations={"Hips": place})
    result = edited.motion(constraints="free")
    frame = round((poses.times[4] - result.start) * result.rate)
    assert np.abs(result.root_translation[frame] - place).max() < 1e-9


@pytest.mark.parametrize("relative_to", ["average", "neighbours", "previous", "next", 2])
def test_exaggeration_follows_its_formula(poses: StaggeredPoses, relative_to: Any) -> None:
    j, k, weight = joint(poses, "LeftArm"), 4, 0.5
    edited = poses.exaggerate(weight, relative_to=relative_to, joints=["LeftArm"], poses=[k])
    old = np.array([poses.extreme(n).rotations[j] for n in range(len(poses))])
    chosen = {"average": range(len(poses)), "neighbours": [3, 5], "previous": [3], "next": [5]}
    mean = quat.normalize(
        sum(q * np.sign(q @ old[k]) for q in old[list(chosen.get(relative_to, [2]))])
    )
    away = quat.log(quat.multiply(old[k], quat.conjugate(mean)))
    wanted = quat.multiply(quat.exp(weight * away), old[k])
    assert quat.angle(edited.extreme(k).rotations[j], wanted) < 1e-3
    rest = [i for i in range(len(poses.source.skeleton)) if i != j]
    result = edited.motion(constraints="free")
    assert apart(result, poses.source) > 0.01
    assert np.array_equal(result.rotations[:, rest], poses.source.rotations[:, rest])


def test_a_hand_reaches_its_target(poses: StaggeredPoses) -> None:
    k = 4
    frame = round((poses.times[k] - poses.source.start) * poses.source.rate)
    hand = poses.source.skeleton.index("LeftHand")
    target = positions(poses.source)[frame, hand] + [0.02, 0.06, 0.03]
    result = poses.reach(k, {"left_hand": target}).motion(constraints="free")
    assert np.linalg.norm(positions(result)[frame, hand] - target) < 1e-6


def test_detail_scales_what_splines_leave_out(poses: StaggeredPoses) -> None:
    j = joint(poses, "LeftArm")
    muted = poses.detail(0.0, joints=["LeftArm"]).motion(constraints="free")
    spline = poses.curves[j].spline(poses.source.times)
    assert quat.angle(muted.rotations[:, j], spline).max() < 1e-9
    steady = np.tile([10.0, 0, 0], (len(poses.source), 1))
    layered = poses.add_layer({"Head": steady}).detail(0.5, after=[2, 3, 4], layer=1)
    head = layered.curves[joint(poses, "Head")]
    scale = np.degrees(quat.log(head.stack[1].detail))[:, 0]
    assert scale.min() == pytest.approx(5.0)
    assert scale.max() == pytest.approx(10.0)
    assert np.abs(np.diff(scale)).max() < 1.6  # it fades: no step within a frame
    once = poses.detail(0.0, joints=["LeftArm"], after=[3]).motion(constraints="free")
    times = changed_times(poses.source, once)
    knots = poses.timing.knots[:, j]
    assert knots[3] - 1e-9 <= times.min()
    assert times.max() <= knots[4] + 1e-9


def test_tangents_set_the_speed_at_an_extreme(poses: StaggeredPoses) -> None:
    j = joint(poses, "LeftArm")
    edited = poses.set_tangents(4, "LeftArm", arrive=[0, 0, 90], leave=[0, 0, 90])
    came, went = edited.curves[j].tangents(int(poses.timing.numbers[4]))
    assert np.allclose(np.degrees(came), [0, 0, 90])
    assert np.allclose(np.degrees(went), [0, 0, 90])
    assert quat.angle(edited.extreme(4).rotations[j], poses.extreme(4).rotations[j]) < 1e-12
    assert apart(edited.motion(constraints="free"), poses.source) > 1e-3


def test_layers_stack(poses: StaggeredPoses) -> None:
    walk = poses.source
    wave = np.zeros((len(walk), 3))
    wave[:, 1] = 5 * np.sin(2 * np.pi * 3 * walk.times)
    top = poses.add_layer({"Head": wave})
    j = joint(poses, "Head")
    wanted = quat.multiply(walk.rotations[:, j], quat.exp(np.radians(wave)))
    assert quat.angle(top.motion(constraints="free").rotations[:, j], wanted).max() < 1e-9
    quiet = top.detail(0.0, joints=["Head"], layer=1)
    assert apart(quiet.motion(constraints="free"), walk) < 1e-9
    new = quat.multiply(quat.exp(np.array([0.3, 0, 0])), top.extreme(4).rotations[j])
    edited = top.edit(4, {"Head": new}, when="extreme", layer=1)
    assert quat.angle(edited.extreme(4).rotations[j], new) < 1e-6
    assert apart(edited.insert(float(edited.times[4:6].mean())).motion(), edited.motion()) < 1e-9


# ---- by hand


def key(angle: float, place: float) -> Pose:
    rotations = quat.identity(4)
    rotations[1:] = quat.from_axis_angle([0, 0, 1], angle)
    return Pose(rotations, {"Base": np.array([place, 0.0, 0.0])})


def test_poses_are_built_by_hand() -> None:
    skeleton = swings([0.5, 1.0]).skeleton
    made = StaggeredPoses.from_poses(
        skeleton,
        [key(0.0, 0), key(1.0, 1), key(-0.5, 2), key(0.0, 3)],
        [0.0, 0.5, 1.1, 1.6],
        refinements={"Tip": [0, 0.08, 0.05, 0]},
        joints=[None, None, ["Upper", "Lower", "Tip"], None],
    )
    motion = made.motion(constraints="free")
    assert motion.duration == pytest.approx(1.6)
    at = {n: round(120 * t) for n, t in (("pose", 0.5), ("tip", 0.58))}
    full = quat.from_axis_angle([0, 0, 1], 1.0)
    assert quat.angle(motion.rotations[at["pose"], 1], full) < 1e-6
    assert quat.angle(motion.rotations[at["tip"], 3], full) < 0.01
    assert quat.angle(motion.rotations[at["pose"], 3], full) > 0.005
    assert not made.timing.included[2, made.channels.index("Base:translation")]
    moved = made.retime(1, 0.7).succession("Upper", 0.02).exaggerate(0.5)
    assert moved.motion(constraints="free").duration == pytest.approx(1.6)


# ---- as a step and as a file


def test_edits_are_data(tmp_path: Path, walk: Motion, poses: StaggeredPoses) -> None:
    edited = poses.retime(4, poses.times[4] + 0.03).succession("RightArm", 0.02, 1.5)
    edited = edited.exaggerate(0.4, joints=["LeftArm"]).edit(
        3,
        {
            "Head": quat.multiply(
                quat.exp(np.array([0.2, 0, 0])), poses.at(3).rotations[joint(poses, "Head")]
            )
        },
    )
    recipe = Recipe([Step("stagger", {"edits": edited.edits})])
    write_recipe(recipe, tmp_path / "r.json")
    again = read_recipe(tmp_path / "r.json")
    assert again.steps[0].parameters == recipe.steps[0].parameters
    assert apart(again.evaluate(walk), edited.motion()) < 1e-12
    muted = [replace(e, mute=e.do != "exaggerate") for e in edited.edits]
    less = Recipe([Step("stagger", {"edits": muted})]).evaluate(walk)
    assert apart(less, poses.exaggerate(0.4, joints=["LeftArm"]).motion()) < 1e-12
    half = Recipe([Step("stagger", {"edits": edited.edits, "constraints": "free"}, weight=0.0)])
    assert apart(half.evaluate(walk), walk) < 1e-12


def test_a_pose_named_by_its_time_is_recorded_as_text(poses: StaggeredPoses) -> None:
    """JSON, and what else writes it, has one kind of number: 2.0 must not become pose 2."""
    time = float(poses.times[4])
    edited = poses.turn({"Head": [5, 0, 0]}, poses=[time]).retime(time, time + 0.02)
    assert [e.arguments.get("pose", e.arguments.get("poses")) for e in edited.edits] == [
        [f"{time!r} s"],
        f"{time!r} s",
    ]
    again = poses.replay(edited.edits)
    assert np.array_equal(again.times, edited.times)


def test_what_can_be_gone_through_once_is_recorded(poses: StaggeredPoses) -> None:
    edited = poses.exaggerate(0.5, poses=(k for k in [1, 2]), joints={"RightArm", "LeftArm"})
    again = poses.replay(edited.edits)
    assert np.array_equal(again.motion().rotations, edited.motion().rotations)


@pytest.mark.parametrize("edits", [
    [{"do": "turn", "joints": {"Head": [1, 0, 0]}, "poses": []}],
    [{"do": "exaggerate", "weight": 0.5, "poses": []}],
])  # fmt: skip
def test_an_edit_of_no_pose_does_nothing(walk: Motion, edits: list[Any]) -> None:
    result = Recipe([Step("stagger", {"edits": edits, "constraints": "free"})]).evaluate(walk)
    assert apart(result, walk) == 0.0


def test_a_count_of_one_is_no_share(walk: Motion) -> None:
    lone = Step("stagger", {"keep": 1, "edits": [{"do": "exaggerate", "weight": 1.0}]})
    every = Step("stagger", {"keep": 1.0, "edits": [{"do": "exaggerate", "weight": 1.0}]})
    one: Any = np.int64(1)
    assert len(StaggeredPoses.from_motion(walk, keep=1)) == 3
    assert len(StaggeredPoses.from_motion(walk, keep=one)) == 3
    few, many = (Recipe([s]).evaluate(walk) for s in (lone, every))
    assert apart(few, many) > 0.01


def test_timing_edits_compose_with_other_steps(walk: Motion, poses: StaggeredPoses) -> None:
    _start, end = float(poses.times[4]), float(poses.times[4]) + 0.05
    moved = poses.retime(4, end).warp()
    slow = TimeWarp([0, 2 * walk.duration], [0, walk.duration])
    steps = [
        Step(
            "stagger", {"moves": [(poses.times[4], poses.times[4] + 0.05)], "constraints": "free"}
        ),
        Step("warp", {"warp": slow}),
    ]
    assert apart(Recipe(steps).evaluate(walk), apply(walk, moved @ slow)) < 1e-9


def test_several_moves_do_not_block_each_other(walk: Motion, poses: StaggeredPoses) -> None:
    t = poses.times
    shift = 0.8 * float(np.diff(t)[3:5].min())
    moves = [(t[3], t[3] + shift), (t[4], t[4] + shift)]
    step = Step("stagger", {"moves": moves, "constraints": "free"})
    warp = step.solve(walk).warp
    assert warp is not None
    for start, end in moves:
        assert float(warp(end)) == pytest.approx(start, abs=1e-9)


@pytest.mark.parametrize("suffix", [".json", ".npz"])
def test_files_lose_nothing(tmp_path: Path, poses: StaggeredPoses, suffix: str) -> None:
    edited = poses.retime(4, poses.times[4] + 0.03).exaggerate(0.3).delete(5).add_layer()
    edited.write(tmp_path / f"p{suffix}")
    again = StaggeredPoses.read(tmp_path / f"p{suffix}")
    assert np.array_equal(again.motion().rotations, edited.motion().rotations)
    assert again.edits == edited.edits
    assert again.notes == edited.notes
    more, same = (p.retime(3, p.times[3] + 0.01).jitter(0.01).motion() for p in (edited, again))
    assert np.array_equal(more.rotations, same.rotations)


@pytest.mark.parametrize("suffix", [".json", ".npz"])
def test_damaged_files_get_a_sentence(tmp_path: Path, poses: StaggeredPoses, suffix: str) -> None:
    file = tmp_path / f"p{suffix}"
    poses.write(file)
    data = file.read_bytes()
    for bad in (data[: len(data) // 2], b"{}", b"", b'{"format": "retime-poses", "version": 9}'):
        file.write_bytes(bad)
        with pytest.raises(FormatError):
            StaggeredPoses.read(file)
    with pytest.raises(InputError, match=r"\.json or \.npz"):
        poses.write(tmp_path / "p.txt")


@pytest.mark.parametrize(
    "name", ["channel/3/knots", "timing/times", "channel/0/0/detail", "timing/included"]
)
def test_arrays_that_do_not_agree_get_a_sentence(
    tmp_path: Path, poses: StaggeredPoses, name: str
) -> None:
    file = tmp_path / "p.json"
    poses.write(file)
    document = json.loads(file.read_text())
    entry = document["arrays"][name]
    rows = entry["shape"][0] - 2
    entry["values"] = entry["values"][: rows * len(entry["values"]) // entry["shape"][0]]
    entry["shape"][0] = rows
    file.write_text(json.dumps(document))
    with pytest.raises(FormatError, match="agree"):
        StaggeredPoses.read(file)


# ---- constraints, ranges, loops


def test_contacts_are_held(walk: Motion, poses: StaggeredPoses) -> None:
    edited = poses.turn({"Hips": [0, 9, 0], "LeftLeg": [4, 0, 0]}).succession("Hips", 0.01)
    held, free = edited.motion(), edited.motion(constraints="free")

    def off(motion: Motion) -> float:
        """How far feet in contact are from their places in the source at their own times."""
        worst = 0.0
        for contact in detect_contacts(walk):
            shown = edited.warp().preimage(contact.start, contact.end, contact.joint)
            assert shown is not None
            j = walk.skeleton.index(contact.joint)
            frames = (motion.times >= shown[0]) & (motion.times <= shown[1])
            own = edited.warp()(motion.times[frames], contact.joint)
            wanted = [np.interp(own, walk.times, positions(walk)[:, j, c]) for c in range(3)]
            away = np.linalg.norm(positions(motion)[frames, j] - np.stack(wanted, axis=1), axis=1)
            worst = max(worst, float(away.max()))
        return worst

    assert off(held) < 1e-3 < off(free)


def test_nothing_changes_outside_a_range(walk: Motion) -> None:
    a, b = 0.803, 2.196  # between frames
    inner = StaggeredPoses.from_motion(walk, range=(a, b))
    edited = inner.exaggerate(0.5).jitter(0.02).detail(0.5).succession("Hips", 0.01)
    times = changed_times(walk, edited.motion(constraints="free"))
    assert a <= times.min() < times.max() <= b
    free = inner.free
    rippled = inner.retime(free[1], inner.times[free[1]] - 0.03, ripple=True).delete(free[2])
    assert len(rippled.free) == len(free) - 1
    after = rippled.exaggerate(0.5)
    late = changed_times(rippled.motion(constraints="free"), after.motion(constraints="free"))
    assert late.max() <= rippled.times[rippled.free[-1] + 1] + 1e-9
    with pytest.raises(InputError, match="not inside the range"):
        inner.exaggerate(0.5, poses=[0])
    with pytest.raises(InputError, match="not a part of the clip"):
        StaggeredPoses.from_motion(walk, range=(2.0, 99.0))


def test_a_cycles_ends_are_one_pose(walk: Motion) -> None:
    cycle = StaggeredPoses.from_motion(walk, loop=True)
    turned = cycle.turn({"Head": [10, 0, 0]}, poses=[0])
    layer = turned.layer()
    assert layer is not None
    assert np.allclose(layer.rotations["Head"][0], layer.rotations["Head"][-1])
    assert turned.warp().loop


@pytest.mark.parametrize("weight", [0.0, 0.4, 1.0])
def test_layers_are_weighed_and_removed_singly(poses: StaggeredPoses, weight: float) -> None:
    turned = {"Head": [20.0, 0.0, 0.0]}
    one = poses.add_layer().turn(turned, poses=4, layer=1)
    both = one.add_layer().turn({"LeftArm": [0.0, 0.0, 15.0]}, poses=4, layer=2)
    i, j = (poses.channels.index(n) for n in ("Head", "LeftArm"))
    weighed = both.weigh_layer(1, weight)
    made, plain, whole = (p.extreme(4).rotations for p in (weighed, poses, both))
    asked = quat.angle(whole[i], plain[i])
    assert quat.angle(made[i], plain[i]) == pytest.approx(weight * asked, abs=1e-9)
    assert quat.angle(made[j], whole[j]) < 1e-12
    # A layer that counts by a share still takes the values that an edit asks for.
    if weight:
        wanted = quat.multiply(quat.from_axis_angle([0.0, 1.0, 0.0], 0.2), made[i])
        again = weighed.edit(4, {"Head": wanted}, when="extreme", layer=1)
        assert quat.angle(again.extreme(4).rotations[i], wanted) < 1e-9
    left = both.remove_layer(1)
    assert apart(left.motion(), poses.add_layer().turn(
        {"LeftArm": [0.0, 0.0, 15.0]}, poses=4, layer=1).motion()) < 1e-9  # fmt: skip
    assert apart(one.remove_layer(1).motion(constraints="free"), poses.source) < 1e-12
    with pytest.raises(InputError, match="layer 0 is the motion itself"):
        both.remove_layer(0)


def test_weights_of_layers_are_written(poses: StaggeredPoses, tmp_path: Path) -> None:
    weighed = poses.add_layer().turn({"Head": [20.0, 0.0, 0.0]}, layer=1).weigh_layer(1, 0.3)
    weighed.write(tmp_path / "poses.npz")
    assert apart(StaggeredPoses.read(tmp_path / "poses.npz").motion(), weighed.motion()) == 0


# ---- bad input


def found(poses: StaggeredPoses, **options: Any) -> StaggeredPoses:
    return StaggeredPoses.from_motion(poses.source, **options)


def by_hand(poses: StaggeredPoses, *arguments: Any) -> StaggeredPoses:
    return StaggeredPoses.from_poses(poses.source.skeleton, *arguments)


@pytest.mark.parametrize(
    ("edit", "sentence"),
    [
        (lambda p: p.retime(3, p.times[5]), "past its neighbour; possible:"),
        (lambda p: p.retime(0, 0.1), "first pose starts the clip"),
        (lambda p: p.retime(3, float("nan")), "time is nan"),
        (lambda p: p.retime(99, 1.0), "there is no pose 99"),
        (lambda p: p.retime(50.0, 1.0), "no pose near 50 s"),
        (lambda p: p.retime("soon", 1.0), "'soon' is not a number"),
        (lambda p: p.refine(3, {"LeftHand": 5.0}), "out of bounds for 'LeftHand' at pose 3"),
        (lambda p: p.refine(0, {"LeftHand": 0.1}), "out of bounds"),
        (lambda p: p.succession("RigthArm", 0.1), "did you mean 'RightArm'"),
        (lambda p: p.succession("RightArm", 0.1, -1), "power of a succession is 0 or more"),
        (lambda p: p.succession("Hips:translation", 0.1), "starts from a joint"),
        (
            lambda p: found(p, loop=True).succession("RightArm", 0.1, past_end=True),
            "a cycle has no end to run past",
        ),
        (
            lambda p: found(p, range=(1.0, 2.0)).succession("RightArm", 0.1, past_end=True),
            "ends before the clip",
        ),
        (lambda p: p.jitter(-1), "0 s or more"),
        (lambda p: p.scale_refinements(-1), "0 or more"),
        (lambda p: p.exaggerate(1, relative_to="avarage"), "relative_to is 'avarage'"),
        (lambda p: p.exaggerate("much"), "'much' is not a number"),
        (lambda p: p.edit(3, {"Head": [1, 0, 0]}), "must be 4 finite numbers"),
        (lambda p: p.edit(3, {"Head": [2, 0, 0, 0]}), "not a unit quaternion"),
        (lambda p: p.edit(3, {"Head": [1, 0, 0, 0]}, when="now"), "when is 'now'"),
        (lambda p: p.edit(3, {"Head": [1, 0, 0, 0]}, layer=3), "there is no layer 3"),
        (lambda p: p.edit(3, translations={"Head": [1, 0, 0]}), "no channel 'Head:translation'"),
        (lambda p: p.set_tangents(3, "Head", leave=[0, 0, 1], layer=5), "there is no layer 5"),
        (lambda p: p.detail(0.5, layer=-1), "there is no layer -1"),
        (lambda p: p.turn(UNKNOWN), "turns are given by joint"),
        (lambda p: p.succession(5, 0.1), "a joint is a name"),
        (lambda p: p.succession("RightArm", 0.1, 1e9), "and the clip lasts"),
        (lambda p: p.jitter(1e308), "and the clip lasts"),
        (lambda p: p.jitter(0.1, joints=5), "joints are names"),
        (lambda p: p.exaggerate(1e308), "at most 10"),
        (lambda p: p.add_layer({"Head": "x"}), "must be numbers"),
        (lambda p: p.insert(-3.0), "not inside the clip"),
        (lambda p: p.insert(float(p.times[3])), "pose 3 is already at"),
        (lambda p: p.delete(0), "hold the clip's ends"),
        (lambda p: p.reach(3, {"Spine": [0, 0, 0]}, help="limb"), "not on an arm or a leg"),
        (lambda p: p.add_layer({"Head": np.zeros((3, 3))}), "finite rows of 3"),
        (lambda p: p.replay([PoseEdit("jitter", {})]), "jitter needs 'seconds'"),
        (lambda p: PoseEdit("jiter", {}), "did you mean 'jitter'"),
        (lambda p: PoseEdit("jitter", {"second": 1}), "did you mean 'seconds'"),
        (lambda p: found(p, keep=-1.0), "keep is -1"),
        (lambda p: found(p, keep=2.5), "keep is 2.5"),
        (lambda p: found(p, keep=[99.0]), "not inside the clip"),
        (lambda p: found(p, fit=UNKNOWN), "fit is 'best'"),
        (lambda p: found(p, filter=-1), "the minimum is 0 s"),
        (lambda p: found(p, filter=1000), "longer than the clip"),
        (lambda p: found(p, keep=True), "keep is True"),
        (lambda p: found(p, keep=UNKNOWN), "is not a number"),
        (lambda p: found(p, range=(1.0, 1.01)), "fewer than three frames"),
        (lambda p: found(p, contacts=[UNKNOWN]), "of type Contact"),
        (lambda p: p.motion(fps=UNKNOWN), "is not a number"),
        (lambda p: by_hand(p, [UNKNOWN] * 2, [0, 1]), "a pose is a Pose"),
        (lambda p: by_hand(p, [p.at(0)] * 2, [0, 1e9]), "fit in memory"),
        (lambda p: by_hand(p, [p.at(0)] * 2, [0, 1e-4]), "closer than a frame"),
    ],
)  # fmt: skip
def test_bad_input_gets_a_sentence(poses: StaggeredPoses, edit: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        edit(poses)


def test_a_partial_pose_says_what_it_lacks(poses: StaggeredPoses) -> None:
    partial = poses.insert(float(poses.times[3:5].mean()), joints=["LeftArm"])
    with pytest.raises(InputError, match="pose 4 leaves 'Head' out"):
        partial.edit(4, {"Head": [1, 0, 0, 0]})
    assert apart(partial.turn({"LeftArm": [0, 0, 20]}, poses=[4]).motion(), poses.source) > 0.1


def test_a_clip_of_one_frame_is_refused(walk: Motion) -> None:
    one = apply(walk, TimeWarp([0], [0]))
    with pytest.raises(InputError, match="at least two frames"):
        StaggeredPoses.from_motion(one)


def test_hips_below_a_node_are_not_exaggerated() -> None:
    walk = under_a_node(samples.walk())
    step = Step("stagger", {"exaggerate": 0.3, "constraints": "free"})
    made = Recipe([step]).evaluate(walk)
    hips = walk.skeleton.index("Hips")
    assert quat.angle(made.rotations[:, hips], walk.rotations[:, hips]).max() < 1e-9
    arm = walk.skeleton.index("LeftArm")
    assert quat.angle(made.rotations[:, arm], walk.rotations[:, arm]).max() > 0.02


def test_poses_beside_the_fixed_ends_are_pushed_by_less() -> None:
    walk = samples.walk()
    step = Step("stagger", {"exaggerate": 0.5, "joints": ["LeftArm"], "constraints": "free"})
    made = Recipe([step]).evaluate(walk)
    j = walk.skeleton.index("LeftArm")
    turned = quat.angle(made.rotations[:, j], walk.rotations[:, j])
    assert turned.max() > np.radians(8)
    assert np.abs(np.diff(turned)).max() * walk.rate < np.radians(150)


# ---- travel


def slides(motion: Motion, contacts: Iterable[Contact]) -> float:
    """Return how far joints slide along the ground while they are in contact, metres."""
    place, index, most = positions(motion), motion.skeleton.index, 0.0
    for contact in contacts:
        frames = (motion.times >= contact.start) & (motion.times <= contact.end)
        stood = place[frames, index(contact.joint)][:, [0, 2]]
        most = max(most, float(np.abs(stood - stood.mean(axis=0)).max(initial=0.0)))
    return most


@pytest.mark.parametrize(("travel", "weight"), [(0.4, 1.0), (-1.0, 1.0), (0.4, 0.5)])
def test_travel_scales_the_path_and_feet_stay_planted(
    walk: Motion, travel: float, weight: float
) -> None:
    slower = 1.2 * walk.duration
    steps = [Step("stagger", {"travel": travel}, weight=weight)]
    made = Recipe(steps).evaluate(walk)
    later = Recipe([*steps, Step("spline", {"duration": slower}), Step("hold", {})]).evaluate(walk)
    way = positions(walk)[:, 0] - positions(walk)[0, 0]
    new = positions(made)[:, 0] - positions(made)[0, 0]
    assert np.abs(new - (1 + weight * travel) * way)[:, [0, 2]].max() < 1e-9
    contacts = detect_contacts(walk)
    off = off_path(walk, made, TimeWarp.identity(*walk.domain), contacts)
    slid = max(np.abs(d - d.mean(axis=0))[:, [0, 2]].max() for d in off)
    assert slid < (1e-6 if weight == 1 else 1e-3)  # it is held by its weight
    stretch = TimeWarp([0, later.duration], [0, walk.duration])
    assert slides(later, carry_contacts(contacts, stretch)) < 1e-6
    assert np.allclose(positions(later)[-1, 0, [0, 2]], positions(made)[-1, 0, [0, 2]], atol=1e-9)


def test_a_jump_travels_to_its_last_frame_though_it_lasts_longer() -> None:
    jump = samples.jump()
    step = Step("stagger", {"travel": 0.4, "exaggerate": 0.3, "keep_gravity": True})
    made = Recipe([step]).evaluate(jump)
    before, after = (positions(m)[-1, 0] - positions(m)[0, 0] for m in (jump, made))
    assert made.duration > jump.duration
    assert np.allclose(after[[0, 2]], 1.4 * before[[0, 2]], atol=1e-3)


def test_travel_is_refused_where_ends_must_match(walk: Motion) -> None:
    for parameters, why in (({"range": (0.5, 2.0)}, "inside a range"), ({"loop": True}, "a cycle")):
        with pytest.raises(InputError, match=why):
            Recipe([Step("stagger", {"travel": 0.4, **parameters})]).evaluate(walk)


def test_legs_have_times_of_their_own_in_swings_only(walk: Motion) -> None:
    poses = StaggeredPoses.from_motion(walk)
    assert "LeftFoot" not in poses.succession("Hips", 0.05).warp().channels
    late = poses.refine_poses({"left_leg": 0.04})
    warp, times = late.warp(), np.linspace(*walk.domain, 500)
    shift = warp(times, "LeftFoot") - times
    assert shift.min() < -0.02
    assert np.array_equal(warp(times, "RightFoot"), times)
    for contact in detect_contacts(walk):
        if contact.joint.startswith("Left"):
            stands = (times > contact.start) & (times < contact.end)
            assert np.abs(shift[stands]).max(initial=0.0) < 1e-6
    assert any(n.code == "staggering-limited" for n in warp.notes)


def test_hips_lead_a_succession_and_plants_stay(walk: Motion) -> None:
    poses = StaggeredPoses.from_motion(walk)
    led = poses.succession("Hips", 0.03, lead="hips")
    gain = led.refinements[3] - poses.refinements[3]
    for name, depth in (("Hips", 0), ("Hips:translation", 0), ("Spine", 1), ("Chest", 2)):
        assert gain[poses.channels.index(name)] == pytest.approx(0.03 * (depth - 1), abs=1e-12)
    warp, made = led.warp(), led.motion(constraints="free", times=walk.times)
    shift = warp(walk.times, "Hips") - walk.times
    assert np.median(shift) == pytest.approx(0.03, abs=2e-3)
    assert np.array_equal(warp(walk.times, "LeftFoot"), walk.times)
    for contact in (c for c in detect_contacts(walk) if c.joint.endswith(("Foot", "Toe"))):
        now = (walk.times >= contact.start) & (walk.times <= contact.end)
        foot = walk.skeleton.index(contact.joint)
        assert np.abs(positions(made)[now, foot] - positions(walk)[now, foot]).max() < 5e-3
    parameters = {"succession": [("Hips", 0.03, 1.0)], "lead": "hips"}
    stepped = Recipe([Step("stagger", parameters)]).evaluate(walk)
    assert apart(stepped, led.motion()) < 1e-12
    muted = replace(led, edits=(replace(led.edits[-1], mute=True),))
    assert led.hips_lead
    assert not muted.hips_lead
    for joint, lead, why in (("RightArm", "hips", "from the hips"), ("Hips", "feet", "'hips' or")):
        with pytest.raises(InputError, match=why):
            poses.succession(joint, 0.03, lead=lead)  # type: ignore[arg-type]


def test_notes_tell_what_does_not_arrive(walk: Motion) -> None:
    poses = StaggeredPoses.from_motion(walk)

    def said(edited: StaggeredPoses) -> dict[str, Note]:
        return {n.code: n for n in edited.warp().notes}

    k = 3
    assert "part-misplaced" not in said(poses.refine(k, {"RightArm": 0.01}))
    beside = poses.refine(k, {"RightHand": 0.1, "RightForeArm": -0.1})  # they have one time
    note, i = said(beside)["part-misplaced"], poses.channels.index("RightHand")
    assert note.values["joint"] == "RightHand"
    assert note.values["leader"] == "RightForeArm"
    assert float(note.values["delivered"]) == pytest.approx(beside.arrivals.delivered[k, i])
    ends = poses.refine_poses({"RightArm": 0.02}, poses=[0, k])
    assert "ends-stay" in said(ends)
    assert "ends-stay" not in said(poses.refine_poses({"RightArm": 0.02}, poses=[k]))
    assert ends.refinements[0].max() == 0


def test_a_flight_that_does_not_fall_is_named() -> None:
    jump = samples.jump()
    poses = StaggeredPoses.from_motion(jump)
    start, end = find_contacts(jump).flights[0]
    inside = int(np.abs(poses.times - (start + end) / 2).argmin())
    warp = poses.retime(inside, float(poses.times[inside]) + 0.05).warp()
    notes = [n for n in warp.notes if n.code == "flight-not-falling"]
    assert len(notes) == 1
    assert float(notes[0].values["fastest"]) > 1.03
    later = poses.retime(len(poses) - 1, float(poses.times[-1]) + 0.2).warp()  # after the landing
    assert not any(n.code == "flight-not-falling" for n in later.notes)


def test_exaggeration_tells_pose_1_from_the_pose_at_1_second(walk: Motion) -> None:
    poses = StaggeredPoses.from_motion(walk)
    assert poses.index(1) != poses.index(1.0)
    by_number = poses.exaggerate(0.5, relative_to=1).motion()
    by_time = poses.exaggerate(0.5, relative_to=1.0).motion()
    fresh = StaggeredPoses.from_motion(walk).exaggerate(0.5, relative_to=1.0).motion()
    np.testing.assert_array_equal(by_time.rotations, fresh.rotations)
    assert not np.array_equal(by_time.rotations, by_number.rotations)


def test_a_hidden_leg_is_left_as_it_is(walk: Motion) -> None:
    scale = np.ones((len(walk), 3))
    scale[40:60] = 0.0
    hidden = replace(walk, scales={"LeftUpLeg": scale})
    made = Recipe([Step("stagger", {"exaggerate": 0.3})]).evaluate(hidden)
    assert np.isfinite(made.rotations).all()
