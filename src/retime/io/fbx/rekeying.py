"""Move curves by a warp: keys move to their output times, and segments keep their shape.

Between two neighbouring keys, the result is a piece of one segment of the source. At a constant
rate, a piece of a straight line is one, a piece of a cubic is a cubic with tangents scaled by the
rate, a step stays a step. Where the warp bends between keys, and the curve moves enough to show it,
the piece becomes a cubic whose tangents bend with the warp. Keys are added at knots of the warp
only where such a cubic is off by more than a tolerance.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.io.bent_cubics import Truth, fitted, split
from retime.io.fbx.curves import (
    CONSTANT,
    CUBIC,
    LINEAR,
    NEXT,
    PLAIN_WEIGHT,
    TCB,
    USER,
    Curve,
    IntArray,
    Segments,
    bezier_share,
    explicit,
    linear_curve,
)
from retime.io.fbx.rounds import unrolled
from retime.io.key_mover import Grain, KeyMover, Shown, extended, nearest
from retime.timing.graph import Graph

BoolArray = npt.NDArray[np.bool_]

# Duration of a jump in time, and distance below which keys are merged, seconds.
_RAMP, _SAME = 1e-6, 1e-7
# Least distance of added keys from other keys, seconds, if the tolerance permits.
_APART = 5e-4
# Distance below which a key is at an end of the animation, seconds.
_ON_END = 2e-4


def widened(graph: Graph, span: tuple[float, float]) -> Graph:
    """Keep the distance of keys before and after a span, if the warp shows the whole span."""
    if graph.direction <= 0:
        return graph
    before, after = (abs(graph.y[k] - span[k]) < _ON_END for k in (0, -1))
    return Graph(*extended(graph.x, graph.y, before=before, after=after, far=1e6))


def sampled(times: FloatArray, source: FloatArray, curve: Curve, per_second: int) -> Curve:
    """Show a curve's source times at output times by straight lines between them."""
    ticks = np.round(times * per_second).astype(np.int64)
    return linear_curve(ticks, curve.at(source, per_second))


class Rekeyer:
    """Move curves by a warp; curves with equal key times share the results.

    Parameters
    ----------
    graph : Graph
        From output time to the curves'.
    per_second : int
        Ticks of a second.
    span : (float, float)
        The animation's first and last time in the output; a warp may continue beyond them.
    """

    def __init__(self, graph: Graph, per_second: int, span: tuple[float, float]) -> None:
        self.per_second = per_second
        # Halves of a tick may be rounded together.
        grain = Grain(_RAMP, _SAME, _ON_END, lambda t: t + 2 / per_second)
        self.mover = KeyMover(graph.x, graph.y, grain, last=span[1])
        self._ends = np.sort(graph.at(np.array(span)))
        inside = np.clip(graph.x, *span)
        off = np.abs(graph.at(inside) - np.interp(inside, span, self._ends)).max()
        self._is_even = graph.direction > 0 and off < _SAME

    def moved(self, curve: Curve, close: float) -> Curve:
        """Move a curve's keys; the result may be off by ``close``, in the curve's unit."""
        keys = curve.ticks / self.per_second
        gaps = keys[[0, -1]] * [1, -1] - self._ends * [1, -1]
        # At one speed, rounds beyond the keys stay rounds; otherwise they become keys.
        if curve.goes_on and gaps.max() > 0 and not (self._is_even and gaps.min() > -_SAME):
            low, high = (self._ends * self.per_second).tolist()
            curve = unrolled(curve, (math.floor(low), math.ceil(high)), self.per_second)
            keys = curve.ticks / self.per_second
        shown = _with_bends(curve, keys, self.mover, self.mover.shown(keys), close)
        ticks = np.round(shown.output * self.per_second).astype(np.int64)
        apart = np.r_[True, np.diff(ticks) > 0]
        if not apart.all():
            ticks = ticks[apart]
            shown = Shown(shown.output[apart], shown.source[apart], kept=False)
        if shown.kept:
            wide = np.diff(keys) >= _RAMP
            rates = shown.rates[wide] if wide.any() else np.ones(1)
            if rates.min() > 0 and np.ptp(rates) <= 1e-6 * rates.max():
                return _stretched(curve, ticks, float(rates.mean()))
        return _pieces(curve, keys, self.mover, ticks, shown, close)


