"""Poses of a chain of joints: the least change that meets goals, and arguments that do not fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from retime import _native, quat
from retime.arrays import FloatArray

posing = _native.posing


def chain(most: float = 2.0) -> dict[str, Any]:
    """Return a chain of four joints that turn about all axes, and can move; the last has goals."""
    rng = np.random.default_rng(3)
    joint = np.array([*np.repeat([0, 1, 2], 3), -1, -1, -1])
    return {
        "parents": np.array([-1, 0, 1, 2]),
        "below": np.triu(np.ones((4, 4), dtype=bool)),
        "offsets": np.array([[0.2, 1.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.4, 0.1], [0.1, 0.3, 0.0]]),
        "rotations": quat.exp(rng.normal(0, 0.3, (4, 3))),
        "joint": joint,
        "axis": np.tile(np.eye(3), (4, 1)),
        "weight": np.r_[rng.uniform(0.5, 2.0, 9), np.full(3, 20.0)],
        "low": np.full(12, -most),
        "high": np.full(12, most),
        "goal_joint": np.array([3, 2]),
        "is_turn": np.array([False, True]),
        "wanted": np.array([[0.8, 1.6, 0.3, 0.0], quat.exp(np.array([0.2, 0.5, -0.1]))]),
    }


def placed(given: dict[str, Any], q: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    names = ("parents", "offsets", "rotations", "joint", "axis")
    return posing.forward_pose(**{n: given[n] for n in names}, q=q)


def missing(given: dict[str, Any], q: FloatArray) -> FloatArray:
    places, turns, _ = placed(given, q)
    turn = quat.log(quat.multiply(given["wanted"][1], quat.conjugate(turns[2])))
    return np.concatenate([given["wanted"][0, :3] - places[3], turn])


def test_a_pose_is_placed() -> None:
    given = chain()
    q = np.random.default_rng(4).normal(0, 0.4, 12)
    places, turns, vectors = placed(given, q)
    assert np.allclose(vectors, np.r_[q[:9].reshape(3, 3), np.zeros((1, 3))])
    own = quat.multiply(quat.exp(vectors), given["rotations"])
    chained = _native.motion.chain_rotations(given["parents"], own[None], quat.identity())[0]
    assert np.allclose(turns, chained)
    assert np.allclose(places[0], given["offsets"][0] + q[9:])
    assert np.allclose(places[3], places[2] + quat.rotate(turns[2], given["offsets"][3]))


@pytest.mark.parametrize("most", [2.0, 0.3])
def test_goals_are_met_by_the_least_change(most: float) -> None:
    given = chain(most)
    give = np.repeat([1e-3, 0.5], 3)
    q, rounds = posing.solve_pose(**given, give=give, rounds=60, most=0.5)
    assert 1 < rounds < 60
    assert (np.abs(q) <= most).all()

    def cost(x: FloatArray) -> float:
        return float((given["weight"] * x * x).sum() + (missing(given, x) ** 2 / give).sum()) / 2

    peer = minimize(cost, q, bounds=[(-most, most)] * 12)  # another method gains nothing
    assert cost(q) < 0.9 * cost(np.zeros(12))
    assert cost(q) == pytest.approx(peer.fun, rel=1e-4)


def test_goals_that_are_nearly_met_become_exact() -> None:
    given = chain()
    near, _ = posing.solve_pose(**given, give=np.full(6, 1e-5), rounds=60, most=0.5)
    assert 1e-5 < np.abs(missing(given, near)).max() < 1e-2
    q = posing.settle_pose(**given, q=near, rounds=8)
    assert np.abs(missing(given, q)).max() < 1e-11
    assert np.abs(q - near).max() < 1e-2


def test_a_figure_without_variables_or_goals_stays() -> None:
    given = chain()
    nobody = {n: given[n][:0] for n in ("joint", "axis", "weight", "low", "high")}
    q, _ = posing.solve_pose(**{**given, **nobody}, give=np.ones(6), rounds=9, most=0.5)
    assert q.shape == (0,)
    nothing = {n: given[n][:0] for n in ("goal_joint", "is_turn", "wanted")}
    q, _ = posing.solve_pose(**{**given, **nothing}, give=np.ones(0), rounds=9, most=0.5)
    assert (q == 0).all()


def test_goals_that_are_no_numbers_end() -> None:
    given = chain()
    given["wanted"][0] = np.nan
    q, _ = posing.solve_pose(**given, give=np.ones(6), rounds=60, most=0.5)
    assert (q == 0).all()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("parents", np.array([-1, 0, 1, 4])),
        ("joint", np.full(12, 4)),
        ("goal_joint", np.array([3, -1])),
        ("below", np.ones((4, 3), dtype=bool)),
        ("wanted", np.zeros((2, 3))),
        ("low", np.zeros(11)),
        ("give", np.ones(5)),
    ],
)
def test_arguments_are_checked(name: str, value: Any) -> None:
    given = {**chain(), "give": np.ones(6), "rounds": 1, "most": 0.5}
    with pytest.raises(ValueError, match=name):
        posing.solve_pose(**{**given, name: value})
