"""Curves: monotone splines through keytimes, and conversion from and to Bezier F-curves."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from retime import _native
from retime.arrays import FloatArray, ReadOnlyArrays, read_only
from retime.errors import InfeasibleError, InputError
from retime.notes import Note
from retime.one_line import one_line
from retime.parameters import part_of_clip
from retime.sentences import Duration, Moment, ParameterName, Span
from retime.timing.graph import Graph
from retime.timing.monotone import SPACING, monotone_cubic
from retime.timing.warp import TimeWarp

# Number of candidate points for keys, besides corners.
_CANDIDATES = 128
_FITTED_POINTS = 24
# Number of failed fits in a row after which longer segments are not tried.
_PATIENCE = 24
# Relative change of slope above which a knot is a corner.
_CORNER = 0.1
# Tolerance for the source time of a rate, seconds.
_SAME_MOMENT = 1e-6


def keytime_warp(
    domain: tuple[float, float],
    *,
    duration: float | None = None,
    keytimes: Iterable[tuple[float, float]] = (),
    rates: Iterable[tuple[float, float]] = (),
    locked: Iterable[tuple[float, float]] = (),
    loop: bool = False,
) -> TimeWarp:
    """Make a spline warp: a monotone cubic through the ends and the keytimes.

    Parameters
    ----------
    domain : (float, float)
        First and last time of the source; the output starts at the first.
    duration : float, optional
        Length of the output in seconds. Default: the source's.
    keytimes : iterable of (output s, source s)
        Points on the curve; both times increase from one to the next.
    rates : iterable of (source s, rate)
        Tangents: the playback speed at the source time of a keytime or an end.
    locked : iterable of (source s, source s)
        Spans that play at their recorded speed. One without a keytime stays where the spline shows
        its middle.
    loop : bool
        The clip is a cycle: the rate is equal at both ends.
    """
    start, end = domain
    _must_last(start, end)
    stop = end if duration is None else start + duration
    points = keytime_points(domain, stop, keytimes)
    rates, spans = list(rates), _joined(locked)
    for a, b in spans:
        points = _with_locked(points, a, b, loop=loop)
        for moment, rate in rates:
            if a <= moment <= b and rate != 1:
                raise InputError(
                    "rate {moment:g}={rate:g}: {time} is in the locked span {part}, which plays at "
                    "its recorded speed",
                    moment=moment,
                    rate=rate,
                    time=Moment(moment),
                    part=Span(a, b),
                )
    x, y = np.array(points).T
    slopes, notes = _tangents(x, y, rates)
    slopes |= _tangents(x, y, [(min(max(t, start), end), 1.0) for span in spans for t in span])[0]
    output, source = monotone_cubic(x, y, loop=loop, slopes=slopes)
    straight = np.zeros(len(source), dtype=bool)
    for a, b in spans:
        straight |= (source > a + _SAME_MOMENT) & (source < b - _SAME_MOMENT)
    return TimeWarp(output[~straight], source[~straight], loop=loop, notes=notes)


def keytime_points(
    domain: tuple[float, float], stop: float | None, keytimes: Iterable[tuple[float, float]]
) -> list[tuple[float, float]]:
    """Return both ends and the keytimes in order, as output and source times.

    If ``stop``, the last output time, is ``None``, the length is free and the last point is left
    out. Raises if a keytime is outside, or if times do not rise from one to the next.
    """
    start, end = domain
    if stop is not None and not (np.isfinite(stop - start) and stop > start):
        raise InputError(
            "the duration must be above 0, not {length}", length=Duration(stop - start)
        )
    first, last = (start, start), (np.inf if stop is None else stop, end)
    keys = sorted((float(o), float(s)) for o, s in keytimes)
    keys = [k for k in keys if k not in (first, last)]
    for key in keys:
        _must_be_inside(key, start, last)
    points = [first, *keys, *([] if stop is None else [last])]
    _must_rise(points)
    return points


def _must_last(start: float, end: float) -> None:
    if start == end:
        raise InputError(
            "the clip is a single pose of one frame: it has no timing to change; a clip needs two "
            "frames or more"
        )
    if not start < end:
        raise InputError(
            "there is no time at {range} to change; a range runs from its earlier to its later end",
            range=Span(start, end),
        )


def _must_be_inside(key: tuple[float, float], start: float, ends: tuple[float, float]) -> None:
    output, moment = key
    for what, time, upto in (("source", moment, ends[1]), ("output", output, ends[0])):
        if not start <= time <= upto:
            raise InputError(
                "keytime {output:g}={moment:g}: {time} is outside the {what}, {span}",
                output=output,
                moment=moment,
                time=Moment(time),
                what=what,
                span=Span(start, upto),
            )


def _must_rise(points: list[tuple[float, float]]) -> None:
    for (o0, s0), (o1, s1) in itertools.pairwise(points):
        if not np.isfinite([o1, s1]).all():
            raise InputError(f"keytime {o1}={s1} is not finite")
        if o1 <= o0 or s1 <= s0:
            raise InputError(
                f"keytime {o1:g}={s1:g} (output s = source s) does not come after {o0:g}={s0:g}; "
                "both times must rise from one keytime to the next"
            )


def _joined(spans: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return spans in order; those that overlap or meet are one."""
    out: list[tuple[float, float]] = []
    for a, b in sorted((float(a), float(b)) for a, b in spans):
        if out and a <= out[-1][1] + _SAME_MOMENT:
            out[-1] = (out[-1][0], max(out[-1][1], b))
        else:
            out.append((a, b))
    return out


