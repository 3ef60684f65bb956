"""Steps of the search against differences and plain solvers, and arguments that do not fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from retime import _native
from retime.arrays import FloatArray

search = _native.physics_search
UNIT = 5.0
NODES = 4


def walls() -> tuple[Any, FloatArray, FloatArray]:
    """Return the square |y|, |x - 1| <= 1 for every node but the third, which has no region."""
    normals = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    offsets = np.array([1.0, 1.0, 2.0, 0.0])
    return np.array([0, 4, 8, 8, 12]), np.tile(normals, (3, 1)), np.tile(offsets, 3)


def system() -> dict[str, Any]:
    """Return the arguments of `newton_system`."""
    rng = np.random.default_rng(4)
    starts, normals, offsets = walls()
    sizes = np.diff(starts)
    begins = np.r_[0, np.cumsum(np.stack([sizes[:-1], sizes[1:]], axis=1).ravel())]
    k = NODES - 1
    out = {
        "b": rng.uniform(0.5, 1.5, NODES),
        "steps": rng.uniform(0.5, 1.0, k),
        "unit": UNIT,
        "starts": starts,
        "normals": normals,
        "offsets": offsets,
        "matching": rng.uniform(size=(NODES, 6)),
        "alphas": rng.uniform(1.0, 2.0, NODES),
        "beta": 0.7,
        "prices": np.zeros(k),
        "usual": rng.uniform(0.5, 1.5, NODES),
        "gammas": rng.uniform(size=k),
        "points": np.tile([0.1, 0.8], (k, 2, 1)),
        "begins": begins,
        "duals": rng.uniform(0.1, 1.0, begins[-1]),
        "barrier": 0.1,
    }
    shapes = {
        "spent": k, "value": k, "gradient": NODES, "plain": NODES, "of_time": (k, 2),
        "diagonal": NODES, "beside": k, "own": (k, 2, 5),
    }  # fmt: skip
    return {**out, **{name: np.zeros(shape) for name, shape in shapes.items()}}


def merit(given: dict[str, Any], b: FloatArray) -> tuple[float, FloatArray]:
    """Return the objective and the times of speeds, without bounds."""
    names = (
        "steps", "unit", "starts", "normals", "offsets", "matching", "alphas", "beta", "usual",
        "gammas", "points",
    )  # fmt: skip
    spent = np.zeros(NODES - 1)
    objective, _ = search.merit_terms(
        b=b, **{n: given[n] for n in names}, spent=spent, low=b, high=b,
        free=np.zeros(NODES, bool),
    )  # fmt: skip
    return objective, spent


def test_the_gradient_is_that_of_the_objective() -> None:
    given = system()
    search.newton_system(**given)
    assert np.isclose(given["value"].sum(), merit(given, given["b"])[0])
    for k, by in enumerate(1e-6 * np.eye(NODES)):
        more, time_after = merit(given, given["b"] + by)
        less, time_before = merit(given, given["b"] - by)
        assert np.isclose(given["plain"][k], (more - less) / 2e-6, atol=1e-6)
        slope = np.r_[0.0, given["of_time"][:, 1]][k] + np.r_[given["of_time"][:, 0], 0.0][k]
        assert np.isclose(slope, (time_after - time_before).sum() / 2e-6, atol=1e-6)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("starts", np.array([0, 4, 8, 8, 13])),
        ("starts", np.array([0, -4, 8, 8, 12])),
        ("begins", np.array([0, 4, 8, 12, 12, 12, 17])),
        ("steps", np.ones(NODES)),
        ("points", np.zeros((NODES, 2, 2))),
        ("own", np.zeros((NODES - 1, 2, 4))),
        ("matching", np.zeros((NODES, 5))),
    ],
)
def test_shapes_and_indices_are_checked(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=name):
        search.newton_system(**{**system(), name: value})


def test_an_output_that_cannot_be_written_is_refused() -> None:
    given = system()
    given["gradient"].flags.writeable = False
    with pytest.raises(TypeError):
        search.newton_system(**given)


@pytest.mark.parametrize("begins", [np.full(7, 16), np.array([16, 15, 14, 13, 12, 11, 10])])
def test_multipliers_beyond_the_end_are_left_out(begins: Any) -> None:
    given = {**system(), "begins": begins}
    search.newton_system(**given)
    out = np.full(16, 7.0)
    starts, normals, offsets = walls()
    search.wall_rooms(starts, normals, offsets, given["points"], begins, out)
    point_way, dual_way = np.zeros((3, 2, 2)), np.zeros(16)
    search.point_steps(
        given["b"], given["b"], given["steps"], UNIT, starts, normals, offsets, given["alphas"],
        given["points"], begins, given["duals"], 0.1, given["own"], 0.005, point_way, dual_way,
    )  # fmt: skip


def test_rooms_are_distances_from_walls() -> None:
    given = system()
    out = np.zeros(16)
    search.wall_rooms(*walls(), given["points"], given["begins"], out)
    assert np.allclose(out.reshape(4, 4), [0.9, 1.1, 1.2, 0.8])


def test_points_start_inside_their_regions() -> None:
    given = system()
    points = np.zeros((NODES - 1, 2, 2))
    middles = np.tile([0.0, 1.0], (NODES, 1))
    b = np.array([0.5, 0.6, 9.0, 1.0])
    search.start_points(b, given["steps"], UNIT, *walls(), middles, points)
    # On the first interval the timing itself is inside.
    y = (b[1:] - b[:-1]) / (2 * given["steps"] * UNIT)
    assert np.allclose(points[0], [y[0], 0.55])
    # Elsewhere nine tenths of the way to the wall, and without a region at the timing.
    assert np.allclose(points[1], [[y[1] * 0.9 / 3.8, 1.9], [y[1], 4.8]])


def test_tridiagonal_systems_are_solved_for_all_columns() -> None:
    rng = np.random.default_rng(5)
    beside = rng.normal(size=6)
    diagonal = 3.0 + rng.uniform(size=7)
    matrix = np.diag(diagonal) + np.diag(beside, 1) + np.diag(beside, -1)
    right = rng.normal(size=(7, 3))
    out = right.copy()
    assert search.tridiagonal(diagonal, beside, out)
    assert np.allclose(out, np.linalg.solve(matrix, right))
    assert not search.tridiagonal(-diagonal, beside, out)
    with pytest.raises(ValueError, match="beside"):
        search.tridiagonal(diagonal, diagonal, out)
    with pytest.raises(ValueError, match="beside"):
        search.tridiagonal(np.zeros(0), np.zeros(0), np.zeros((0, 1)))


def test_times_are_summed_by_leg() -> None:
    of_time = np.arange(6.0).reshape(3, 2)
    out = np.full((4, 2), np.nan)
    search.time_rows(of_time, np.array([0, 0, 1]), out)
    assert out.tolist() == [[0, 0], [3, 0], [3, 4], [0, 5]]
    with pytest.raises(ValueError, match="legs"):
        search.time_rows(of_time, np.array([0, 0, 2]), out)


def test_flags_must_be_booleans() -> None:
    ones: Any = np.ones(3)
    with pytest.raises(TypeError):
        search.complementarity(ones, ones, ones, ones, ones, ones, ones, ones)
    free = np.array([True, False, True])
    assert search.complementarity(3 * ones, ones, 7 * ones, free, ones, ones, ones, ones) == 15.0


def test_steps_stop_at_bounds() -> None:
    b, way = np.array([1.0, 1.0]), np.array([-1.0, 1.0])
    low, high, free = np.array([0.5, 0.5]), np.array([4.0, 1.2]), np.array([True, True])
    room, far = search.bound_steps(
        b, way, low, high, free, np.ones(2), np.ones(2), 0.1, 0.0, 0.9, 2.0, 0.2, 1.0
    )
    assert np.isclose(room, 0.2)
    assert 0.0 < far <= 1.0
