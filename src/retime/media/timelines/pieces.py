"""A curve as straight pieces of whole frames, as editors cut and retime clips."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from retime.errors import InputError
from retime.timing.graph import Graph

FloatArray = npt.NDArray[np.float64]

_MOST_FRAMES = 2_000_000
_SAME_TIME = 1e-6


@dataclass(frozen=True)
class Piece:
    """Consecutive frames at one rate; the first shows ``source`` seconds."""

    frames: int
    source: float
    rate: float


def linear_pieces(curve: Graph, fps: float, tolerance: float) -> tuple[list[Piece], float]:
    """Split a curve into straight pieces, each as long as the tolerance permits.

    Pieces begin at whole frames, and where the curve has no cut each begins where the one before
    ends. Holds are pieces of their own. The largest error at any frame is returned too.

    The curve maps output to source seconds. The time of a frame is its start; the last one is less
    than a frame before the end. The tolerance is a difference in source seconds.
    """
    length = (curve.x[-1] - curve.x[0]) * fps
    if length > _MOST_FRAMES:
        raise InputError(f"{length:.3g} frames at {fps:g} fps are too many for a timeline")
    count = int(np.floor(length + _SAME_TIME)) + 1
    times = np.minimum(curve.x[0] + np.arange(count) / fps, curve.x[-1])
    values = curve.at(times)
    pieces: list[Piece] = []
    error = 0.0
    for first, last, after in _parts(curve, times, values, fps):
        k = first
        while k < last:
            y = np.r_[values[k:last], after]
            n = _longest(y, tolerance)
            rate = (y[n] - y[0]) / n
            off = np.abs(y[:n] - (y[0] + rate * np.arange(n)))
            error = max(error, float(off.max()))
            pieces.append(Piece(n, float(y[0]), float(rate * fps)))
            k += n
    return pieces, error


def _parts(
    curve: Graph, times: FloatArray, values: FloatArray, fps: float
) -> list[tuple[int, int, float]]:
    """Split frames at cuts and holds: first frame, frame after the last, value it would have."""
    count = len(times)
    x, y = curve.x, curve.y
    cuts = np.flatnonzero(np.diff(x) == 0)
    # At a cut's own instant the value is the one before it.
    jumps = np.searchsorted(times, x[cuts] + _SAME_TIME, side="right")
    flat = np.flatnonzero((np.diff(y) == 0) & (np.diff(x) >= 1.5 / fps))
    begins = np.searchsorted(times, x[flat] - _SAME_TIME)
    ends = np.searchsorted(times, x[flat + 1] + _SAME_TIME, side="right")
    breaks = np.unique(np.r_[0, jumps, begins, ends, count])
    breaks = breaks[(breaks >= 0) & (breaks <= count)]
    parts = []
    for a, b in itertools.pairwise(breaks):
        steps = np.diff(values[a:b])
        if b in jumps or b == count:  # no following value: repeat the last step
            after = values[b - 1] + (steps[-1] if len(steps) else _slope(curve, times[b - 1]) / fps)
        elif b in ends and (not len(steps) or not steps.any()):
            after = values[b - 1]
        else:
            after = values[b]
        parts.append((int(a), int(b), float(after)))
    return parts


def _slope(curve: Graph, time: float) -> float:
    """Return the slope around a time, ignoring cuts and near-cuts."""
    rises = np.flatnonzero(np.diff(curve.x) > _SAME_TIME)
    if not len(rises):
        return 0.0
    k = rises[np.clip(np.searchsorted(curve.x[rises], time, side="right") - 1, 0, len(rises) - 1)]
    return float((curve.y[k + 1] - curve.y[k]) / (curve.x[k + 1] - curve.x[k]))


def _longest(y: FloatArray, tolerance: float) -> int:
    """Find the longest chord from the first value that stays within a tolerance of all between."""
    n, best, size = len(y) - 1, 1, 64
    low, high, done = -np.inf, np.inf, 0
    while done < n:
        # The slopes that pass every value so far narrow; a chord must lie among them.
        k = np.arange(done + 1, min(done + size, n) + 1)
        rise = y[k] - y[0]
        lows = np.maximum.accumulate(np.r_[low, (rise - tolerance) / k])
        highs = np.minimum.accumulate(np.r_[high, (rise + tolerance) / k])
        slope = rise / k
        good = np.flatnonzero((slope >= lows[:-1]) & (slope <= highs[:-1]))
        if len(good):
            best = int(k[good[-1]])
        low, high, done, size = float(lows[-1]), float(highs[-1]), int(k[-1]), size * 2
        if low > high:
            break
    return best
