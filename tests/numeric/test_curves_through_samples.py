"""Splines against scipy, and times through which no spline goes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.interpolate

from retime.arrays import FloatArray
from retime.numeric import Spline

DEGREES = (1, 3, 5)


def samples(count: int, *, closed: bool = False) -> tuple[FloatArray, FloatArray]:
    """Return uneven times and values of a few samples."""
    rng = np.random.default_rng(count)
    times = np.cumsum(rng.uniform(0.5, 1.5, count))
    values = rng.normal(size=(count, 2, 3))
    if closed:
        values[-1] = values[0]
    return times, values


def assert_equal(spline: Spline, peer: Any, times: FloatArray) -> None:
    at = np.r_[times, np.linspace(times[0], times[-1], 57)]
    for derivative in range(spline.degree + 2):
        expected = peer(at, derivative)
        tolerance = 1e-12 * max(1.0, float(np.abs(expected).max()))
        found = spline(at, derivative=derivative)
        assert found.shape == (len(at), 2, 3)
        assert found == pytest.approx(expected, abs=tolerance)


@pytest.mark.parametrize("degree", DEGREES)
@pytest.mark.parametrize("count", [6, 7, 12, 300])
def test_splines_without_conditions_equal_scipys(count: int, degree: int) -> None:
    times, values = samples(count)
    peer = scipy.interpolate.make_interp_spline(times, values, k=degree)
    assert_equal(Spline.through(times, values, degree), peer, times)


@pytest.mark.parametrize("degree", DEGREES)
@pytest.mark.parametrize("count", [2, 3, 6, 300])
def test_splines_with_slopes_equal_scipys(count: int, degree: int) -> None:
    times, values = samples(count)
    slopes = np.random.default_rng(1).normal(size=(2, (degree - 1) // 2, 2, 3))
    first, last = ([(k + 1, row) for k, row in enumerate(end)] for end in slopes)
    ends = (first, last) if degree > 1 else None
    peer = scipy.interpolate.make_interp_spline(times, values, k=degree, bc_type=ends)
    assert_equal(Spline.with_slopes(times, values, degree, *slopes), peer, times)


@pytest.mark.parametrize("degree", DEGREES)
@pytest.mark.parametrize("count", [7, 8, 12, 300])
def test_periodic_splines_equal_scipys(count: int, degree: int) -> None:
    times, values = samples(count, closed=True)
    peer = scipy.interpolate.make_interp_spline(times, values, k=degree, bc_type="periodic")
    # At the end, scipy's spline is in its first piece.
    spline = Spline.periodic(times, values, degree)
    assert_equal(spline, peer, times[:-1])
    assert spline(times[-1:]) == pytest.approx(values[-1:], abs=1e-12)


def test_end_pieces_go_on_beyond_the_ends() -> None:
    times, values = samples(9)
    peer = scipy.interpolate.make_interp_spline(times, values, k=5)
    at = np.array([times[0] - 0.5, times[-1] + 0.5])
    assert Spline.through(times, values, 5)(at) == pytest.approx(peer(at), rel=1e-11)


def test_times_that_do_not_rise_are_an_error() -> None:
    times = np.array([0.0, 1, 2, 3, 3, 4, 5])
    with pytest.raises(ValueError, match="must rise"):
        Spline.through(times, times, 3)
    with pytest.raises(ValueError, match="must rise"):
        Spline.periodic(times, np.ones(7), 3)
