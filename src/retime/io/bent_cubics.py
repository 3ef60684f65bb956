"""Cubics that bend with a warp, so that a track keeps the keys that it has.

A piece of a track under a curved warp is approached by a cubic whose slopes fit it best. Keys are
added only where no cubic comes close enough.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray

IntArray = npt.NDArray[np.int64]
Truth = Callable[[FloatArray], FloatArray]
"""Values (N, D) of the warped track at output times (N,)."""

# Number of places at which a cubic is compared with the track that it approaches.
_PROBES = 13


@cache
def _probes() -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return where cubics are compared, what slopes at both ends do there, and the inverse."""
    # Golden-section points do not coincide with regularly spaced knots.
    u = np.sort(np.arange(1, _PROBES + 1) * 0.6180339887498949 % 1)
    basis = np.stack([u**3 - 2 * u**2 + u, u**3 - u**2], axis=1)
    return u, basis, np.linalg.pinv(basis)


def fitted(truth: Truth, starts: FloatArray, ends: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Fit cubics to pieces of a track between output times (N,).

    Returns slopes at both ends of each (N, 2, D), and the largest error of each (N,).
    """
    u, basis, inverse = _probes()
    width = ends - starts
    moments = starts[:, None] + u * width[:, None]
    a, b = truth(starts)[:, None], truth(ends)[:, None]
    real = truth(moments.ravel()).reshape(*moments.shape, -1)
    rest = real - a - (3 * u**2 - 2 * u**3)[:, None] * (b - a)
    slopes = inverse @ rest
    off = np.abs(rest - basis @ slopes).max(axis=(1, 2), initial=0.0)
    return slopes / width[:, None, None], off


def split(
    truth: Truth,
    knots: FloatArray,
    starts: FloatArray,
    ends: FloatArray,
    close: float,
    *,
    apart: float,
    same: float,
) -> IntArray:
    """Choose knots of the warp (K,) as keys so that cubics between keys stay close, by bisection.

    Knots nearer to a key than ``apart`` are used last, knots nearer than ``same`` never.
    """
    chosen: list[IntArray] = []
    while len(starts):
        off = fitted(truth, starts, ends)[1] > close
        starts, ends = starts[off], ends[off]
        room = np.where(ends - starts > 4 * apart, apart, same)
        first = np.searchsorted(knots, starts + room, side="right")
        last = np.searchsorted(knots, ends - room, side="left")
        there = last > first  # without a knot inside, the piece is exact as it is
        starts, ends = starts[there], ends[there]
        chosen.append((first[there] + last[there]) // 2)
        middle = knots[chosen[-1]]
        starts, ends = np.r_[starts, middle], np.r_[middle, ends]
    return np.concatenate(chosen) if chosen else np.zeros(0, dtype=np.int64)
