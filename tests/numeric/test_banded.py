"""Banded systems against scipy, and matrices that have no solution."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

from retime.arrays import FloatArray
from retime.numeric import BandedCholesky, solve_banded


def bands(width: int, count: int, *, lower: bool) -> FloatArray:
    """Return a positive definite matrix whose other corner holds numbers that are not read."""
    rng = np.random.default_rng(width + 100 * count)
    out = rng.normal(size=(width, count))
    out[0 if lower else -1] = 2.0 * width + rng.uniform(size=count)
    return out


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize(("width", "count"), [(1, 4), (2, 2), (3, 50), (3, 2), (6, 40)])
@pytest.mark.parametrize("columns", [(), (1,), (4,)])
def test_solutions_equal_scipys(
    width: int, count: int, columns: tuple[int, ...], lower: bool
) -> None:
    matrix = bands(width, count, lower=lower)
    right = np.random.default_rng(1).normal(size=(count, *columns))
    expected = scipy.linalg.solveh_banded(matrix, right, lower=lower)
    assert solve_banded(matrix, right, lower=lower) == pytest.approx(expected, abs=1e-13)
    factor = BandedCholesky.of(matrix, lower=lower)
    assert (factor.solve(right) == solve_banded(matrix, right, lower=lower)).all()


def test_arrays_of_any_order_are_taken() -> None:
    matrix, right = bands(3, 30, lower=False), np.random.default_rng(1).normal(size=(4, 30))
    expected = scipy.linalg.solveh_banded(matrix, right.T)
    assert solve_banded(matrix[:, ::-1][:, ::-1], right.T) == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf])
def test_a_matrix_that_is_not_positive_definite_is_an_error(value: float) -> None:
    matrix = bands(3, 10, lower=False)
    matrix[2, 6] = value
    with pytest.raises(np.linalg.LinAlgError, match="row 6"):
        solve_banded(matrix, np.ones(10))


def test_systems_without_equations() -> None:
    assert solve_banded(np.zeros((3, 0)), np.zeros((0, 2))).shape == (0, 2)
    assert solve_banded(bands(3, 5, lower=True), np.zeros((5, 0)), lower=True).shape == (5, 0)


def test_a_right_side_of_another_length_is_an_error() -> None:
    with pytest.raises(ValueError, match="right"):
        solve_banded(bands(3, 5, lower=True), np.zeros(6), lower=True)
