"""Curves moved by a warp: their keys go where it shows them, and what lies between stays itself.

Between two neighbouring keys of the result lies a piece of one segment of the source, run through
at an even rate. A piece of a straight line is one, a piece of a cubic is a cubic with tangents
scaled by the rate, a step stays a step. Where the warp bends between keys, and the curve moves
enough to show it, keys are added at its knots until no piece is off by more than a tolerance; a
cubic may bend with the warp, so that it needs few.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.io.fbx.curves import (
    CONSTANT,
    CUBIC,
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
from retime.timing.graph import Graph

__all__ = ["Rekeyer", "extended", "sampled"]

BoolArray = npt.NDArray[np.bool_]

# How long a jump of time takes, seconds.
_RAMP = 1e-6
# Keys nearer than this, in seconds, are one.
_SAME = 1e-7
# Keys of a file that are nearer than this, in seconds, are both sides of a jump.
_JUMP = 1e-6
# Keys are not added nearer than this to another, in seconds, where that does no harm.
_APART = 5e-4
# A key this near to an end of the animation, in seconds, lies on it.
_ON_END = 2e-4
# Curves that repeat beyond their keys are written out with so many keys a second, and at most.
_DENSE = 120
# A cubic is compared with what it stands for at so many places.
_PROBES = 13
_MOST_KEYS = 200_000


def extended(graph: Graph, span: tuple[float, float]) -> Graph:
    """Let keys before and after a span keep their distance from it, where the warp shows it all."""
    if graph.direction <= 0:
        return graph
    far = 1e6
    x, y = graph.x, graph.y
    if abs(y[0] - span[0]) < _ON_END:
        x, y = np.r_[x[0] - far, x], np.r_[y[0] - far, y]
    if abs(y[-1] - span[1]) < _ON_END:
        x, y = np.r_[x, x[-1] + far], np.r_[y, y[-1] + far]
    return Graph(x, y)


def sampled(times: FloatArray, source: FloatArray, curve: Curve, per_second: int) -> Curve:
    """Show a curve's source times at output times by straight lines between them."""
    ticks = np.round(times * per_second).astype(np.int64)
    return linear_curve(ticks, curve.at(source, per_second))


class Rekeyer:
    """Moves curves by a warp; what it finds about key times serves all curves that have them.

    Parameters
    ----------
    graph : Graph
        From output time to the curves'.
    per_second : int
        Ticks of a second.
    span : (float, float)
        The animation's first and last time in the output; a warp may go on beyond them.
    """

    def __init__(self, graph: Graph, per_second: int, span: tuple[float, float]) -> None:
        self.graph, self.per_second, self.span = graph, per_second, span
        self._plain = _ramped(graph)
        self._ends = np.sort(graph.at(np.array(span)))
        self._found: dict[bytes, tuple[FloatArray, FloatArray, bool]] = {}

    def moved(self, curve: Curve, close: float) -> Curve:
        """Move a curve's keys; the result may be off by ``close``, in the curve's unit."""
        keys = curve.ticks / self.per_second
        if curve.goes_on and (keys[0] > self._ends[0] or keys[-1] < self._ends[1]):
            curve = _written_out(curve, self._ends, self.per_second)
            keys = curve.ticks / self.per_second
        x, y, same = self._shown(curve.ticks.tobytes(), keys)
        x, y = _with_bends(curve, keys, self._plain, x, y, close)
        ticks = np.round(x * self.per_second).astype(np.int64)
        apart = np.r_[True, np.diff(ticks) > 0]
        if not apart.all():
            ticks, x, y = ticks[apart], x[apart], y[apart]
        if same and len(y) == len(keys):
            wide = np.diff(keys) >= _JUMP
            rates = np.diff(keys)[wide] / np.diff(x)[wide] if wide.any() else np.ones(1)
            if rates.min() > 0 and np.ptp(rates) <= 1e-6 * rates.max():
                return _stretched(curve, ticks, float(rates.mean()))
        return _pieces(curve, keys, self._plain, ticks, x, y)

    def _shown(self, which: bytes, keys: FloatArray) -> tuple[FloatArray, FloatArray, bool]:
        """Return keys of the result before the warp's bends, and whether they are the source's."""
        if which not in self._found:
            shown = _shown(self._plain, keys, 1 / self.per_second)
            x, y = _with_jumps(*shown, self._plain, self.graph)
            same = len(x) == len(keys) and bool((np.abs(y - keys) < 1e-12).all())
            self._found[which] = *_with_ends(x, y, self._plain, keys, self.span), same
        return self._found[which]


