"""Belief of the filters for copies and takes on small grids, and arguments that do not fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from retime import _native
from retime.arrays import FloatArray

belief = _native.live_belief
PLACES, JOINTS = 20, 4
RATES = np.array([0.0, 0.5, 1.0])
PATH = np.random.default_rng(0).normal(size=(PLACES, JOINTS, 3))
PATH[..., [0, 2]] -= PATH[..., [0, 2]].mean(axis=1, keepdims=True)
EVERY = np.ones(JOINTS, bool)


def at(place: int, rate: int) -> FloatArray:
    out = np.zeros((PLACES, len(RATES)))
    out[place, rate] = 1.0
    return out


def even() -> FloatArray:
    return np.full((PLACES, len(RATES)), 1 / PLACES / len(RATES))


def moved(start: FloatArray, **changed: Any) -> FloatArray:
    given: dict[str, Any] = {
        "belief": start,
        "rates": RATES,
        "cells": 3.0,
        "drift": 0.0,
        "stop": 0.0,
        "go": 0.0,
        "going": np.array([0.0, 0.5, 0.5]),
        "jump": np.zeros(3),
        "decay": np.full((PLACES, 3), 0.5),
        "reach": np.ones((PLACES, 3)),
        "fresh": np.ones(PLACES),
    }
    belief.move_belief(**(given | changed))
    return start


def test_belief_moves_at_its_rate() -> None:
    assert np.array_equal(moved(at(4, 2)), at(7, 2))
    assert np.array_equal(moved(at(4, 1)), (at(5, 1) + at(6, 1)) / 2)
    assert np.array_equal(moved(at(4, 0)), at(4, 0))
    assert np.array_equal(moved(at(18, 2)), at(19, 2))  # it waits at the end
    assert np.array_equal(moved(at(4, 2), cells=1e200), at(19, 2))


def test_belief_stops_starts_and_changes_its_rate() -> None:
    assert np.allclose(moved(at(4, 2), stop=0.25), 0.75 * at(7, 2) + 0.25 * at(7, 0))
    started = 0.5 * at(4, 0) + 0.25 * at(4, 1) + 0.25 * at(4, 2)
    assert np.allclose(moved(at(4, 0), go=0.5), started)
    assert np.allclose(moved(at(4, 2), drift=0.1), 0.9 * at(7, 2) + 0.1 * at(7, 1))


def test_belief_jumps_on_and_back() -> None:
    on = moved(at(4, 2), jump=np.array([0.1, 0.0, 0.0])).sum(axis=1)
    assert on[7:10] == pytest.approx([0.9, 0.05, 0.025])
    assert not on[:7].any()
    back = moved(at(4, 2), jump=np.array([0.0, 0.1, 0.0])).sum(axis=1)
    assert back[5:8] == pytest.approx([0.025, 0.05, 0.9])
    fresh = np.where(np.arange(PLACES) == 9, 1.0, 0.0)
    far = moved(at(4, 2), jump=np.array([0.0, 0.0, 0.1]), fresh=fresh).sum(axis=1)
    assert far[7:11] == pytest.approx([0.9, 0.0, 0.025, 0.0])


def test_a_copy_is_found_by_its_pose() -> None:
    after = even()
    assert belief.weigh_copy(after, PATH, np.full(PLACES, 1e-2), PATH[6], EVERY, 1.0)
    assert after.sum() == pytest.approx(1.0)
    assert after[6].sum() > 0.99
    assert not belief.weigh_copy(at(0, 0) * 0, PATH, np.ones(PLACES), PATH[6], EVERY, 1.0)


def weighed(start: FloatArray, **changed: Any) -> tuple[bool, float]:
    given = {
        "belief": start,
        "path": PATH,
        "tolerance": np.full(JOINTS, 0.01),
        "motion": np.gradient(PATH, axis=0),
        "bias": np.zeros((JOINTS, 3)),
        "pose": PATH[6],
        "visible": EVERY,
        "velocity": np.gradient(PATH, axis=0)[6],
        "moving": EVERY,
        "rates": RATES,
        "pose_weight": 1.0,
        "pose_tail": 4.0,
        "motion_weight": 1.0,
        "motion_tail": 8.0,
        "relative2": 0.06,
        "floor2": 0.06,
    }
    some, better = belief.weigh_take(**(given | changed))
    return some, better


def test_another_take_is_found_by_pose_and_motion() -> None:
    after = even()
    some, better = weighed(after)
    assert some
    assert better > 1.0
    assert after.sum() == pytest.approx(1.0)
    assert after[6].argmax() == 2
    assert after[6].sum() > 0.9
    # A constant difference between the performers is taken out.
    other, bias = even(), np.random.default_rng(1).normal(size=(JOINTS, 3)) * [0, 0.3, 0]
    weighed(other, pose=PATH[6] + bias, bias=bias)
    assert np.allclose(other, after)


def test_travel_of_the_body_is_no_motion_of_the_joints_seen() -> None:
    seen = np.array([True, True, True, False])
    speed = np.gradient(PATH, axis=0)
    one, other = even(), even()
    weighed(one, moving=seen, motion=speed)
    weighed(other, moving=seen, motion=speed + np.array([2.0, 0.0, 1.0]))
    assert np.allclose(one, other)


def test_moments_of_belief() -> None:
    some = 0.75 * at(4, 2) + 0.25 * at(8, 0)
    by_place, mean, variance, mode, rate, still = belief.moments(some, RATES)
    assert np.array_equal(by_place, some.sum(axis=1))
    assert (mean, variance, mode, rate, still) == (5.0, 3.0, 4, 0.75, 0.25)


def test_a_repeat_is_not_switched_to_lightly() -> None:
    some = 0.4 * at(4, 1) + 0.6 * at(12, 2)
    fresh = np.where(np.arange(PLACES) > 8, 0.0, 1.0)
    around = belief.strongest_moments(some, RATES, fresh, 4.0, 0.1, 1, 3, 1.0)
    assert around == pytest.approx((4.0, 0.5, 0.0, 0.4, 4, 13))
    new = belief.strongest_moments(some, RATES, np.ones(PLACES), 4.0, 0.1, 1, 3, 1.0)
    assert new == pytest.approx((12.0, 1.0, 0.0, 0.6, 4, 13))
    assert belief.strongest_moments(0 * some, RATES, fresh, 4.0, 0.1, 99, 99, 1.0)[4:] == (0, 0)


@pytest.mark.parametrize(
    "changed",
    [
        {"cells": -1.0},
        {"cells": np.nan},
        {"cells": np.inf},
        {"rates": -RATES},
        {"going": np.ones(4)},
        {"decay": np.ones((3, PLACES))},
        {"fresh": np.ones(PLACES - 1)},
    ],
)
def test_rates_and_shapes_are_checked(changed: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"rates|going|decay|fresh"):
        moved(even(), **changed)


def test_grids_without_places_or_rates() -> None:
    some = np.zeros((0, 3))
    assert belief.moments(some, RATES)[3] == 0
    assert not belief.weigh_copy(some, PATH[:0], np.zeros(0), PATH[0], EVERY, 1.0)
    with pytest.raises(ValueError, match="no rate"):
        belief.moments(np.zeros((3, 0)), np.zeros(0))
    with pytest.raises(ValueError, match="no rate"):
        weighed(np.zeros((PLACES, 0)), rates=np.zeros(0))
