"""Costs of poses and cheapest paths against plain searches, and arguments that do not fit."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retime import _native

dtw = _native.dtw


def every_path(
    costs: Any, most_steps: int, most_stalls: int, open_end: bool
) -> list[tuple[float, list[tuple[int, int]]]]:
    """All paths through a small matrix, by going through them."""
    rows, columns = costs.shape
    out = []

    def go(i: int, j: int, stalls: int, total: float, way: list[tuple[int, int]]) -> None:
        if i == rows - 1 and (open_end or j == columns - 1):
            out.append((total, way))
        if i == rows - 1:
            return
        if most_stalls < 0 or stalls < most_stalls:
            go(i + 1, j, stalls + 1, total + costs[i + 1, j], [*way, (j, j)])
        for k in range(1, most_steps + 1):
            if j + k < columns:
                passed = costs[i + 1, j + 1 : j + k + 1].mean()
                go(i + 1, j + k, 0, total + passed, [*way, (j + 1, j + k)])

    for c in range(min(most_steps, columns)):
        go(0, c, 0, costs[0, : c + 1].mean(), [(0, c)])
    return out


@given(
    st.integers(0, 2**32 - 1),
    st.integers(2, 5),
    st.integers(2, 6),
    st.integers(1, 3),
    st.integers(-1, 2),
    st.booleans(),
)
def test_the_path_is_the_cheapest_of_all(
    seed: int, rows: int, columns: int, steps: int, stalls: int, open_end: bool
) -> None:
    costs = np.random.default_rng(seed).random((rows, columns))
    all_paths = every_path(costs, steps, stalls, open_end)
    low = np.zeros(rows, np.int64)
    total, way = dtw.cheapest_path(costs, low, columns, steps, stalls, open_end)
    if not all_paths:
        assert not np.isfinite(total)
        return
    best, path = min(all_paths, key=lambda p: p[0])
    assert total == pytest.approx(best, abs=1e-9)
    assert [tuple(map(int, w)) for w in way] == path


def test_costs_are_summed_distances() -> None:
    rng = np.random.default_rng(0)
    a, b, weights = rng.random((6, 4, 3)), rng.random((5, 4, 3)), rng.random(4)
    expected = (np.linalg.norm(b[:, None] - a[None], axis=3) * weights).sum(axis=2)
    assert np.allclose(dtw.pose_costs(b, a, weights, np.zeros(5, np.int64), 6), expected)
    shifted = dtw.pose_costs(b, a, weights, np.arange(5), 3)
    for i, c in itertools.product(range(5), range(3)):
        if i + c < 6:
            assert shifted[i, c] == pytest.approx(expected[i, i + c])


def test_a_path_stays_in_its_corridor() -> None:
    costs = np.ones((4, 3))
    costs[[0, 1, 2, 3], [0, 1, 1, 1]] = 0.0
    low = np.array([0, 0, 1, 2])
    total, way = dtw.cheapest_path(costs, low, 5, 2, -1, True)
    assert total == 0.0
    assert way.tolist() == [[0, 0], [1, 1], [2, 2], [3, 3]]
    # The rows of a corridor need not overlap; then there is no path.
    assert np.isinf(dtw.cheapest_path(costs, np.array([0, 0, 4, 4]), 5, 1, -1, True)[0])


def test_what_costs_infinitely_much_is_not_passed() -> None:
    costs = np.array([[0.0, 9.0], [np.inf, 9.0], [np.nan, 0.0]])
    total, way = dtw.cheapest_path(costs, np.zeros(3, np.int64), 2, 2, -1, False)
    assert total == 9.0
    assert way.tolist() == [[0, 0], [1, 1], [1, 1]]


def test_any_costs_and_corridors_stay_within_the_arrays() -> None:
    rng = np.random.default_rng(2)
    extremes = np.array([0.0, 1.0, -1e300, 1e308, np.inf, -np.inf, np.nan])
    for _ in range(300):
        rows, width, columns = rng.integers(1, 8, 3)
        costs = rng.choice(extremes, (rows, width))
        low = rng.integers(0, columns, rows)
        steps, stalls = rng.integers(-1, 5, 2)
        _, way = dtw.cheapest_path(costs, low, int(columns), int(steps), int(stalls), True)
        assert way.shape == (rows, 2)
    assert dtw.cheapest_path(np.zeros((0, 3)), np.zeros(0, np.int64), 3, 1, -1, True)[0] == np.inf


@pytest.mark.parametrize(
    ("low", "width"), [([0, 6], 3), ([0, -1], 3), ([0, 0], 7), ([0, 0], -1), ([0, 0, 0], 3)]
)
def test_shapes_and_indices_of_costs_are_checked(low: list[int], width: int) -> None:
    live, recorded = np.zeros((2, 4, 3)), np.zeros((6, 4, 3))
    with pytest.raises(ValueError, match=r"low|width"):
        dtw.pose_costs(live, recorded, np.ones(4), np.array(low), width)


@pytest.mark.parametrize(
    ("low", "columns"), [([0, 5], 5), ([0, -1], 5), ([0], 5), ([0, 0], -1), ([0, 0], 2**31)]
)
def test_shapes_and_indices_of_paths_are_checked(low: list[int], columns: int) -> None:
    with pytest.raises(ValueError, match=r"low|columns"):
        dtw.cheapest_path(np.zeros((2, 3)), np.array(low), columns, 1, -1, True)