def _written_out(curve: Curve, ends: FloatArray, per_second: int) -> Curve:
    """Return a curve that goes on beyond its keys as one that has keys there."""
    own = curve.ticks / per_second
    count = int(min((ends[1] - ends[0]) * _DENSE, _MOST_KEYS)) + 2
    times = np.unique(np.r_[np.linspace(ends[0], ends[1], count), own])
    times = times[np.r_[True, np.diff(times) > _SAME]]
    return sampled(times, times, curve, per_second)


def _ramped(graph: Graph) -> Graph:
    """Turn cuts into ramps that take no time to speak of: a curve has one value at a time."""
    x = graph.x.copy()
    cuts = np.flatnonzero(np.diff(x) <= 0) + 1
    for k in cuts:
        after = x[k + 1] if k + 1 < len(x) else np.inf
        x[k] = x[k - 1] + min(_RAMP, (after - x[k - 1]) / 2)
    return Graph(x, graph.y) if len(cuts) else graph


def _shown(graph: Graph, keys: FloatArray, tick: float) -> tuple[FloatArray, FloatArray]:
    """Return when a warp shows keys: output and source times, in the output's order.

    Both sides of a jump stay, a tick apart when rounded.
    """
    if graph.direction < 0:
        x, y = _shown(graph.mirror(), -keys[::-1], tick)
        return x, -y
    low, high = graph.y[0], graph.y[-1]
    inside = keys[(keys >= low - _SAME) & (keys <= high + _SAME)]
    if not len(inside):
        return inside, inside
    x = graph.swap().at(np.clip(inside, low, high))
    jump = np.r_[False, np.diff(inside) < _JUMP]
    fresh = np.r_[True, np.diff(x) > _SAME] | jump
    x, inside = x[fresh], inside[fresh]
    for k in np.flatnonzero(jump[fresh]):
        x[k] = max(x[k], x[k - 1] + 2 * tick)  # halves of a tick may be rounded together
    return x, inside


def _with_jumps(
    x: FloatArray, y: FloatArray, plain: Graph, graph: Graph
) -> tuple[FloatArray, FloatArray]:
    """Put a key on both sides of every cut, and none into it."""
    cuts = np.flatnonzero(np.diff(graph.x) <= 0)
    for k in cuts:
        a, b = plain.x[k], plain.x[k + 1]
        keep = (x < a - _SAME) | (x > b + _SAME)
        x, y = x[keep], y[keep]
        at = int(np.searchsorted(x, a))
        x, y = np.insert(x, at, [a, b]), np.insert(y, at, [plain.y[k], plain.y[k + 1]])
    return x, y


def _with_ends(
    x: FloatArray, y: FloatArray, graph: Graph, keys: FloatArray, span: tuple[float, float]
) -> tuple[FloatArray, FloatArray]:
    """Add the ends of the output where the curve is in motion there, or lasts to the end."""
    for at, front in ((graph.x[0], True), (graph.x[-1], False)):
        source = float(graph.y[0] if front else graph.y[-1])
        still = source <= keys[0] or source >= keys[-1]
        near = len(x) and abs((x[0] if front else x[-1]) - at) < _SAME
        if not near and (not still or not len(x)):
            place = 0 if front else len(x)
            x, y = np.insert(x, place, at), np.insert(y, place, source)
    # A curve that ends with the animation does so still, where a warp holds its last pose.
    last = float(graph.at(np.array([span[1]]))[0])
    shows_all = keys[-1] - _ON_END <= last if graph.direction >= 0 else last <= keys[0] + _ON_END
    if shows_all and x[-1] < span[1] - _SAME and abs(last - y[-1]) < _ON_END:
        x, y = np.r_[x, span[1]], np.r_[y, last]
    return x, y


