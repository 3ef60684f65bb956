"""Splines of odd degree through samples (de Boor, A Practical Guide to Splines, 1978)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from retime import _native
from retime.arrays import FloatArray, columns

__all__ = ["Spline"]


@dataclass(frozen=True, eq=False)
class Spline:
    """A curve of polynomial pieces, as a sum of B-splines.

    Examples
    --------
    >>> times = np.arange(6.0)
    >>> cubic = Spline.through(times, times**3, 3)
    >>> cubic(np.array([2.5]))
    array([15.625])
    >>> cubic(np.array([2.5]), derivative=2)
    array([15.])
    """

    knots: FloatArray
    coefficients: FloatArray
    degree: int

    def __call__(self, times: FloatArray, *, derivative: int = 0) -> FloatArray:
        """Return values (N, ...), or a derivative; the end pieces go on beyond the ends."""
        first, basis = _basis(self.knots, self.degree, times, derivative)
        near = self.coefficients[first[:, None] + np.arange(self.degree + 1)]
        out: FloatArray = np.einsum("nk,nk...->n...", basis, near)
        return out

    @classmethod
    def through(cls, times: FloatArray, values: FloatArray, degree: int) -> Spline:
        """Interpolate values (F, ...); a few pieces at each end are one polynomial (not-a-knot)."""
        _must_rise(times)
        middle = (degree + 1) // 2
        knots = _clamped(times, times[middle:-middle], degree)
        orders = np.zeros(len(times), dtype=int)
        return cls(knots, _collocated(knots, degree, times, orders, values), degree)

    @classmethod
    def with_slopes(
        cls, times: FloatArray, values: FloatArray, degree: int, first: FloatArray, last: FloatArray
    ) -> Spline:
        """Interpolate values (F, ...) with derivatives 1 to (degree - 1) / 2 at both ends.

        ``first`` and ``last`` hold them, from the first derivative on, as (K, ...).
        """
        _must_rise(times)
        count = len(first)
        knots = _clamped(times, times[1:-1], degree)
        # In this order, the matrix is eliminated without row exchanges.
        sites = np.r_[[times[0]] * count, times, [times[-1]] * count]
        orders = np.r_[: count + 1, np.zeros(len(times) - 2, int), count:-1:-1]
        right = np.concatenate([values[:1], first, values[1:-1], last[::-1], values[-1:]])
        return cls(knots, _collocated(knots, degree, sites, orders, right), degree)

    @classmethod
    def periodic(cls, times: FloatArray, values: FloatArray, degree: int) -> Spline:
        """Interpolate a cycle; the last of the values (F, ...) equals the first."""
        _must_rise(times)
        period, half = times[-1] - times[0], degree // 2
        before, after = times[-1 - degree : -1] - period, times[1 : degree + 1] + period
        knots = np.concatenate([before, times, after])
        # At a knot, the last B-spline is 0.
        rows = _basis(knots, degree, times[:-1], 0)[1][:, :degree]
        own = _cyclic(rows, columns(values[:-1])).reshape(values[:-1].shape)
        around = np.arange(-half, len(own) + degree - half) % len(own)
        return cls(knots, own[around], degree)


def _must_rise(times: FloatArray) -> None:
    if not (np.diff(times) > 0).all():
        raise ValueError("the times of a spline must rise")


def _clamped(times: FloatArray, inner: FloatArray, degree: int) -> FloatArray:
    """Return the knots of a curve that begins and ends at samples."""
    first, last = (np.repeat(times[end], degree + 1) for end in (0, -1))
    return np.concatenate([first, inner, last])


def _basis(
    knots: FloatArray, degree: int, times: FloatArray, derivative: int
) -> tuple[npt.NDArray[np.int64], FloatArray]:
    at = np.ascontiguousarray(times, dtype=float)
    return _native.numeric.spline_basis(knots, degree, at, derivative)


def _collocated(
    knots: FloatArray,
    degree: int,
    sites: FloatArray,
    orders: npt.NDArray[np.int64],
    right: FloatArray,
) -> FloatArray:
    """Return the coefficients of a spline whose derivatives of some orders at sites are given."""
    rows = np.zeros((len(sites), 2 * degree + 1))
    for order in range(int(orders.max()) + 1):
        at = np.flatnonzero(orders == order)
        first, basis = _basis(knots, degree, sites[at], order)
        rows[at[:, None], (first - at + degree)[:, None] + np.arange(degree + 1)] = basis
    return _eliminated(rows, columns(right)).reshape(right.shape)


def _eliminated(rows: FloatArray, right: FloatArray) -> FloatArray:
    """Solve a banded system whose rows (N, 2 W + 1) are centred on the diagonal."""
    out, failed = _native.numeric.eliminated(rows, rows.shape[1] // 2, right)
    if failed >= 0:
        raise np.linalg.LinAlgError("the samples of a spline do not determine it")
    return out


def _cyclic(rows: FloatArray, right: FloatArray) -> FloatArray:
    """Solve a banded system whose rows (N, 2 W + 1) go on at the other end.

    All unknowns but the last W are eliminated as a band, which leaves W equations.
    """
    count, half = len(rows), rows.shape[1] // 2
    inner = count - half
    unknowns = np.arange(count)[:, None] + np.arange(-half, half + 1)
    inside = (unknowns >= 0) & (unknowns < inner)
    band = np.where(inside, rows, 0.0)[:inner]
    beside, below = np.zeros((inner, half)), np.zeros((half, count))
    row, place = np.nonzero(~inside[:inner])
    beside[row, unknowns[row, place] % count - inner] = rows[row, place]
    # In short cycles, several places of a row are the same unknown.
    np.add.at(below, (np.arange(half)[:, None], unknowns[inner:] % count), rows[inner:])
    below, corner = below[:, :inner], below[:, inner:]
    alone, coupled = np.split(
        _eliminated(band, np.hstack([right[:inner], beside])), [right.shape[1]], axis=1
    )
    rest = np.linalg.solve(corner - below @ coupled, right[inner:] - below @ alone)
    return np.concatenate([alone - coupled @ rest, rest])
