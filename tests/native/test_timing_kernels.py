"""Bezier segments through points whose segment is known, and arguments that do not fit."""

from __future__ import annotations

import numpy as np
import pytest

from retime import _native

fit = _native.timing.fit_bezier_segment


def segment(a: float, b: float, slopes: tuple[float, float], count: int = 200) -> np.ndarray:
    """Return points (N, 2) from (1, 2) to (4, 5), with handles of length a and b along x."""
    first, last = np.array([1.0, 2.0]), np.array([4.0, 5.0])
    points = first, first + a * np.array([1, slopes[0]]), last - b * np.array([1, slopes[1]]), last
    t = np.linspace(0, 1, count)[:, None]
    shares = (1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t**2, t**3
    return np.asarray(sum(s * p for s, p in zip(shares, points, strict=True)))


@pytest.mark.parametrize("most", [8, 24, 500])
@pytest.mark.parametrize(("a", "b"), [(1.0, 1.0), (0.4, 1.7), (2.2, 0.3)])
def test_a_segment_is_found_again(a: float, b: float, most: int) -> None:
    x, y = segment(a, b, (0.2, 1.5)).T.copy()
    found = fit(x, y, 0.2, 1.5, 1e-9, most)
    assert found == pytest.approx((a, b, 0.0), abs=1e-6)


def test_the_error_is_that_of_all_points() -> None:
    x, y = segment(1.0, 1.0, (1.0, 1.0)).T.copy()
    y[100] += 0.5  # not among those fitted
    assert fit(x, y, 1.0, 1.0, 1e-3, 4)[2] == pytest.approx(0.5, abs=1e-3)
    assert fit(x, y, 1.0, 1.0, 1e-3, 200)[2] > 0.1


def test_a_straight_line_of_two_points() -> None:
    assert fit(np.array([0.0, 3.0]), np.array([0.0, 3.0]), 1.0, 1.0, 1e-3, 24) == (1.0, 1.0, 0.0)


@pytest.mark.parametrize("x", [[0.0, 0.0, 0.0], [2.0, 1.0, 0.0], [0.0, np.nan, 1.0]])
def test_points_that_do_not_rise_end_the_fit(x: list[float]) -> None:
    assert len(fit(np.array(x), np.zeros(3), 1.0, 1.0, 1e-3, 24)) == 3


@pytest.mark.parametrize(("x", "y", "most"), [(0, 0, 9), (1, 1, 9), (3, 2, 9), (3, 3, 1)])
def test_arguments_that_do_not_fit(x: int, y: int, most: int) -> None:
    with pytest.raises(ValueError, match="fit_bezier_segment"):
        fit(np.zeros(x), np.zeros(y), 1.0, 1.0, 1e-3, most)
