"""Belief of the filter for copies on small grids, and arguments that do not fit."""

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


def test_a_copy_is_found_by_its_pose() -> None:
    after = even()
    assert belief.weigh_copy(after, PATH, np.full(PLACES, 1e-2), PATH[6], EVERY, 1.0)
    assert after.sum() == pytest.approx(1.0)
    assert after[6].sum() > 0.99
    assert not belief.weigh_copy(at(0, 0) * 0, PATH, np.ones(PLACES), PATH[6], EVERY, 1.0)


def test_moments_of_belief() -> None:
    some = 0.75 * at(4, 2) + 0.25 * at(8, 0)
    by_place, mean, variance, mode, rate, still = belief.moments(some, RATES)
    assert np.array_equal(by_place, some.sum(axis=1))
    assert (mean, variance, mode, rate, still) == (5.0, 3.0, 4, 0.75, 0.25)


@pytest.mark.parametrize(
    "changed",
    [
        {"cells": -1.0},
        {"cells": np.nan},
        {"cells": np.inf},
        {"rates": -RATES},
        {"going": np.ones(4)},
    ],
)
def test_rates_and_shapes_are_checked(changed: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"rates|going"):
        moved(even(), **changed)


def test_grids_without_places_or_rates() -> None:
    some = np.zeros((0, 3))
    assert belief.moments(some, RATES)[3] == 0
    assert not belief.weigh_copy(some, PATH[:0], np.zeros(0), PATH[0], EVERY, 1.0)
    with pytest.raises(ValueError, match="no rate"):
        belief.moments(np.zeros((3, 0)), np.zeros(0))