def _with_locked(
    points: list[tuple[float, float]], a: float, b: float, *, loop: bool
) -> list[tuple[float, float]]:
    """Return the points of a curve with those of a span that plays at its recorded speed."""
    part = Span(a, b)
    a, b = part_of_clip((a, b), (points[0][1], points[-1][1]), "locked span")
    x, y = np.array(points).T
    inside = [(o, s) for o, s in points if a <= s <= b]
    before, after = [p for p in points if p[1] < a], [p for p in points if p[1] > b]
    if inside:
        places = [o - (s - a) for o, s in inside]
        first = places[0]
        fits = max(places) - min(places) < _SAME_MOMENT
    else:
        (o0, s0), (o1, s1) = before[-1], after[0]
        curve = TimeWarp(*monotone_cubic(x, y, loop=loop))
        room = o1 - o0 - (b - a)
        # At least a tenth of what is left on either side.
        shares = 0.1 * room * np.array([a - s0, s1 - b]) / (a - s0 + s1 - b)
        first = float(curve.inverse((a + b) / 2)) - (b - a) / 2
        first = float(np.clip(first, o0 + shares[0], o1 - (b - a) - shares[1]))
        fits = room > 0
    last = first + (b - a)
    fits = fits and not (before and before[-1][0] >= first) and not (after and after[0][0] <= last)
    if not fits:
        raise InfeasibleError(
            "the locked span {part} does not fit between the keytimes around it, or between the "
            "ends; shorten it, move a keytime, or choose a longer {name}",
            part=part,
            name=ParameterName("duration"),
        )
    return [*before, (first, a), (last, b), *after]


def _tangents(
    x: FloatArray, y: FloatArray, rates: Iterable[tuple[float, float]]
) -> tuple[dict[int, float], list[Note]]:
    """Return the slopes of keys by their rates, limited so that time never runs backwards."""
    slopes, notes = {}, []
    secants = np.diff(y) / np.diff(x)
    for moment, rate in rates:
        key = int(np.abs(y - moment).argmin())
        if abs(y[key] - moment) > _SAME_MOMENT:
            raise InputError(
                "rate {moment:g}={rate:g}: no keytime shows {time}; set one there, or remove the "
                "rate",
                moment=moment,
                rate=rate,
                time=Moment(moment),
            )
        if not (np.isfinite(rate) and rate >= 0):
            raise InputError(f"rate {moment:g}={rate:g}: a rate is 0 or more")
        # A slope of at most three times the smaller adjacent secant keeps the cubic monotone.
        most = 3 * float(secants[max(key - 1, 0) : key + 1].min())
        if rate > most:
            notes.append(
                Note(
                    "the rate at {time} is {rate:.3g}, not {asked:g}: next to it, time would run "
                    "backwards",
                    code="rate-limited",
                    time=Moment(moment),
                    asked=rate,
                    rate=most,
                )
            )
        slopes[key] = min(rate, most)
    return slopes, notes


