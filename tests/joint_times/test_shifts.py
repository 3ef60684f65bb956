"""The nearest shifts, against a general solver, and the laws of joints at times of their own."""

from __future__ import annotations

from typing import Any

import clarabel
import numpy as np
import pytest
from scipy import sparse

from retime import (
    Motion,
    TimeWarp,
    _native,
    apply,
    detect_contacts,
    find_body,
    positions,
    samples,
)
from retime.arrays import FloatArray
from retime.io.warp_json import from_document, to_document
from retime.joint_times import JointTimes, Request, Shift, leg_joints, modes_of
from retime.motion.kinematics import global_rotations


@pytest.fixture(scope="module")
def walk() -> Motion:
    return samples.walk()


def oracle(p: dict[str, Any]) -> FloatArray:
    """Solve the same projection by Clarabel."""
    count, h, loop = len(p["asked"]), p["step"], p["loop"]
    rows = np.eye(count)
    first, second = (np.roll(rows, -k, axis=0) for k in (1, 2))
    slopes = (first - rows)[: count if loop else -1] / h
    bends = (second - 2 * first + rows)[: count if loop else -2] / h**2
    points = np.zeros((len(p["first"]), count))
    for row, start, by in zip(points, p["first"], p["by"], strict=True):
        row[(start + np.arange(4)) % count] += by
    cost = np.diag(p["weight"]) + points.T @ points + p["stiffness"] * h * bends.T @ bends
    aim = p["weight"] * p["asked"] + points.T @ p["wanted"]
    forms = np.vstack([rows, slopes, bends / p["bend"]])
    low = np.r_[p["values"][0], p["slopes"][0][: len(slopes)], -np.ones(len(bends))]
    high = np.r_[p["values"][1], p["slopes"][1][: len(slopes)], np.ones(len(bends))]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    solver = clarabel.DefaultSolver(
        sparse.csc_matrix(np.triu(2 * cost)),
        -2 * aim,
        sparse.csc_matrix(np.vstack([forms, -forms])),
        np.r_[high, -low],
        [clarabel.NonnegativeConeT(2 * len(forms))],
        settings,
    )
    return np.array(solver.solve().x)