def _with_bends(
    curve: Curve, keys: FloatArray, mover: KeyMover, shown: Shown, close: float
) -> Shown:
    """Add the fewest knots of the warp that keep the curve close between its keys."""
    if len(shown.output) < 2 or len(mover.x) < 3 or len(keys) < 2:
        return shown
    knots = mover.between(shown)
    if not len(knots):
        return shown
    bent = _bent(curve, keys, mover, shown, close)
    starts, ends, truth = (
        shown.output[:-1][bent],
        shown.output[1:][bent],
        _truth(curve, keys, mover),
    )
    more = split(truth, mover.x, starts, ends, close, apart=_APART, same=_SAME)
    return mover.with_knots(shown, more)


def _bent(curve: Curve, keys: FloatArray, mover: KeyMover, shown: Shown, close: float) -> BoolArray:
    """Return which pieces would be off by more than a tolerance at a constant rate."""
    k, outside = _segment(keys, shown.middles)
    moves = ~outside & (curve.segments.mode[k] & CONSTANT == 0)
    speed = np.where(moves, _fastest(curve, keys, shown.middles), 0.0)
    speed[speed * np.abs(np.diff(shown.source)) <= close] = 0.0  # the value hardly changes
    knots = mover.between(shown)
    off = np.abs(mover.y[knots] - np.interp(mover.x[knots], shown.output, shown.source))
    at = np.searchsorted(shown.output, mover.x[knots]) - 1
    out = np.zeros(len(moves), dtype=bool)
    out[at[off * speed[at] > close]] = True
    return out


def _truth(curve: Curve, keys: FloatArray, mover: KeyMover) -> Truth:
    """Return the values that a warped curve has."""
    return lambda t: curve.inside(keys, mover.at(t))[:, None]


def _segment(keys: FloatArray, times: FloatArray) -> tuple[IntArray, BoolArray]:
    """Return the segments that hold times, and whether they lie beyond the keys."""
    k = np.searchsorted(keys, times, side="right") - 1
    outside = (k < 0) | (k >= len(keys) - 1)
    return np.clip(k, 0, max(len(keys) - 2, 0)), outside


def _fastest(curve: Curve, keys: FloatArray, times: FloatArray) -> FloatArray:
    """Bound the speed in the segments that contain times."""
    k, outside = _segment(keys, times)
    step = np.maximum(keys[k + 1] - keys[k], 1e-12)
    speed = np.abs(curve.values[k + 1] - curve.values[k]) / step
    mode = curve.segments.mode[k]
    cubic = (mode & CUBIC) > 0
    if cubic.any():
        points = curve.control(k[cubic], step[cubic])
        hull = 3 * np.abs(np.diff(points, axis=0)).max(axis=0) / step[cubic]
        # Weighted cubics run ahead where both tangents are long.
        reach = curve.segments.weights[k[cubic]]
        weighted = (np.abs(reach - PLAIN_WEIGHT) > 1e-4).any(axis=1)
        slow = np.clip(np.minimum(3 * reach.min(axis=1), 1.0), 0.05, 1.0)
        speed[cubic] = np.where(weighted, hull / slow, hull)
    speed[outside | ((mode & CONSTANT) > 0)] = 0.0
    return speed


def _stretched(curve: Curve, ticks: IntArray, rate: float) -> Curve:
    """Move all keys at one speed: keep flags, and scale explicit tangents."""
    parts = curve.segments
    out = replace(
        curve, ticks=ticks, segments=Segments(parts.mode, parts.slopes * rate, parts.weights)
    )
    if abs(rate - 1) < 1e-9 or not (parts.mode & CUBIC).any():
        return out
    flags = curve.flags
    cubic = (flags & CUBIC > 0) & (flags & CONSTANT == 0)
    own = cubic & (flags & USER > 0)
    found = np.r_[cubic[1:] & (flags[1:] & USER == 0), False]  # worked out by who reads
    ahead = cubic & (flags & TCB == 0) & ~found
    data = curve.data.copy()
    with np.errstate(over="ignore", invalid="ignore"):
        slopes = (data[:, :2].view(np.float32) * np.float32(rate)).view(np.uint32)
    data[:, 0] = np.where(own, slopes[:, 0], data[:, 0])
    data[:, 1] = np.where(ahead, slopes[:, 1], data[:, 1])
    return replace(out, data=data)