@one_line()
@dataclass(frozen=True, eq=False)
class BezierCurve(ReadOnlyArrays):
    """An F-curve of a graph editor: keys with a handle on either side.

    Parameters
    ----------
    keys : array (K, 2)
        Output and source time of each key; output times never decrease. Two keys at one output time
        are a cut.
    left, right : array (K, 2)
        The handles, as points. A handle that reaches past the next key is shortened along its
        direction, as in graph editors, so that the curve stays a function.
    """

    keys: FloatArray
    left: FloatArray
    right: FloatArray

    def __post_init__(self) -> None:
        keys = read_only(self.keys, (None, 2), "keys", may_be_nan=True)
        if not len(keys) or not np.isfinite(keys).all() or (np.diff(keys[:, 0]) < 0).any():
            raise InputError("a Bezier curve needs keys with finite times that do not fall")
        object.__setattr__(self, "keys", keys)
        for side in ("left", "right"):
            handle = read_only(getattr(self, side), keys.shape, f"{side} handles")
            object.__setattr__(self, side, handle)

    @classmethod
    def from_slopes(cls, keys: npt.ArrayLike, slopes: npt.ArrayLike) -> BezierCurve:
        """Make a smooth (G1) curve from keys and slopes; handles span a third of the interval."""
        points = np.array(keys, dtype=float)
        if len(points) < 2:
            return cls(points, points, points)
        gap = np.diff(points[:, 0]) / 3
        direction = np.c_[np.ones(len(points)), np.asarray(slopes, dtype=float)]
        return cls(
            points,
            points - np.r_[gap[:1], gap][:, None] * direction,
            points + np.r_[gap, gap[-1:]][:, None] * direction,
        )

    def at(self, t: npt.ArrayLike) -> FloatArray:
        """Return the source times at output times; beyond the keys, the end values."""
        t = np.asarray(t, dtype=float)
        x = self.keys[:, 0]
        if len(x) == 1:
            return np.full(t.shape, self.keys[0, 1])
        k = np.clip(np.searchsorted(x, t, side="left") - 1, 0, len(x) - 2)
        p0, p3 = self.keys[k], self.keys[k + 1]
        width = p3[..., 0] - p0[..., 0]
        p1 = p0 + _shortened(self.right[k] - p0, width)
        p2 = p3 + _shortened(self.left[k + 1] - p3, width)
        low, high = np.zeros(t.shape), np.ones(t.shape)
        for _ in range(60):  # bisection always converges, because the handles keep x monotone
            u = (low + high) / 2
            before = _cubic(u, p0[..., 0], p1[..., 0], p2[..., 0], p3[..., 0]) < t
            low, high = np.where(before, u, low), np.where(before, high, u)
        u = (low + high) / 2
        value = _cubic(u, p0[..., 1], p1[..., 1], p2[..., 1], p3[..., 1])
        value = np.where(t <= p0[..., 0], p0[..., 1], np.where(t >= p3[..., 0], p3[..., 1], value))
        out: FloatArray = value
        return out

    def to_warp(self, spacing: float = SPACING) -> TimeWarp:
        """Sample the curve as a warp; raise an ``InputError`` if it changes direction."""
        xs, ys = [], []
        for a, b in itertools.pairwise(self.keys):
            pieces = max(int(np.ceil((b[0] - a[0]) / spacing)), 1)
            inner = np.linspace(a[0], b[0], pieces + 1)[1:-1]
            xs += [a[:1], inner]
            ys += [a[1:], self.at(inner)]
        x, y = np.concatenate([*xs, self.keys[-1:, 0]]), np.concatenate([*ys, self.keys[-1:, 1]])
        rise = np.sign(y[-1] - y[0]) or 1.0
        settled = rise * np.maximum.accumulate(rise * y)
        if np.abs(settled - y).max() > 1e-6:
            turn = x[np.abs(settled - y).argmax()]
            raise InputError(
                "the curve runs backwards at {time}; shorten the handles there",
                time=Moment(float(turn)),
            )
        return TimeWarp(x, settled)


def _shortened(handle: FloatArray, width: FloatArray) -> FloatArray:
    reach = np.abs(handle[..., 0])
    scale = np.where(reach > width, width / np.where(reach > 0, reach, 1.0), 1.0)
    out: FloatArray = handle * scale[..., None]
    return out


def _cubic(u: FloatArray, a: FloatArray, b: FloatArray, c: FloatArray, d: FloatArray) -> FloatArray:
    v = 1 - u
    out: FloatArray = v * v * v * a + 3 * v * v * u * b + 3 * v * u * u * c + u * u * u * d
    return out


def fit_bezier(
    warp: TimeWarp, *, tolerance: float = 1e-3, channel: str | None = None
) -> BezierCurve:
    """Fit a warp by the smallest number of Bezier keys within a tolerance.

    Candidate keys are the corners of the warp and 128 or more evenly spaced knots. Handles have the
    slope of the warp, so that the curve is smooth (G1) except at corners; their lengths are fitted.
    A shortest path selects the fewest keys.

    Parameters
    ----------
    warp : TimeWarp
        The warp to fit.
    tolerance : float
        Maximum error in source seconds.
    channel : str, optional
        Channel to fit. Default: the body.
    """
    if not (np.isfinite(tolerance) and tolerance > 0):
        raise InputError(f"the tolerance must be above 0 s, not {tolerance}")
    graph = warp.channel(channel)
    cuts = np.flatnonzero(np.diff(graph.x) == 0)
    parts = np.split(np.arange(len(graph.x)), cuts + 1)
    fitted = [_fit_part(graph.x[p], graph.y[p], tolerance) for p in parts]
    return BezierCurve(*(np.concatenate(side) for side in zip(*fitted, strict=True)))


