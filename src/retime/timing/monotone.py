"""Monotone cubics through points in time."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.errors import InputError
from retime.sentences import Duration

# Largest spacing of the samples of smooth curves, seconds.
SPACING = 1 / 120


def monotone_cubic(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    loop: bool = False,
    spacing: float = SPACING,
    slopes: Mapping[int, float] | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Sample a monotone cubic (Fritsch and Carlson) through points; every point is a knot.

    With ``loop`` the points are one cycle, and the slope is equal at both ends. ``slopes`` are the
    given slopes by index of the point.
    """
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if (x[-1] - x[0]) / spacing > 4_000_000:
        raise InputError(
            "{length} is too long for a spline sampled every {spacing:.3g}",
            length=Duration(float(x[-1] - x[0])),
            spacing=Duration(spacing),
        )
    # Rounding errors, which are larger in clips that start late, do not add pieces.
    pieces = np.maximum(np.ceil(np.diff(x) / spacing - 1e-6).astype(int), 1)
    base = np.repeat(np.arange(len(pieces)), pieces)
    step = np.arange(len(base)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    fine = np.r_[x[base] + step / pieces[base] * np.diff(x)[base], x[-1]]
    own = _cycle_slopes(x, y) if loop else _monotone_slopes(x, y)
    for point, slope in (slopes or {}).items():
        # Both ends of a cycle are one point.
        own[[0, -1] if loop and point in (0, len(x) - 1) else point] = slope
    values = np.r_[_hermite(x, y, own, base, step / pieces[base]), y[-1]]
    values[np.r_[0, np.cumsum(pieces)]] = y  # exact at the points
    return fine, np.maximum.accumulate(values)


def monotone_values(x: FloatArray, y: FloatArray, at: FloatArray) -> FloatArray:
    """Evaluate a monotone cubic through points (K,) at places (N,) between the first and the last.

    It does not overshoot: it is PCHIP, with the slopes of Fritsch and Butland.

    Examples
    --------
    >>> monotone_values(np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 1.0]), np.array([0.5, 1.5]))
    array([0.6875, 1.    ])
    """
    piece = np.clip(np.searchsorted(x, at, side="right") - 1, 0, len(x) - 2)
    share = (at - x[piece]) / np.diff(x)[piece]
    return _hermite(x, y, _monotone_slopes(x, y), piece, share)


def _monotone_slopes(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return slopes at points for which a cubic has no new extremes (Fritsch and Butland)."""
    step = np.diff(x)
    rate = np.diff(y) / step
    if len(x) == 2:
        return np.repeat(rate, 2)
    before, after = step[:-1], step[1:]
    same = rate[:-1] * rate[1:] > 0
    first, second = (np.where(same, r, 1.0) for r in (rate[:-1], rate[1:]))
    weighted = (2 * after + before) / first + (after + 2 * before) / second
    harmonic = 3 * (before + after) / weighted
    ends = (_end_slope(*step[:2], *rate[:2]), _end_slope(*step[:-3:-1], *rate[:-3:-1]))
    inner = np.where(same, harmonic, 0.0)
    return np.concatenate([ends[:1], inner, ends[1:]])


def _end_slope(near: float, far: float, rate: float, next_rate: float) -> float:
    """Return the slope at an end from the next two pieces, limited to keep the curve monotone."""
    slope = ((2 * near + far) * rate - near * next_rate) / (near + far)
    if slope * rate <= 0:
        return 0.0
    return 3 * rate if rate * next_rate <= 0 and abs(slope) > 3 * abs(rate) else slope


def _cycle_slopes(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return the slopes of a cycle, which goes on before and after its points."""
    period, gain = x[-1] - x[0], y[-1] - y[0]
    times = np.r_[x[-2] - period, x, x[1] + period]
    return _monotone_slopes(times, np.r_[y[-2] - gain, y, y[1] + gain])[1:-1]


def _hermite(
    x: FloatArray, y: FloatArray, slopes: FloatArray, piece: npt.NDArray[np.int64], u: FloatArray
) -> FloatArray:
    """Evaluate cubic pieces at fractions ``u`` of their length."""
    step, rise = np.diff(x), np.diff(y)
    first, last = step * slopes[:-1], step * slopes[1:]
    cubic, square = first + last - 2 * rise, 3 * rise - 2 * first - last
    out: FloatArray = ((cubic[piece] * u + square[piece]) * u + first[piece]) * u + y[:-1][piece]
    return out