def _with_bends(
    curve: Curve, keys: FloatArray, graph: Graph, x: FloatArray, y: FloatArray, close: float
) -> tuple[FloatArray, FloatArray]:
    """Add the fewest knots of the warp that keep the curve close between its keys."""
    if len(x) < 2 or len(graph.x) < 3 or len(keys) < 2:
        return x, y
    first, last = _knots_between(graph, x)
    bent = last > first
    k, outside = _segment(keys, (y[1:] + y[:-1]) / 2)
    mode = curve.segments.mode[k]
    moves = bent & ~outside & ((mode & CONSTANT) == 0)
    cubic = (mode & CUBIC) > 0
    if not moves.any():
        return x, y
    speed = _fastest(curve, keys, (y[1:] + y[:-1]) / 2)
    # How far off in source time a stretch may be; one that hardly changes, by any.
    reach = np.full(len(speed), np.inf)
    np.divide(close, speed, out=reach, where=speed > 1e-12 * close)
    reach[~moves | (speed * np.abs(np.diff(y)) <= close)] = np.inf
    inner = _worth_a_key(graph, x, np.arange(first[0], last[-1]), reach)
    xs, ys = graph.x[inner], graph.y[inner]
    at = np.clip(np.searchsorted(x, xs) - 1, 0, len(x) - 2)
    off = np.zeros(len(x) - 1, dtype=bool)
    off[at[np.abs(ys - np.interp(xs, x, y)) > reach[at]]] = True
    added = []
    if (off & ~cubic).any():
        from retime.io.gltf.kernels import needed_knots

        added.append(xs[needed_knots(xs, ys, x, y, np.where(cubic, np.inf, reach))])
    if (off & cubic).any():
        added.append(_cubic_bends(curve, keys, graph, x, close, off & cubic))
    if not added:
        return x, y
    more = np.concatenate(added)
    if not len(more):
        return x, y
    order = np.argsort(np.r_[x, more], kind="stable")
    return np.r_[x, more][order], np.r_[y, graph.at(more)][order]


def _worth_a_key(graph: Graph, x: FloatArray, knots: IntArray, reach: FloatArray) -> IntArray:
    """Leave out knots beside a key that hardly bend: programs mistake such neighbours for one."""
    near = np.clip(np.searchsorted(x, graph.x[knots]), 1, len(x) - 1)
    gap = np.minimum(x[near] - graph.x[knots], graph.x[knots] - x[near - 1])
    inside = (knots > 0) & (knots < len(graph.x) - 1)
    before, after = np.maximum(knots - 1, 0), np.minimum(knots + 1, len(graph.x) - 1)
    widths = [graph.x[knots] - graph.x[before], graph.x[after] - graph.x[knots]]
    rises = [graph.y[knots] - graph.y[before], graph.y[after] - graph.y[knots]]
    rates = [r / np.maximum(w, 1e-12) for r, w in zip(rises, widths, strict=True)]
    harmless = np.abs(rates[1] - rates[0]) * gap <= reach[near - 1]
    return knots[inside & ~((gap < _APART) & harmless)]


def _knots_between(graph: Graph, x: FloatArray) -> tuple[IntArray, IntArray]:
    """Return where a warp's knots inside each stretch between keys begin and end."""
    first = np.searchsorted(graph.x, x[:-1] + _SAME, side="right")
    return first, np.searchsorted(graph.x, x[1:] - _SAME, side="left")