def _fit_part(
    x: FloatArray, y: FloatArray, tolerance: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Fit a part without cuts; return keys, left and right handles, (K, 2) each."""
    if len(x) == 1:
        point = np.c_[x, y]
        return point, point, point
    before, after, corner = _slopes(x, y, tolerance)
    ends = np.array([0, len(x) - 1])
    found = _fewest(x, y, ends, before, after, tolerance)
    if found is not None:  # two keys are enough, as for a straight line
        return found
    count = _CANDIDATES
    while True:
        even = np.unique(np.linspace(0, len(x) - 1, min(count, len(x))).round().astype(int))
        at = np.unique(np.r_[even, np.flatnonzero(corner)])
        found = _fewest(x, y, at, before, after, tolerance)
        if found is not None:
            return found
        count *= 4  # it ends at the latest when all knots are candidates


def _fewest(
    x: FloatArray,
    y: FloatArray,
    at: npt.NDArray[np.int64],
    before: FloatArray,
    after: FloatArray,
    tolerance: float,
) -> tuple[FloatArray, FloatArray, FloatArray] | None:
    """Select the fewest keys among candidates; return ``None`` if the error is too large."""
    # Check between the knots too, because the warp has straight pieces.
    fine = np.unique(np.r_[np.linspace(x[0], x[-1], max(4 * len(at), 1024)), x])
    value = Graph(x, y).at(fine)
    index = np.searchsorted(fine, x[at])
    n = len(at)
    cost = np.full(n, np.inf)  # number of keys, and a little for the error to break ties
    cost[0] = 0.0
    previous = np.zeros(n, dtype=int)
    reach = np.zeros((n, 2))
    for j in range(1, n):
        misses = 0
        for i in range(j - 1, -1, -1):
            if misses > _PATIENCE:
                break
            if cost[i] + 1 >= cost[j]:
                continue
            part = slice(index[i], index[j] + 1)
            slopes = after[at[i]], before[at[j]]
            *handles, error = _native.timing.fit_bezier_segment(
                fine[part], value[part], *slopes, tolerance, _FITTED_POINTS
            )
            misses = misses + 1 if error > tolerance else 0
            total = cost[i] + 1 + error / tolerance * 1e-4
            if error <= tolerance and total < cost[j]:
                cost[j], previous[j], reach[j] = total, i, handles
    if not np.isfinite(cost[-1]):
        return None
    chosen = [n - 1]
    while chosen[-1] > 0:
        chosen.append(int(previous[chosen[-1]]))
    chosen = chosen[::-1]
    keys = np.c_[x[at[chosen]], y[at[chosen]]]
    left, right = keys.copy(), keys.copy()
    for k, (i, j) in enumerate(itertools.pairwise(chosen)):
        right[k] += reach[j, 0] * np.array([1.0, after[at[i]]])
        left[k + 1] -= reach[j, 1] * np.array([1.0, before[at[j]]])
    return keys, left, right


def _slopes(
    x: FloatArray, y: FloatArray, tolerance: float
) -> tuple[FloatArray, FloatArray, npt.NDArray[np.bool_]]:
    """Return the slopes before and after each knot, which differ at corners, and the corners."""
    slope, gap = np.diff(y) / np.diff(x), np.diff(x)
    before, after = np.r_[slope[0], slope], np.r_[slope, slope[-1]]
    wide = np.maximum(np.r_[gap[0], gap], np.r_[gap, gap[-1]])
    change = np.abs(after - before)
    # A common slope makes each side deviate by up to 4/27 of half the change.
    corner = (change > _CORNER * (np.abs(after) + np.abs(before))) & (change > _CORNER / 2)
    corner |= change * wide * 2 / 27 > tolerance / 2
    corner[[0, -1]] = False
    for k in np.flatnonzero(~corner[1:-1]) + 1:  # slope of the parabola through three knots
        share = gap[k - 1] / (gap[k - 1] + gap[k])
        before[k] = after[k] = (1 - share) * slope[k - 1] + share * slope[k]
    return before, after, corner
