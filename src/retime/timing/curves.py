"""Curves: monotone splines through keytimes, and conversion from and to Bezier F-curves."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray, ReadOnlyArrays, read_only
from retime.errors import InputError
from retime.notes import Note
from retime.one_line import one_line
from retime.timing.graph import Graph
from retime.timing.warp import TimeWarp

# Smooth results are sampled this finely, in seconds, or finer.
SPACING = 1 / 120
# A fit may place its keys on this many points of a curve, besides its corners.
_CANDIDATES = 128
_FITTED_POINTS = 24
# A segment that fails this many times while it grows is not tried longer.
_PATIENCE = 24
# A change of slope beyond this, as a share of the slopes, is a corner and not a bend.
_CORNER = 0.1
# A rate belongs to the keytime whose source time it names, to so many seconds.
_SAME_MOMENT = 1e-6


def keytime_warp(
    domain: tuple[float, float],
    *,
    duration: float | None = None,
    keytimes: Iterable[tuple[float, float]] = (),
    rates: Iterable[tuple[float, float]] = (),
    loop: bool = False,
) -> TimeWarp:
    """Make the classic spline warp: a monotone cubic through the ends and the keytimes.

    Parameters
    ----------
    domain : (float, float)
        The source's first and last time; the output starts at the first.
    duration : float, optional
        Length of the output in seconds; the source's if not given.
    keytimes : iterable of (output s, source s)
        Moments that must be met; both times rise from one to the next.
    rates : iterable of (source s, rate)
        Tangents: the playback speed at a keytime or an end, by its source time.
    loop : bool
        The clip is a cycle: the rate agrees at the seam.
    """
    start, end = domain
    if start == end:
        raise InputError(
            "the clip is a single pose of one frame: it has no timing to change; a clip needs two "
            "frames or more"
        )
    if not start < end:
        raise InputError(
            f"there is no time between {start:g} and {end:g} s to change; a range runs from its "
            "earlier to its later end"
        )
    stop = end if duration is None else start + duration
    duration = stop - start
    if not (np.isfinite(duration) and duration > 0):
        raise InputError(f"the duration must be above 0 s, not {duration:g} s")
    last = (stop, end)
    keys = sorted((float(o), float(s)) for o, s in keytimes)
    keys = [k for k in keys if k not in ((start, start), last)]
    points = [(start, start), *keys, last]
    for output, moment in keys:
        for what, time, upto in (("source", moment, end), ("output", output, stop)):
            if not start <= time <= upto:
                raise InputError(
                    f"keytime {output:g}={moment:g}: the {what} runs from {start:g} to {upto:g} s, "
                    f"and {time:g} s is not in it"
                )
    _must_rise(points)
    x, y = np.array(points).T
    slopes, notes = _tangents(x, y, rates)
    return TimeWarp(*monotone_cubic(x, y, loop=loop, slopes=slopes), loop=loop, notes=notes)


def _must_rise(points: list[tuple[float, float]]) -> None:
    for (o0, s0), (o1, s1) in itertools.pairwise(points):
        if not np.isfinite([o1, s1]).all():
            raise InputError(f"keytime {o1}={s1} is not finite")
        if o1 <= o0 or s1 <= s0:
            raise InputError(
                f"keytime {o1:g}={s1:g} (output s = source s) does not come after {o0:g}={s0:g}; "
                "both times must rise from one keytime to the next"
            )


def _tangents(
    x: FloatArray, y: FloatArray, rates: Iterable[tuple[float, float]]
) -> tuple[dict[int, float], list[Note]]:
    """Find the keys that rates are for, and limit those beside which time would run backwards."""
    slopes, notes = {}, []
    secants = np.diff(y) / np.diff(x)
    for moment, rate in rates:
        key = int(np.abs(y - moment).argmin())
        if abs(y[key] - moment) > _SAME_MOMENT:
            raise InputError(
                f"rate {moment:g}={rate:g}: there is no keytime that shows {moment:g} s; set one "
                "there, or take the rate away"
            )
        if not (np.isfinite(rate) and rate >= 0):
            raise InputError(f"rate {moment:g}={rate:g}: a rate is 0 or more")
        # Three times the smaller of the chords beside it keeps a cubic rising.
        most = 3 * float(secants[max(key - 1, 0) : key + 1].min())
        if rate > most:
            notes.append(
                Note(
                    f"the rate at {moment:g} s is {most:.3g}, not {rate:g}: beside it time would "
                    "run backwards",
                    code="rate-limited",
                    time=moment,
                    asked=rate,
                    rate=most,
                )
            )
        slopes[key] = min(rate, most)
    return slopes, notes


def monotone_cubic(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    loop: bool = False,
    spacing: float = SPACING,
    slopes: Mapping[int, float] | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Sample a monotone cubic (Fritsch and Carlson's) through points, every point a knot.

    With ``loop`` the points are one cycle, and the slope agrees at the seam. ``slopes`` are those
    that are given, by point.
    """
    from scipy.interpolate import CubicHermiteSpline, PchipInterpolator

    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if (x[-1] - x[0]) / spacing > 4_000_000:
        raise InputError(f"{x[-1] - x[0]:g} s are too long for a spline sampled at {spacing:g} s")
    pieces = np.maximum(np.ceil(np.diff(x) / spacing).astype(int), 1)
    base = np.repeat(np.arange(len(pieces)), pieces)
    step = np.arange(len(base)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    fine = np.r_[x[base] + step / pieces[base] * np.diff(x)[base], x[-1]]
    if loop:
        period, gain = x[-1] - x[0], y[-1] - y[0]
        around_x = np.r_[x[:-1] - period, x, x[1:] + period]
        around_y = np.r_[y[:-1] - gain, y, y[1:] + gain]
        curve = PchipInterpolator(around_x, around_y)
    else:
        curve = PchipInterpolator(x, y)
    if slopes:
        own = curve.derivative()(x)
        for point, slope in slopes.items():
            own[point] = slope
            if loop and point in (0, len(x) - 1):  # the seam is one point
                own[[0, -1]] = slope
        curve = CubicHermiteSpline(x, y, own)
    values = curve(fine)
    values[np.r_[0, np.cumsum(pieces)]] = y  # keyed instants are exact
    return fine, np.maximum.accumulate(values)


@one_line()
@dataclass(frozen=True, eq=False)
class BezierCurve(ReadOnlyArrays):
    """An F-curve of a graph editor: keys with a handle on either side.

    Parameters
    ----------
    keys : array (K, 2)
        Output and source time of each key, output times not falling; two keys at one output time
        are a cut.
    left, right : array (K, 2)
        The handles, as points. A handle that reaches past the neighbouring key is shortened
        along its direction, as graph editors do, so that the curve stays a function.
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
        """Make a smooth (G1) curve: handles a third of the way, in line with a slope per key."""
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
        """Evaluate at output times; beyond the keys the end values hold."""
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
        for _ in range(60):  # bisection: the handles keep x monotone, and it cannot fail
            u = (low + high) / 2
            before = _cubic(u, p0[..., 0], p1[..., 0], p2[..., 0], p3[..., 0]) < t
            low, high = np.where(before, u, low), np.where(before, high, u)
        u = (low + high) / 2
        value = _cubic(u, p0[..., 1], p1[..., 1], p2[..., 1], p3[..., 1])
        value = np.where(t <= p0[..., 0], p0[..., 1], np.where(t >= p3[..., 0], p3[..., 1], value))
        out: FloatArray = value
        return out

    def to_warp(self, spacing: float = SPACING) -> TimeWarp:
        """Sample the curve as a warp; a curve that turns back is an ``InputError``."""
        xs, ys = [], []
        for a, b in zip(self.keys[:-1], self.keys[1:], strict=True):
            n = max(int(np.ceil((b[0] - a[0]) / spacing)), 1) if b[0] > a[0] else 0
            inner = np.linspace(a[0], b[0], n + 1)[1:-1] if n else np.empty(0)
            xs += [a[:1], inner]
            ys += [a[1:], self.at(inner)]
        x, y = np.concatenate([*xs, self.keys[-1:, 0]]), np.concatenate([*ys, self.keys[-1:, 1]])
        rise = np.sign(y[-1] - y[0]) or 1.0
        settled = rise * np.maximum.accumulate(rise * y)
        if np.abs(settled - y).max() > 1e-6:
            turn = x[np.abs(settled - y).argmax()]
            raise InputError(f"the curve turns back at {turn:g} s; shorten the handles there")
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
    """Find the smallest number of Bezier keys within a tolerance of a warp.

    Keys are on the warp: at its corners and at evenly spaced knots, 128 of them or more where
    those do not suffice. Handles are along the warp's slope, so that joins are G1 except at
    corners; their lengths are fitted. Among these the result has the fewest keys, found by a
    shortest path.

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
    """Fit one stretch without cuts: keys, left and right handles, (K, 2) each."""
    if len(x) == 1:
        point = np.c_[x, y]
        return point, point, point
    before, after, corner = _slopes(x, y, tolerance)
    ends = np.array([0, len(x) - 1])
    found = _fewest(x, y, ends, before, after, tolerance)
    if found is not None:  # two keys do, as for a straight line, however long
        return found
    count = _CANDIDATES
    while True:
        even = np.unique(np.linspace(0, len(x) - 1, min(count, len(x))).round().astype(int))
        at = np.unique(np.r_[even, np.flatnonzero(corner)])
        found = _fewest(x, y, at, before, after, tolerance)
        if found is not None:
            return found
        count *= 4  # with every knot, neighbours fit: the search ends


def _fewest(
    x: FloatArray,
    y: FloatArray,
    at: npt.NDArray[np.int64],
    before: FloatArray,
    after: FloatArray,
    tolerance: float,
) -> tuple[FloatArray, FloatArray, FloatArray] | None:
    """Find the fewest keys among candidates; ``None`` where no choice is within the tolerance."""
    from retime.timing.kernels import bezier_error, fit_bezier_segment

    # Judge between the knots too: a straight piece of the warp must be met all along.
    fine = np.unique(np.r_[np.linspace(x[0], x[-1], max(4 * len(at), 1024)), x])
    value = Graph(x, y).at(fine)
    index = np.searchsorted(fine, x[at])
    n = len(at)
    cost = np.full(n, np.inf)  # keys used, and a little for the error as the tie-break
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
            a, b = index[i], index[j]
            # Fitted on a few points, judged on all.
            few = np.unique(np.linspace(a, b, min(b - a + 1, _FITTED_POINTS)).astype(int))
            slopes = after[at[i]], before[at[j]]
            *handles, error = fit_bezier_segment(fine[few], value[few], *slopes, tolerance)
            if error <= tolerance:
                error = bezier_error(fine[a : b + 1], value[a : b + 1], *slopes, *handles)
            if error > tolerance:
                misses += 1
                continue
            misses = 0
            total = cost[i] + 1 + error / tolerance * 1e-4
            if total < cost[j]:
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
    """Slopes before and after each knot, equal where the warp bends; and where it has corners."""
    slope, gap = np.diff(y) / np.diff(x), np.diff(x)
    before, after = np.r_[slope[0], slope], np.r_[slope, slope[-1]]
    wide = np.maximum(np.r_[gap[0], gap], np.r_[gap, gap[-1]])
    change = np.abs(after - before)
    # A common slope bulges each side by up to 4/27 of half the change; a corner is what shows it.
    corner = (change > _CORNER * (np.abs(after) + np.abs(before))) & (change > _CORNER / 2)
    corner |= change * wide * 2 / 27 > tolerance / 2
    corner[[0, -1]] = False
    for k in np.flatnonzero(~corner[1:-1]) + 1:  # a parabola's slope in the middle of three knots
        share = gap[k - 1] / (gap[k - 1] + gap[k])
        before[k] = after[k] = (1 - share) * slope[k - 1] + share * slope[k]
    return before, after, corner