@pytest.mark.parametrize("loop", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_the_nearest_shift_is_that_of_a_general_solver(seed: int, loop: bool) -> None:
    rng = np.random.default_rng(seed)
    count, step = 80, 0.025
    shift = Shift(0.0, step, np.zeros(count), loop)
    first, by = shift.points(np.sort(rng.uniform(0.2, 1.8, 9)))
    values = np.stack([-rng.uniform(0, 0.2, count), rng.uniform(0, 0.2, count)])
    values[:, rng.random(count) < 0.1] = 0.0  # bounds that are closed
    p: dict[str, Any] = {
        "step": step,
        "asked": rng.normal(0, 0.1, count),
        "weight": np.full(count, 0.02),
        "first": first,
        "by": by,
        "wanted": rng.uniform(-0.25, 0.25, 9),
        "values": values,
        "slopes": np.tile([[-0.9], [0.66]], count),
        "bend": 12.0,
        "stiffness": 1e-8,
        "loop": loop,
    }
    found = _native.joint_times.nearest_shift(*p.values())
    np.testing.assert_allclose(found, oracle(p), atol=2e-6)
    assert (found >= values[0] - 1e-7).all()
    assert (found <= values[1] + 1e-7).all()


def test_a_curve_goes_through_its_values_and_is_smooth() -> None:
    values = np.r_[0.0, np.random.default_rng(1).normal(0, 0.1, 20), 0.0]
    for loop in (False, True):
        shift = Shift(1.0, 0.025, values, loop)
        at = np.linspace(1.0, 1.0 + 0.025 * (len(values) - 1), len(values))
        np.testing.assert_allclose(shift.at(at), values, atol=1e-12)
        fine = shift.at(np.linspace(1.05, 1.45, 4001))
        assert np.abs(np.diff(fine, 2)).max() < 1e-3 * np.abs(np.diff(fine)).max() * 40
    assert Shift(1.0, 0.025, values).at(np.array([0.0, 9.0])).tolist() == [0.0, 0.0]


def arm_request(walk: Motion, seconds: float) -> dict[int, Request]:
    times = np.linspace(0.6, walk.duration - 0.6, 7)
    return {
        walk.skeleton.index(n): Request(times, np.full(7, s), np.ones(7))
        for n, s in (("RightArm", seconds), ("Head", -seconds))
    }


def test_nothing_asked_moves_nothing(walk: Motion) -> None:
    times = JointTimes.of(walk)
    assert times.solve({}).warp().is_identity
    assert times.solve(arm_request(walk, 0.0)).warp().is_identity
    still = apply(walk, times.solve({}).warp())
    assert np.array_equal(still.rotations, walk.rotations)


@pytest.mark.parametrize("seconds", [1e-4, 1e-3, 0.02, 0.06])
def test_a_small_shift_moves_joints_little(walk: Motion, seconds: float) -> None:
    made = apply(walk, JointTimes.of(walk).solve(arm_request(walk, seconds)).warp())
    moved = np.linalg.norm(positions(made) - positions(walk), axis=-1).max(axis=0)
    speed = np.linalg.norm(np.diff(positions(walk), axis=0), axis=-1).max(axis=0) * walk.rate
    relative = positions(walk) - positions(walk)[:, :1]
    own = np.linalg.norm(np.diff(relative, axis=0), axis=-1).max(axis=0) * walk.rate
    assert (moved <= 1.5 * seconds * np.maximum(speed, own) + 1e-9).all()


def test_base_joints_stay_and_hinges_stay_hinges(walk: Motion) -> None:
    modes = modes_of(walk)
    names = walk.skeleton.names
    made = apply(walk, JointTimes.of(walk).solve(arm_request(walk, 0.05)).warp())
    base = [j for j, mode in enumerate(modes.modes) if mode == "base"]
    assert {names[j] for j in base} >= {"Hips", "LeftFoot", "RightUpLeg"}
    assert np.array_equal(made.rotations[:, base], walk.rotations[:, base])
    assert modes.modes[names.index("RightForeArm")] == "local"
    assert modes.leader[names.index("RightHand")] == names.index("RightForeArm")


def test_what_the_time_of_a_joint_in_space_applies_to() -> None:
    clip = samples.punches()
    warp = JointTimes.of(clip).solve(arm_request(clip, 0.05)).warp()
    made, names = apply(clip, warp), clip.skeleton.names
    shown = [n for n in warp.channels if n in warp.in_space]
    assert "RightArm" in shown
    for name in shown:
        j = names.index(name)
        then = apply(clip, TimeWarp(warp.channels[name].x, warp.channels[name].y), times=clip.times)
        turned = np.abs((global_rotations(made)[:, j] * global_rotations(then)[:, j]).sum(-1))
        np.testing.assert_allclose(turned, 1.0, atol=1e-12)


def test_modes_survive_the_algebra_and_files() -> None:
    walk = samples.punches()
    warp = JointTimes.of(walk).solve(arm_request(walk, 0.05)).warp()
    assert warp.in_space
    assert from_document(to_document(warp)) == warp
    half = TimeWarp([0, walk.duration / 2], [0, walk.duration])
    assert (warp @ half).in_space == warp.in_space
    assert warp.blend(TimeWarp.identity(*warp.domain), 0.5).in_space == warp.in_space
    assert warp.of_body().in_space == frozenset()


def test_a_leg_swings_and_stands_with_the_body(walk: Motion) -> None:
    legs = {find_body(walk).limbs["left_leg"].upper: leg_joints(find_body(walk), "left_leg")}
    times = JointTimes.of(walk, modes_of(walk).with_swings(legs))
    (top,) = legs
    asked = np.linspace(0.4, walk.duration - 0.4, 12)
    shift = times.solve({top: Request(asked, np.full(12, -0.05), np.ones(12))}).curves[top]
    assert shift.values.min() < -0.02
    for contact in detect_contacts(walk):
        if contact.joint.startswith("Left"):
            stands = np.linspace(contact.start, contact.end, 20)
            assert np.abs(shift.at(stands)).max() < 1e-6


def test_shifts_of_a_cycle_go_round(walk: Motion) -> None:
    times = JointTimes.of(walk, loop=True)
    arm = walk.skeleton.index("RightArm")
    asked = np.linspace(*walk.domain, 9)[:-1]
    shift = times.solve({arm: Request(asked, np.full(8, 0.03), np.ones(8))}).curves[arm]
    assert abs(shift.at(np.array([walk.domain[0]]))[0]) > 0.01
    ends = shift.at(np.array(walk.domain))
    assert ends[0] == pytest.approx(ends[1], abs=1e-12)
