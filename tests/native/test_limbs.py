"""Limbs of two bones: lengths, hinges, turns written back, and arguments that do not fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from retime import _native, quat
from retime.arrays import FloatArray

limbs = _native.limbs


def test_bones_keep_their_lengths_and_bend_to_the_pole() -> None:
    rng = np.random.default_rng(1)
    base, pole = rng.normal(size=(2, 40, 3))
    upper, lower = rng.uniform(0.3, 0.5, (2, 40))
    target = base + rng.normal(0, 0.5, (40, 3))
    middle, end = limbs.two_bones(base, target, upper, lower, pole)
    assert np.allclose(np.linalg.norm(middle - base, axis=1), upper)
    assert np.allclose(np.linalg.norm(end - middle, axis=1), lower)
    assert (((middle - base) * pole).sum(1) > ((end - base) * pole).sum(1) / 2 - 0.3).all()
    far = np.linalg.norm(target - base, axis=1)
    inside = (far < 0.999 * (upper + lower)) & (far > 1.01 * np.abs(upper - lower) + 0.001)
    assert inside.sum() > 10
    assert np.allclose(end[inside], target[inside])


def leg(offset: FloatArray, up: float = 0.0) -> dict[str, Any]:
    """Return what bends straight legs, whose knees are off their lines, by moving ankles up."""
    count = len(offset)
    points = np.zeros((count, 3, 3))
    points[:, :, 1] = [1.0, 0.5, 0.0]
    points[:, 1] += offset
    return {
        "frames": np.arange(count),
        "joints": np.array([0, 1, 2, 2]),
        "points": points,
        "moves": np.tile([0.0, up, 0.0], (count, 1)),
        "turns": quat.identity(count),
        "shakes": np.zeros(count),
        "poles": np.tile([0.0, 0.0, 1.0], (count, 1)),
        "hinges": np.tile([1.0, 0.0, 0.0], (count, 1)),
    }


def bent_knees(given: dict[str, Any]) -> FloatArray:
    turns, ends, missed = limbs.reach(**given)
    assert missed < 1e-12
    hip, knee, end = np.moveaxis(given["points"], 1, 0)
    new = quat.rotate(turns[:, 0], knee - hip)
    assert np.allclose(hip + new + quat.rotate(turns[:, 1], end - knee), ends)
    return new


def test_a_knee_a_hair_past_straight_still_bends_forward() -> None:
    offset = np.array([[0.0, 0.0, -0.002], [0.0005, 0.0, -0.002], [0.0, 0.0, 0.05]])
    assert (bent_knees(leg(offset, up=0.01))[:, 2] > 0).all()
    turns, _, _ = limbs.reach(**leg(offset))
    assert np.allclose(turns, [1.0, 0.0, 0.0, 0.0], atol=1e-9)  # what does not bend does not turn


def test_a_knee_past_straight_stays_on_one_side() -> None:
    aside = 1e-6 * np.resize([1.0, -1.0], 9)  # noise, to the left and to the right
    offset = np.stack([aside, np.zeros(9), np.full(9, -0.004)], axis=1)
    new = bent_knees(leg(offset, up=2e-5))
    assert np.abs(np.diff(new, axis=0)).max() < 1e-5
    assert (np.abs(new[:, 0]) > 1e-3).all()  # on its way from back to front


def test_a_limb_without_length_stays() -> None:
    given = leg(np.zeros((2, 3)), up=0.3)
    given["points"][1] = 0.0
    turns, ends, missed = limbs.reach(**given)
    assert (turns[1] == [1.0, 0.0, 0.0, 0.0]).all()
    assert (ends[1] == 0).all()
    assert missed == pytest.approx(0.3)


def chain(linked: bool = False) -> dict[str, Any]:
    rng = np.random.default_rng(2)
    local = quat.exp(rng.normal(size=(5, 4, 3)))
    parents = np.array([-1, 0, 1, 0 if linked else 2])
    return {
        "local": local,
        "rotations": _native.motion.chain_rotations(parents, local, quat.identity()),
        "upright": quat.identity(),
        "frames": np.array([1, 3]),
        "joints": np.array([1, 2, 3]),
        "parents": parents[1:],
        "turns": quat.exp(rng.normal(size=(2, 3, 3))),
        "linked": linked,
    }


@pytest.mark.parametrize("linked", [False, True])
def test_joints_turn_in_space(linked: bool) -> None:
    given = chain(linked)
    out = limbs.turn_limb(**given)
    parents = np.r_[-1, given["parents"]]
    after = _native.motion.chain_rotations(parents, out, quat.identity())
    wanted = given["rotations"].copy()
    wanted[np.ix_([1, 3], [1, 2, 3])] = quat.multiply(given["turns"], wanted[[1, 3], 1:])
    assert quat.angle(after, wanted).max() < 1e-12
    assert ((out[1:, 1:] * out[:-1, 1:]).sum(-1) >= 0).all()
    assert not np.shares_memory(out, given["local"])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("frames", np.array([3])),
        ("frames", np.array([-1])),
        ("joints", np.array([0, 1, 3, 2])),
        ("joints", np.arange(3)),
        ("moves", np.zeros((2, 3))),
        ("shakes", np.zeros(2)),
        ("hinges", np.zeros((2, 3))),
    ],
)
def test_arguments_of_reach_are_checked(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=name):
        limbs.reach(**{**leg(np.zeros((3, 3))), name: value})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("frames", np.array([1, 5])),
        ("joints", np.array([1, 2, 4])),
        ("parents", np.array([-2, 1, 2])),
        ("turns", np.zeros((1, 3, 4))),
    ],
)
def test_arguments_of_turn_limb_are_checked(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=name):
        limbs.turn_limb(**{**chain(), name: value})