def _pieces(
    curve: Curve, keys: FloatArray, mover: KeyMover, ticks: IntArray, shown: Shown, close: float
) -> Curve:
    """Make the curve that has such keys."""
    x, y = shown.output, shown.source
    n = len(x)
    k, outside = _segment(keys, np.r_[shown.middles, y[-1]])
    mode = curve.segments.mode[k].copy()
    slopes, weights = np.zeros((n, 2)), np.full((n, 2), PLAIN_WEIGHT)
    if len(keys) < 2:
        values = np.full(n, curve.values[0])
    else:
        exact, on_key = nearest(keys, y, _SAME)
        values = np.where(on_key, curve.values[exact], curve.inside(keys, y))
        cubic = ((mode & CUBIC) > 0) & ~outside & np.r_[np.diff(y) != 0, False]
        where = np.flatnonzero(cubic)
        if len(where):
            slopes[where], weights[where] = _tangents(curve, keys, k[where], x, y, where)
        bent = np.flatnonzero(_bent(curve, keys, mover, shown, close))
        if len(bent):
            mode[bent] = CUBIC
            slopes[bent] = fitted(_truth(curve, keys, mover), x[bent], x[bent + 1])[0][..., 0]
            weights[bent] = PLAIN_WEIGHT
    backwards = np.r_[np.diff(y) < 0, False]
    flip = backwards & ((mode & CONSTANT) > 0)
    mode = np.where(flip, mode ^ NEXT, mode)
    flags = np.where((mode & CUBIC > 0) & (curve.flags[k] & LINEAR > 0), CUBIC, curve.flags[k])
    flags = np.where(flip, flags ^ NEXT, flags)
    made = Curve(ticks, values, flags, curve.data[k], Segments(mode, slopes, weights))
    return explicit(made)


def _tangents(
    curve: Curve, keys: FloatArray, k: IntArray, x: FloatArray, y: FloatArray, where: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Cut pieces out of cubic segments; return their slopes in the output and their weights."""
    step = keys[k + 1] - keys[k]
    reach = curve.segments.weights[k]
    first, last = y[where], y[where + 1]
    s0 = bezier_share(np.clip((first - keys[k]) / step, 0, 1), *reach.T)
    s1 = bezier_share(np.clip((last - keys[k]) / step, 0, 1), *reach.T)
    points = curve.control(k, step)
    moments = np.stack([keys[k], keys[k] + reach[:, 0] * step, keys[k + 1] - reach[:, 1] * step,
                        keys[k + 1]])  # fmt: skip
    duration, width = last - first, x[where + 1] - x[where]
    slopes, weights = np.zeros((len(k), 2)), np.full((len(k), 2), PLAIN_WEIGHT)
    plain = (np.abs(reach - PLAIN_WEIGHT) < 1e-4).all(axis=1)
    for side, parts in enumerate(((s0, s0, s1), (s0, s1, s1))):
        at = _blossom(moments, *parts)
        value = _blossom(points, *parts)
        end_time, end_value = (first, _blossom(points, s0, s0, s0)) if side == 0 else (
            last, _blossom(points, s1, s1, s1))  # fmt: skip
        share = np.where(plain, PLAIN_WEIGHT, np.abs(at - end_time) / np.abs(duration))
        rise = value - end_value if side == 0 else end_value - value
        slopes[:, side] = rise / np.maximum(share * width, 1e-12)
        weights[:, side] = np.clip(share, 1e-4, 1.0)
    return slopes, weights


def _blossom(points: FloatArray, a: FloatArray, b: FloatArray, c: FloatArray) -> FloatArray:
    """Evaluate a cubic's polar form: control points of its pieces are values of it."""
    p, q, r = (points[i] + a * (points[i + 1] - points[i]) for i in range(3))
    p, q = p + b * (q - p), q + b * (r - q)
    out: FloatArray = p + c * (q - p)
    return out
