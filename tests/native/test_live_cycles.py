"""Belief with repetitions on small grids, and arguments that do not fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from retime import _native
from retime.arrays import FloatArray

cycles = _native.live_cycles
PLACES, JOINTS = 20, 4
RATES = np.array([0.0, 0.5, 1.0])
PATH = np.random.default_rng(0).normal(size=(PLACES, JOINTS, 3))
PATH[..., [0, 2]] -= PATH[..., [0, 2]].mean(axis=1, keepdims=True)
EVERY, EVEN = np.ones(JOINTS, bool), np.full(JOINTS, 1 / JOINTS)
# Place 4 is repeated at 12, and the other way round.
FIRST = np.searchsorted([4, 12], np.arange(PLACES + 1))
ALIKE = np.array([12, 4])


def at(place: int, rate: int) -> FloatArray:
    out = np.zeros((PLACES, len(RATES)))
    out[place, rate] = 1.0
    return out


def moved(belief: FloatArray, **changed: Any) -> tuple[FloatArray, FloatArray]:
    by_place = belief.sum(axis=1)
    given = {
        "belief": belief,
        "at": by_place,
        "rates": RATES,
        "cells": 2.0,
        "drift": 0.0,
        "stop": 0.0,
        "go": 0.0,
        "going": np.array([0.0, 0.5, 0.5]),
        "near": 0.0,
        "back": 0.0,
        "decay": np.full(PLACES, 0.5),
        "reach": np.ones((2, PLACES)),
        "again": 0.0,
        "first": FIRST,
        "alike": ALIKE,
        "leave": 0.0,
        "come": 0.0,
        "anywhere": np.full(PLACES, 1 / PLACES),
        "least": 1e-6,
    }
    cycles.move_on(**(given | changed))
    return belief, by_place


def test_belief_moves_on_and_to_repetitions() -> None:
    belief, by_place = moved(at(4, 2))
    assert np.array_equal(belief, at(6, 2))
    assert np.array_equal(by_place, belief.sum(axis=1))
    belief, by_place = moved(at(4, 2), again=0.25, leave=0.2)
    assert np.allclose(belief, 0.6 * at(6, 2) + 0.2 * at(14, 2))
    assert by_place.sum() == pytest.approx(0.8)


def test_belief_jumps_and_comes_from_elsewhere() -> None:
    belief, by_place = moved(at(4, 2), near=0.1, back=0.2)
    assert by_place[4:9] == pytest.approx([0.05, 0.1, 0.7, 0.05, 0.025])
    belief, by_place = moved(0 * at(0, 0), come=0.5)
    assert by_place == pytest.approx(1.2 * 0.5 / PLACES)
    assert np.allclose(belief.sum(axis=1), by_place)


def fitted(place: int, by_place: FloatArray, **changed: Any) -> tuple[int, FloatArray]:
    cost, square, turn = np.zeros(PLACES), np.zeros(PLACES), np.zeros((PLACES, 2))
    given = {
        "path": PATH,
        "bias": np.zeros((JOINTS, 3)),
        "pose": PATH[place],
        "seen": EVERY,
        "weights": EVEN,
        "tolerance": np.ones(JOINTS),
        "cut": 12.0,
        "at": by_place,
        "least": 1e-6,
        "cost": cost,
        "square": square,
        "turn": turn,
    }
    nearest = cycles.fit_places(**(given | changed))
    return nearest, cost


def test_places_with_belief_are_compared() -> None:
    nearest, cost = fitted(6, np.ones(PLACES))
    assert nearest == 6
    assert cost[6] == pytest.approx(0.0)
    assert (np.delete(cost, 6) > 0.1).all()
    assert (cost < 12.0).all()
    some = np.where(np.arange(PLACES) == 8, 1.0, 0.0)
    nearest, cost = fitted(6, some)
    assert nearest == 8
    assert (np.delete(cost, 8) == 1e300).all()
    assert fitted(6, np.zeros(PLACES))[0] == -1


def weighed(belief: FloatArray, **changed: Any) -> tuple[float, FloatArray]:
    by_place = belief.sum(axis=1)
    given = {
        "belief": belief,
        "at": by_place,
        "cost": np.zeros(PLACES),
        "turn": np.tile([1.0, 0.0], (PLACES, 1)),
        "motion": np.ones((PLACES, JOINTS, 3)),
        "velocity": np.ones((JOINTS, 3)),
        "weights": EVEN,
        "rates": RATES,
        "weight": 0.0,
        "tail": 8.0,
        "floor2": 0.06,
        "relative2": 0.06,
        "elsewhere": 0.0,
        "lost": 0.0,
        "tell": 1.0,
        "first": FIRST,
        "alike": ALIKE,
    }
    lost, _ = cycles.weigh_places(**(given | changed))
    return lost, by_place


def test_a_pose_is_explained_by_moving_through_the_recording() -> None:
    def explained(velocity: float, cost: float) -> float:
        belief = 0.5 * at(4, 0) + 0.5 * at(4, 2)
        out: float = cycles.weigh_places(
            belief, belief.sum(axis=1), np.full(PLACES, cost), np.tile([1.0, 0.0], (PLACES, 1)),
            np.ones((PLACES, JOINTS, 3)), np.full((JOINTS, 3), velocity), EVEN, RATES, 1.0, 8.0,
            0.06, 0.06, 0.0, 0.0, 1.0, FIRST, ALIKE,
        )[1]  # fmt: skip
        return out

    assert explained(1.0, -2.0) > 1.0  # as recorded, and better than something else
    assert explained(0.0, -2.0) <= 0.0  # standing explains it
    assert explained(1.0, 3.0) < 0.0  # something else does


def test_evidence_is_against_what_is_lost() -> None:
    belief = 0.5 * at(4, 1) + 0.5 * at(4, 2)
    lost, by_place = weighed(belief, weight=1.0)
    assert belief[4, 2] > belief[4, 1]  # the motion is as recorded
    assert by_place[4] == pytest.approx(1.0)
    lost, by_place = weighed(at(4, 2), cost=np.full(PLACES, np.log(3.0)), lost=1.0)
    assert lost == pytest.approx(0.75)
    assert by_place.sum() == pytest.approx(0.25)
    assert weighed(0 * at(0, 0))[0] == 1.0


def test_repetitions_are_hardly_told_apart() -> None:
    cost = np.where(np.arange(PLACES) == 4, 0.0, 2.0)
    for tell, ratio in ((1.0, np.exp(2.0)), (0.0, 1.0), (0.5, np.e)):
        _, by_place = weighed(0.5 * at(4, 2) + 0.5 * at(12, 2), cost=cost, tell=tell)
        assert by_place[4] / by_place[12] == pytest.approx(ratio)


def test_the_distance_from_a_path_is_measured_between_its_places() -> None:
    live = 0.9 * PATH[6] + 0.1 * PATH[7]
    off, square, lasts = cycles.residual(PATH, 6, live, EVERY, np.ones((JOINTS, 3)))
    assert square == pytest.approx((off**2).sum() / JOINTS)
    assert lasts == pytest.approx(off.sum() / JOINTS)
    here = _native.live_poses.pose_difference(PATH[6], live, EVERY)
    assert square < (here**2).sum() / JOINTS
    assert cycles.residual(PATH[:1], 0, live, EVERY, off)[0].shape == (JOINTS, 3)


def test_a_copys_errors_are_noise() -> None:
    by_place = np.where(np.arange(PLACES) < 2, 0.5, 0.0)
    square = np.where(np.arange(PLACES) == 0, 1.0, 2.0)
    cost = np.zeros(PLACES)
    cycles.add_copy_cost(cost, by_place, square, np.ones(PLACES), 0.5, 0.5, 1.0, 1.0, 15.0, 3.0)
    left = 0.5 + 0.5 * np.exp(-1.0)
    assert cost[:3] == pytest.approx([np.log(left), 1 + np.log(left), 0.0])


def test_the_window_with_the_most_belief() -> None:
    by_place = np.bincount([3, 4, 4, 10, 11], minlength=PLACES) / 5
    assert cycles.strongest_window(by_place, 1, 10) == pytest.approx((0.6, 3, 0.4))
    assert cycles.strongest_window(by_place, 2**40, 10) == pytest.approx((1.0, 0, 1.0))
    low, high = np.array([3, 10]), np.array([4, 11])
    assert cycles.phase_belief(by_place, 4, 0, low[1:], high[1:]) == pytest.approx(0.8)
    assert cycles.phase_belief(by_place, 4, 0, low, high) == pytest.approx(1.0)
    assert cycles.phase_belief(by_place, 15, 2, low[:0], high[:0]) == 0.0


def test_poses_are_alike_however_the_body_faces() -> None:
    path = np.concatenate([PATH[:3], PATH[:3] * [-1, 1, -1]])
    unlike = cycles.likeness(path, np.zeros_like(path), EVEN, np.ones(JOINTS), 12.0, 0.1, 0.1)
    assert np.array_equal(unlike, unlike.T)
    assert np.allclose(np.diag(unlike, 3), 0.0)
    assert (unlike[:3, :3][~np.eye(3, dtype=bool)] > 0.1).all()
    still = cycles.likeness(path, path, EVEN, np.ones(JOINTS), 12.0, 0.1, 0.1)
    assert (np.diag(still, 3) > 0.1).all()  # but not if they move another way


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"first": FIRST + 1}, "first"),
        ({"first": FIRST[:-1]}, "first"),
        ({"first": -FIRST}, "first"),
        ({"alike": ALIKE + PLACES}, "alike"),
        ({"anywhere": np.ones(3)}, "anywhere"),
        ({"cells": np.inf}, "cells"),
    ],
)
def test_repetitions_and_shapes_are_checked(changed: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        moved(at(4, 2), **changed)


def test_indices_are_checked() -> None:
    by_place, some = np.ones(PLACES), np.array([PLACES])
    with pytest.raises(ValueError, match="low"):
        cycles.phase_belief(by_place, 0, 1, some, some)
    with pytest.raises(ValueError, match="place"):
        cycles.residual(PATH, PLACES, PATH[0], EVERY, PATH[0])
    with pytest.raises(ValueError, match="here"):
        cycles.strongest_window(by_place, 1, -1)
    with pytest.raises(ValueError, match="alike"):
        weighed(at(4, 2), alike=-ALIKE)


def test_repetitions_in_any_order_stay_within_the_arrays() -> None:
    rng = np.random.default_rng(3)
    for _ in range(100):
        belief = rng.random((PLACES, len(RATES)))
        first, alike = rng.integers(0, 31, PLACES + 1), rng.integers(0, PLACES, 30)
        moved(belief, first=first, alike=alike, again=0.5, cells=float(rng.uniform(0, 50)))
        weighed(belief, first=first, alike=alike, tell=0.5)