def _cubic_bends(
    curve: Curve, keys: FloatArray, graph: Graph, x: FloatArray, close: float, wanted: BoolArray
) -> FloatArray:
    """Choose knots so that cubics between keys stay close: what does not fit is halved."""
    starts, ends = x[:-1][wanted], x[1:][wanted]
    chosen: list[FloatArray] = []
    while len(starts):
        off = _fitted(curve, keys, graph, starts, ends)[1] > close
        starts, ends = starts[off], ends[off]
        pairs = np.stack([starts, ends])
        # Knots right beside a key are left to the end, when there are no others.
        room = np.where(ends - starts > 4 * _APART, _APART, _SAME)
        first = np.searchsorted(graph.x, starts + room, side="right")
        last = np.searchsorted(graph.x, ends - room, side="left")
        there = last > first  # without a knot inside, the piece is exact as it is
        starts, ends = pairs[:, there]
        middle = graph.x[(first[there] + last[there]) // 2]
        chosen.append(middle)
        starts, ends = np.r_[starts, middle], np.r_[middle, ends]
    return np.concatenate(chosen) if chosen else np.zeros(0)


@cache
def _probes() -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return where cubics are compared, what slopes at both ends do there, and the inverse."""
    # Golden sections fall into step with no row of knots.
    u = np.sort(np.arange(1, _PROBES + 1) * 0.6180339887498949 % 1)
    basis = np.stack([u**3 - 2 * u**2 + u, u**3 - u**2], axis=1)
    return u, basis, np.linalg.pinv(basis)


def _fitted(
    curve: Curve, keys: FloatArray, graph: Graph, starts: FloatArray, ends: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Fit cubics to what a warp shows of a curve: slopes (N, 2) at the ends, and how far off."""
    u, basis, inverse = _probes()
    width = ends - starts
    moments = starts[:, None] + u * width[:, None]
    truth = _evaluate(curve, keys, graph.at(moments.ravel())).reshape(moments.shape)
    a = _evaluate(curve, keys, graph.at(starts, "right"))[:, None]
    b = _evaluate(curve, keys, graph.at(ends))[:, None]
    rest = truth - a - (3 * u**2 - 2 * u**3) * (b - a)
    slopes = rest @ inverse.T
    off = np.abs(rest - slopes @ basis.T).max(axis=1)
    return slopes / width[:, None], off


def _segment(keys: FloatArray, times: FloatArray) -> tuple[IntArray, BoolArray]:
    """Return the segments that hold times, and whether they lie beyond the keys."""
    k = np.searchsorted(keys, times, side="right") - 1
    outside = (k < 0) | (k >= len(keys) - 1)
    return np.clip(k, 0, max(len(keys) - 2, 0)), outside


def _fastest(curve: Curve, keys: FloatArray, times: FloatArray) -> FloatArray:
    """Bound the speed in the segments that hold times."""
    k, outside = _segment(keys, times)
    step = np.maximum(keys[k + 1] - keys[k], 1e-12)
    speed = np.abs(curve.values[k + 1] - curve.values[k]) / step
    mode = curve.segments.mode[k]
    cubic = (mode & CUBIC) > 0
    if cubic.any():
        points = curve.control(k[cubic], step[cubic])
        hull = 3 * np.abs(np.diff(points, axis=0)).max(axis=0) / step[cubic]
        # Weighted ones run ahead where both tangents reach far.
        reach = curve.segments.weights[k[cubic]]
        weighted = (np.abs(reach - PLAIN_WEIGHT) > 1e-4).any(axis=1)
        slow = np.clip(np.minimum(3 * reach.min(axis=1), 1.0), 0.05, 1.0)
        speed[cubic] = np.where(weighted, hull / slow, hull)
    speed[outside | ((mode & CONSTANT) > 0)] = 0.0
    return speed


def _stretched(curve: Curve, ticks: IntArray, rate: float) -> Curve:
    """Move all keys alike: flags stay, and tangents that are written down are scaled."""
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
    curve: Curve, keys: FloatArray, graph: Graph, ticks: IntArray, x: FloatArray, y: FloatArray
) -> Curve:
    """Make the curve whose keys show source times ``y`` at output times ``x``."""
    n = len(x)
    ahead = np.r_[(y[1:] + y[:-1]) / 2, y[-1]]
    k, outside = _segment(keys, ahead)
    mode = curve.segments.mode[k].copy()
    slopes, weights = np.zeros((n, 2)), np.full((n, 2), PLAIN_WEIGHT)
    exact = np.clip(np.searchsorted(keys, y), 0, len(keys) - 1)
    below = np.maximum(exact - 1, 0)
    exact = np.where(np.abs(keys[below] - y) < np.abs(keys[exact] - y), below, exact)
    on_key = np.abs(keys[exact] - y) < _SAME
    if len(keys) < 2:
        values = np.full(n, curve.values[0])
    else:
        values = np.where(on_key, curve.values[exact], _evaluate(curve, keys, y))
        cubic = ((mode & CUBIC) > 0) & ~outside & np.r_[np.diff(y) != 0, False]
        where = np.flatnonzero(cubic)
        if len(where):
            slopes[where], weights[where] = _tangents(curve, keys, k[where], x, y, where)
        first, last = _knots_between(graph, x)
        bent = np.flatnonzero(cubic[:-1] & (last > first))
        if len(bent):
            slopes[bent] = _fitted(curve, keys, graph, x[bent], x[bent + 1])[0]
            weights[bent] = PLAIN_WEIGHT
    backwards = np.r_[np.diff(y) < 0, False]
    flip = backwards & ((mode & CONSTANT) > 0)
    mode = np.where(flip, mode ^ NEXT, mode)
    flags = curve.flags[k]
    flags = np.where(flip, flags ^ NEXT, flags)
    made = Curve(ticks, values, flags, curve.data[k], Segments(mode, slopes, weights))
    return explicit(made)


def _evaluate(curve: Curve, keys: FloatArray, y: FloatArray) -> FloatArray:
    k, _ = _segment(keys, y)
    step = np.maximum(keys[k + 1] - keys[k], 1e-12)
    out = curve.between(k, np.clip((y - keys[k]) / step, 0.0, 1.0), step)
    out = np.where(y <= keys[0], curve.values[0], out)
    return np.where(y >= keys[-1], curve.values[-1], out)


def _tangents(
    curve: Curve, keys: FloatArray, k: IntArray, x: FloatArray, y: FloatArray, where: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Cut pieces out of cubic segments: their slopes in the output, and how far they reach."""
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
