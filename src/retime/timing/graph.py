"""Monotone graphs: the curves of the channels of a time warp.

A graph is piecewise linear and never changes direction. A flat part is a hold, a vertical part is a
cut. Swapping the axes turns one into the other, so that the inverse of a graph is a graph, while
the inverse of a function may not be a function.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from retime.errors import InputError
from retime.one_line import one_line
from retime.sentences import Duration, Moment, Span

FloatArray = npt.NDArray[np.float64]
Side = Literal["left", "right"]

# Largest number of knots of a repeated cycle.
_MOST_KNOTS = 50_000_000


@one_line()
@dataclass(frozen=True, eq=False)
class Graph:
    """Knots of a monotone piecewise linear graph."""

    x: FloatArray
    """Output times (K,) in seconds, never decreasing; a repeated one is a cut."""
    y: FloatArray
    """Source times (K,) in seconds, monotone; a repeated one is a hold."""

    def __post_init__(self) -> None:
        x, y = _knots(self.x, "output"), _knots(self.y, "source")
        if len(x) != len(y):
            raise InputError(f"a warp needs as many source as output times: {len(x)} and {len(y)}")
        if not len(x):
            raise InputError("a warp needs at least one knot")
        _must_be_monotone(x, y)
        object.__setattr__(self, "x", x)
        object.__setattr__(self, "y", y)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Graph):
            return NotImplemented
        return np.array_equal(self.x, other.x) and np.array_equal(self.y, other.y)

    __hash__ = None  # type: ignore[assignment]  # it contains arrays

    def __reduce__(self) -> tuple[type[Graph], tuple[FloatArray, FloatArray]]:
        return Graph, (self.x, self.y)  # the constructor makes copies read-only too

    @property
    def direction(self) -> int:
        """1 forwards, -1 backwards, 0 if the whole graph is a hold."""
        return int(np.sign(self.y[-1] - self.y[0]))

    @cached_property
    def _has_no_cuts(self) -> bool:
        return bool((self.x[1:] > self.x[:-1]).all())

    def at(self, t: npt.ArrayLike, side: Side = "left") -> FloatArray:
        """Return source times at output times; at a cut, before (``left``) or after (``right``) it.

        Beyond the knots, the end values are returned.
        """
        t = np.asarray(t, dtype=float)
        x, y = self.x, self.y
        if len(x) == 1:
            return np.full(t.shape, y[0])
        if self._has_no_cuts:
            continuous: FloatArray = np.asarray(np.interp(t, x, y))
            return continuous
        n = len(x)
        i = np.searchsorted(x, t, side=side)
        k = np.clip(i, 1, n - 1)  # t is between the knots k - 1 and k
        x0, y0, x1, y1 = x[k - 1], y[k - 1], x[k], y[k]
        width = np.where(x1 > x0, x1 - x0, 1.0)
        value = y0 + (t - x0) * ((y1 - y0) / width)
        value = np.clip(value, np.minimum(y0, y1), np.maximum(y0, y1))
        knot = np.clip(i if side == "left" else i - 1, 0, n - 1)
        value = np.where(x[knot] == t, y[knot], value)
        out: FloatArray = np.where(t < x[0], y[0], np.where(t > x[-1], y[-1], value))
        return out

    def swap(self) -> Graph:
        """Exchange the axes: holds become cuts and cuts become holds."""
        return self._swapped

    @cached_property  # every contact and marker that a warp carries asks for it
    def _swapped(self) -> Graph:
        if self.direction >= 0:
            return Graph(self.y, self.x)
        return Graph(self.y[::-1], self.x[::-1])

    def pad(self, a: float, b: float) -> Graph:
        """Extend the end values to output times ``a`` and ``b``."""
        x, y = self.x, self.y
        if x[0] <= a and x[-1] >= b:
            return self
        if x[0] > a:
            x, y = np.r_[a, x], np.r_[y[0], y]
        if x[-1] < b:
            x, y = np.r_[x, b], np.r_[y, y[-1]]
        return tidy(x, y)

    def mirror(self) -> Graph:
        """Reverse the source axis."""
        return Graph(self.x, -self.y)


def _must_be_monotone(x: FloatArray, y: FloatArray) -> None:
    if (x[1:] < x[:-1]).any():
        k = int(np.argmax(x[1:] < x[:-1]))
        raise InputError(
            "output times fall from {before} to {after} at knot {knot}",
            before=Moment(float(x[k])),
            after=Moment(float(x[k + 1])),
            knot=k + 1,
        )
    if (y[1:] > y[:-1]).any() and (y[1:] < y[:-1]).any():
        step = np.diff(y)
        turn = np.flatnonzero(step * np.sign(y[-1] - y[0] or step[step != 0][0]) < 0)[0]
        raise InputError(
            "the warp changes direction at output {output} (source {source}); time may run "
            "forwards or backwards, not both",
            output=Moment(float(x[turn])),
            source=Span(float(y[turn]), float(y[turn + 1])),
        )


def _knots(values: npt.ArrayLike, what: str) -> FloatArray:
    try:
        a = np.array(values, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{what} times must be numbers") from None
    if a.ndim != 1:
        raise InputError(f"{what} times must be a list of numbers, not of shape {a.shape}")
    if not np.isfinite(a).all():
        raise InputError(f"{what} time {int(np.flatnonzero(~np.isfinite(a))[0])} is not finite")
    a.setflags(write=False)
    return a


def tidy(x: FloatArray, y: FloatArray) -> Graph:
    """Remove redundant knots: repeated points, and the inside of a cut."""
    inside = np.zeros(len(x), dtype=bool)
    inside[1:-1] = (x[:-2] == x[1:-1]) & (x[1:-1] == x[2:])
    x, y = x[~inside], y[~inside]
    fresh = np.r_[True, (np.diff(x) != 0) | (np.diff(y) != 0)]
    return Graph(x[fresh], y[fresh])


def _settled(x: FloatArray, y: FloatArray) -> Graph:
    """Remove redundant knots and changes of direction that come from rounding."""
    direction = np.sign(y[-1] - y[0])
    if direction > 0:
        y = np.maximum.accumulate(y)
    elif direction < 0:
        y = np.minimum.accumulate(y)
    else:
        y = np.full_like(y, y[0])
    return tidy(np.maximum.accumulate(x), y)


def compose(f: Graph, g: Graph) -> Graph:
    """Return the exact graph of f(g(t)); its knots are those of g, and of f where g reaches them.

    Where a decreasing ``g`` crosses a cut of ``f``, the value at that instant is the one after the
    cut.
    """
    low, high = (g.y[0], g.y[-1]) if g.direction >= 0 else (g.y[-1], g.y[0])
    if f._has_no_cuts and not ((f.x > low) & (f.x < high)).any():
        return Graph(g.x, f.at(g.y))  # only one straight piece of f is used
    x0, x1 = g.x[:-1], g.x[1:]
    y0, y1 = g.y[:-1], g.y[1:]
    keep = x1 > x0  # cuts of g have no duration
    x0, x1, y0, y1 = x0[keep], x1[keep], y0[keep], y1[keep]
    up, down = y1 > y0, y1 < y0
    # At a cut of f, the value at an end of a segment is the one inside the segment.
    first = np.where(up, f.at(y0, "right"), f.at(y0, "left"))
    last = np.where(down, f.at(y1, "right"), f.at(y1, "left"))
    # Knots of f strictly inside each segment, in the direction of the segment.
    lo = np.searchsorted(f.x, np.minimum(y0, y1), side="right")
    hi = np.searchsorted(f.x, np.maximum(y0, y1), side="left")
    count = np.where(up | down, np.maximum(hi - lo, 0), 0)
    segment = np.repeat(np.arange(len(x0)), count)
    rank = np.arange(len(segment)) - np.repeat(np.cumsum(count) - count, count)
    inner = np.where(up[segment], lo[segment] + rank, hi[segment] - 1 - rank)
    rise = np.where(up | down, y1 - y0, 1.0)
    slope = ((x1 - x0) / rise)[segment]
    inner_x = np.clip(x0[segment] + (f.x[inner] - y0[segment]) * slope, x0[segment], x1[segment])

    n = len(x0)
    order = np.lexsort(
        (
            np.r_[np.zeros(n), 1 + rank, np.full(n, len(f.x) + 2)],
            np.r_[np.arange(n), segment, np.arange(n)],
        )
    )
    x = np.r_[x0, inner_x, x1][order]
    y = np.r_[first, f.y[inner], last][order]
    ends = f.at(np.array([g.y[0], g.y[-1]]))
    return _settled(np.r_[g.x[0], x, g.x[-1]], np.r_[ends[0], y, ends[1]])


def mix(a: Graph, b: Graph, weight: float) -> Graph:
    """Interpolate output times at equal source times, so that durations mix and order is kept.

    Both ends of a hold are interpolated. Outside its source range, the output time of a graph is
    that of its end. Weights 0 and 1 return the operand.
    """
    if weight <= 0:
        return a
    if weight >= 1:
        return b
    if a.direction * b.direction < 0:
        raise InputError(
            "warps that run in opposite directions cannot be blended; use a weight of 0 or 1"
        )
    if a.direction < 0 or b.direction < 0:
        return mix(a.mirror(), b.mirror(), weight).mirror()
    times_a, times_b = a.swap(), b.swap()
    source = np.unique(np.r_[a.y, b.y])
    before = (1 - weight) * times_a.at(source) + weight * times_b.at(source)
    after = (1 - weight) * times_a.at(source, "right") + weight * times_b.at(source, "right")
    output = np.maximum.accumulate(np.c_[before, after].ravel())
    return tidy(output, np.repeat(source, 2))


def cycle_from(graph: Graph, start: float) -> Graph:
    """Return a cycle that starts at another output time."""
    if graph.x[0] == start or graph.x[-1] <= graph.x[0]:
        return graph
    end = start + (graph.x[-1] - graph.x[0])
    turns = unroll(graph, start, end)
    inner = (turns.x > start) & (turns.x < end)
    first = float(turns.at(np.array([start]), "right")[0])
    last = float(turns.at(np.array([end]), "left")[0])
    seam = first + (graph.y[-1] - graph.y[0])  # keep a cut at the seam
    times = np.r_[start, turns.x[inner], end, end]
    return _settled(times, np.r_[first, turns.y[inner], last, seam])


def unroll(graph: Graph, a: float, b: float) -> Graph:
    """Repeat a cycle, w(t + T) = w(t) + D, so that it covers the output times ``a`` to ``b``."""
    period, gain = graph.x[-1] - graph.x[0], graph.y[-1] - graph.y[0]
    if period <= 0:
        return graph
    first = int(np.floor((a - graph.x[0]) / period))
    last = max(int(np.ceil((b - graph.x[0]) / period)), first + 1)
    if (last - first) * len(graph.x) > _MOST_KNOTS:
        raise InputError(
            "{count} repetitions of a cycle of {period:.3g} are more than fit in memory",
            count=last - first,
            period=Duration(period),
        )
    turns = np.arange(first, last)[:, None]
    return _settled((graph.x + turns * period).ravel(), (graph.y + turns * gain).ravel())


def slope_at(g: Graph, t: FloatArray) -> FloatArray:
    """Return slopes at times: right-sided, left-sided at the last knot, 0 outside."""
    x, first = np.unique(g.x, return_index=True)
    if len(x) == 1:
        return np.zeros(t.shape)
    last = np.r_[first[1:], len(g.x)] - 1
    slope = (g.y[first[1:]] - g.y[last[:-1]]) / np.diff(x)
    k = np.clip(np.searchsorted(x, t, side="right") - 1, 0, len(slope) - 1)
    out: FloatArray = np.where((t < x[0]) | (t > x[-1]), 0.0, slope[k])
    return out


def around(g: Graph, whole: tuple[float, float], part: tuple[float, float], end: float) -> Graph:
    """Extend the graph of a part, which ends at an output time, to the whole clip.

    The clip before the part does not change, and the rest follows the part.
    """
    (first, last), (a, b) = whole, part
    # The ends of a range in frames may differ from those of the warp by a rounding error.
    g = Graph(np.clip(g.x, a, end), g.y).pad(a, end)
    if g.direction >= 0:
        _must_keep_ends(g, part)
    elif first < a or b < last:
        raise InputError("only a whole clip can run backwards, not a range of it")
    x, y = g.x, g.y
    if first < a:
        x, y = np.r_[first, a, x], np.r_[first, a, y]
    if b < last:
        x, y = np.r_[x, end, end + last - b], np.r_[y, b, last]
    return tidy(x, y)


def _must_keep_ends(g: Graph, part: tuple[float, float]) -> None:
    a, b = part
    if max(abs(g.y[0] - a), abs(g.y[-1] - b)) > 1e-6:
        raise InputError(
            "the warp shows source times {shown}, its range is {range}; the ends of a range must "
            "stay",
            shown=Span(float(g.y[0]), float(g.y[-1])),
            range=Span(a, b),
        )


def span(graphs: Sequence[Graph]) -> tuple[float, float]:
    """Return the first and last output time of graphs."""
    return float(min(g.x[0] for g in graphs)), float(max(g.x[-1] for g in graphs))


def one_cycle(body: Graph, channels: dict[str, Graph]) -> tuple[Graph, dict[str, Graph]]:
    """Return the graphs of a cycle with one period, all starting with the body."""
    graphs = [body, *channels.values()]
    periods = [g.x[-1] - g.x[0] for g in graphs]
    if np.ptp(periods) <= 1e-9 * max(periods):
        return body, {n: cycle_from(g, body.x[0]) for n, g in channels.items()}
    ends = span(graphs)
    return body.pad(*ends), {n: g.pad(*ends) for n, g in channels.items()}
