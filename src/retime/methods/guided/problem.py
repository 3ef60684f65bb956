"""The problem of guided warping, and the curve through its solution."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from retime.arrays import FloatArray
from retime.errors import InfeasibleError, InputError
from retime.methods.guided.parameters import Limit, SearchParameters
from retime.methods.guided.pose_curve import PoseCurve
from retime.notes import Note
from retime.sentences import Duration, ParameterName, Span
from retime.times import whole_frames
from retime.timing import TimeWarp
from retime.timing.curves import keytime_warp
from retime.timing.monotone import monotone_cubic

# Default of the lowest mean speed between two keytimes.
SLOWEST = 1e-3

# Frames closer than this to a keytime are replaced by it, frames.
_BESIDE_A_KEYTIME = 0.3


@dataclass(frozen=True, eq=False)
class Problem:
    """A signal, its references, and the request."""

    curve: PoseCurve
    """The input."""
    references: tuple[FloatArray, ...]
    """Reference signals at ``rate``. Shape (R, D) each."""
    domain: tuple[float, float]
    """First and last time of the input, seconds."""
    rate: float
    """Frames per second of the output."""
    p: SearchParameters
    """The request."""
    own: bool = True
    """Whether the reference is the unedited input."""
    tall: float = 1.0
    """Height of the figure, or the size of a signal, in the signal's unit."""
    _splines: dict[float, TimeWarp] = field(default_factory=dict, init=False, repr=False)

    @property
    def length(self) -> float | None:
        """Requested length in seconds; ``None`` if the reference determines it."""
        asked = self.p.duration
        if asked == "free":
            return None
        length = self.domain[1] - self.domain[0] if asked is None else float(asked)
        if not (np.isfinite(length) and length > 0):
            raise InputError("the duration must be above 0, not {length}", length=Duration(length))
        return length

    def frames_of(self, length: float) -> int:
        """Return the number of frames of an output of a length."""
        return max(whole_frames(length, self.rate), 1) + 1

    def spline(self, length: float) -> TimeWarp:
        """Return the spline through the keytimes; raise if they do not increase or are outside."""
        if length not in self._splines:  # a solution asks for it several times
            self._splines[length] = keytime_warp(
                self.domain, duration=length, keytimes=self.p.keytimes, loop=self.p.loop
            )
        return self._splines[length]

    def uniform(self, length: float) -> TimeWarp:
        """Return the warp of a length that plays the whole input at one speed."""
        start, end = self.domain
        return TimeWarp([start, start + length], [start, end])

    def position(self, source: FloatArray) -> FloatArray:
        """Return source times as positions in frames of the input."""
        start, end = self.domain
        out: FloatArray = (source - start) / (end - start) * self.curve.frames
        return out

    def shown(self, warp: TimeWarp, m: int) -> FloatArray:
        """Return the input positions (m,) of a warp at the output frames."""
        return self.position(warp(np.linspace(*warp.domain, m)))

    def pins(self, length: float) -> list[tuple[float, float]]:
        """Return the inner keytimes as (output frame, input frame), in fractions of frames."""
        start, end = self.domain
        m = self.frames_of(length)
        return [
            ((o - start) / length * (m - 1), float(self.position(np.array(s))))
            for o, s in sorted(self.p.keytimes)
            if (o, s) not in ((start, start), (start + length, end))
        ]

    def limits(self) -> list[Limit]:
        """Return all speed limits; those of the whole clip come first."""
        start, end = self.domain
        for first, last, slowest, fastest in self.p.speed_limits:
            if not (first < last and 0 <= slowest <= fastest):
                raise InputError(
                    "the speed limit for {part} is {slowest:g} to {fastest:g} times the source's; "
                    "both ranges must rise, and speeds are 0 or more",
                    part=Span(first, last),
                    slowest=slowest,
                    fastest=fastest,
                )
        whole = (start, end, self.p.min_speed or 0.0, self.p.max_speed)
        return [whole, *self.p.speed_limits]

    def rate_bounds(self, length: float, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the smallest and the largest step, in frames, between positions (m,) of a warp."""
        # Both lengths are rounded to whole frames, so a rate of 1 is not exactly one frame per
        # frame.
        one = length / (len(x) - 1) * self.curve.frames / (self.domain[1] - self.domain[0])
        low, high = np.zeros(len(x) - 1), np.full(len(x) - 1, np.inf)
        for first, last, slowest, fastest in self.limits():
            a, b = self.position(np.array([first, last]))
            inside = (x >= a - 1e-9) & (x <= b + 1e-9)
            limited = inside[1:] | inside[:-1]
            low[limited] = np.maximum(low[limited], slowest * one)
            high[limited] = np.minimum(high[limited], fastest * one)
        return low, high

    def allows(self, warp: TimeWarp, slack: float = 0.02) -> bool:
        """Return whether a warp is within the speed limits."""
        x = self.shown(warp, self.frames_of(warp.duration))
        low, high = self.rate_bounds(warp.duration, x)
        rate = np.diff(x)
        return bool((rate >= (1 - slack) * low).all() and (rate <= (1 + slack) * high).all())

    def frames_drawn(self, x: FloatArray, length: float) -> TimeWarp:
        """Return a smooth curve through the positions (m,) of the output frames."""
        start, end = self.domain
        output = np.linspace(start, start + length, len(x))
        return self.draw(output, start + x * ((end - start) / self.curve.frames))

    def draw(self, output: FloatArray, source: FloatArray) -> TimeWarp:
        """Return a smooth curve through points; ends and keytimes are exact knots."""
        source = source.copy()
        source[0], source[-1] = self.domain
        keep = np.ones(len(output), dtype=bool)
        keys = [(o, s) for o, s in self.p.keytimes if output[0] < o < output[-1]]
        for o, s in keys:
            risen = (output - o) * (source - s) > 0
            keep &= risen & (np.abs(output - o) * self.rate > _BESIDE_A_KEYTIME)
        keep[[0, -1]] = True
        knots = np.array([*zip(output[keep], source[keep], strict=True), *keys])
        knots = knots[np.argsort(knots[:, 0])]
        fine, values = monotone_cubic(knots[:, 0], knots[:, 1], loop=self.p.loop)
        return TimeWarp(fine, self._within_limits(fine, values, knots), loop=self.p.loop)

    def straightened(self, warp: TimeWarp) -> TimeWarp:
        """Straighten a warp between keytimes by as much as its speed exceeds a limit.

        Between two keytimes a straight line has their mean speed: where that is allowed, so is
        what this returns, unless parts of the clip have limits of their own.
        """
        start, end = self.domain
        ends = ((start, start), (start + warp.duration, end))
        knots = np.array(sorted({*ends, *((float(o), float(s)) for o, s in self.p.keytimes)}))
        values = self._within_limits(warp.output, warp.source, knots)
        return TimeWarp(warp.output, values, loop=self.p.loop)

    def _within_limits(self, fine: FloatArray, values: FloatArray, knots: FloatArray) -> FloatArray:
        """Straighten a drawn curve between knots by as much as its speed exceeds a limit."""
        mid = (fine[1:] + fine[:-1]) / 2
        piece = np.searchsorted(knots[:, 0], mid) - 1
        rate = np.diff(values) / np.diff(fine)
        secant = (np.diff(knots[:, 1]) / np.diff(knots[:, 0]))[piece]
        low, high = np.zeros(len(rate)), np.full(len(rate), np.inf)
        for first, last, slowest, fastest in self.limits():
            inside = (values[1:] > first + 1e-9) & (values[:-1] < last - 1e-9)
            low[inside] = np.maximum(low[inside], slowest)
            high[inside] = np.minimum(high[inside], fastest)
        beyond = np.maximum(rate - high, low - rate)
        room = np.maximum(np.abs(rate - secant), 1e-12)
        share = np.zeros(len(knots) - 1)
        np.maximum.at(share, piece, np.clip(beyond / room, 0.0, 1.0))
        straight = np.interp(fine, knots[:, 0], knots[:, 1])
        weight = np.r_[share[piece], 0.0]
        weight[np.isin(fine, knots[:, 0])] = 0.0
        return np.asarray(values + weight * (straight - values))


@dataclass(frozen=True, eq=False)
class Found:
    """A solution, and the cost function for curves of its length."""

    warp: TimeWarp
    """The curve."""
    cost: Callable[[TimeWarp], float]
    """Cost of a delivered warp."""
    known: dict[str, float] = field(default_factory=dict)
    """Known costs: ``guided``, ``spline``."""
    gap: float = 0.0
    """Certified bound on how far the search is from the best, as a fraction."""
    evidence: FloatArray | None = None
    """Source times, and how much the reference resembles the input there, 0 to 1. Shape (n, 2)."""
    notes: tuple[Note, ...] = ()
    """Notes about it."""


def must_keep_speeds(problem: Problem, length: float | None) -> list[tuple[float, float]]:
    """Raise if keytimes need speeds outside the limits; return them with the ends, in order.

    This is the only limit on the keytimes of a clip: all keytimes within it can be solved. The
    studio draws it, so ``tests/data/keytimes.json`` holds for both.
    """
    start, end = problem.domain
    ends = [(start, start)] if length is None else [(start, start), (start + length, end)]
    if length is not None:
        problem.spline(length)  # raises if keytimes do not increase or are outside
    points = sorted({*ends, *((float(o), float(s)) for o, s in problem.p.keytimes)})
    slowest, fastest = problem.p.min_speed or SLOWEST, problem.p.max_speed
    for (o0, s0), (o1, s1) in itertools.pairwise(points):
        if o1 <= o0 or s1 <= s0:
            raise InfeasibleError(
                f"keytime {o1:g}={s1:g} (output s = source s) does not come after {o0:g}={s0:g}; "
                "both times must rise from one keytime to the next"
            )
        need = (s1 - s0) / (o1 - o0)
        part = Span(o0, o1)
        if need > fastest * (1 + 1e-9):
            longer = points[-1][0] - start + (s1 - s0) / fastest - (o1 - o0)
            raise _too_fast(part, need, fastest, longer)
        if need < slowest * (1 - 1e-9):
            shorter = points[-1][0] - start + (s1 - s0) / slowest - (o1 - o0)
            raise _too_slow(part, need, slowest, shorter, limited=bool(problem.p.min_speed))
    return points


def _too_fast(part: Span, need: float, most: float, duration: float) -> InfeasibleError:
    return InfeasibleError(
        "at output {part:.3g} the speed would have to be {need:.3g} times the source's, above "
        "{most:g}; raise {name} to {enough:g}, or choose a duration of {duration:.3g}",
        part=part,
        need=need,
        most=most,
        name=ParameterName("max_speed"),
        enough=np.ceil(10 * need) / 10,
        duration=Duration(duration),
    )


def _too_slow(
    part: Span, need: float, least: float, duration: float, *, limited: bool
) -> InfeasibleError:
    lower = "lower {name} to {enough:g}, or " if limited else ""
    return InfeasibleError(
        "at output {part:.3g} the speed would have to be {need:.3g} times the source's, below "
        f"{{least:g}}; {lower}choose a duration of {{duration:.3g}}",
        part=part,
        need=need,
        least=least,
        name=ParameterName("min_speed"),
        enough=np.floor(100 * need) / 100,
        duration=Duration(duration),
    )


def key_cells(problem: Problem, length: float, per_frame: int, steps: int) -> list[tuple[int, int]]:
    """Round keytimes to whole output frames and cells, including the ends.

    If they cannot be met, the error suggests values that can.
    """
    m, n = problem.frames_of(length), problem.curve.frames * per_frame + 1
    slopes = problem.spline(length)
    keys = [(0, 0)]
    for t, q in problem.pins(length):
        frame = round(t)
        if frame in (0, m - 1) and abs(q - (0 if frame == 0 else problem.curve.frames)) < 0.5:
            continue  # an end, rounded to a frame; the refinement and the curve meet it exactly
        # The search meets a keytime at the nearest frame, moved along the spline's slope.
        rate = float(slopes.rate(problem.domain[0] + t * length / (m - 1)))
        keys.append((frame, round((q + (frame - t) * rate) * per_frame)))
    keys.append((m - 1, n - 1))
    for before, after in itertools.pairwise(keys):
        _must_reach(problem, before, after, per_frame, steps, m)
    return keys


def _must_reach(
    problem: Problem,
    before: tuple[int, int],
    after: tuple[int, int],
    per_frame: int,
    steps: int,
    m: int,
) -> None:
    start, rate = problem.domain[0], problem.rate
    wide, far = after[0] - before[0], after[1] - before[1]
    part = Span(start + before[0] / rate, start + after[0] / rate)
    if wide <= 0 or far <= 0:
        raise InfeasibleError(
            "two keytimes at output {part:.3g} fall on the same frame at {rate:g} fps; move them "
            "apart, or raise the frame rate",
            part=part,
            rate=rate,
        )
    need = far / wide / per_frame
    if far > steps * wide:
        nearest = (m - 1 + int(np.ceil(far / steps)) - wide) / rate
        raise _too_fast(part, need, min(steps / per_frame, problem.p.max_speed), nearest)
    if far < wide:
        nearest = (m - 1 + far - wide) / rate
        raise InfeasibleError(
            "at output {part:.3g} the motion would have to be slower than 1/{parts} of its speed; "
            "choose a duration of {duration:.3g}, or move a keytime",
            part=part,
            parts=per_frame,
            duration=Duration(nearest),
        )


def steepest(points: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Return the largest and the smallest ratio of output to source time between points."""
    pairs = itertools.pairwise(sorted(points))
    ratios = [(o1 - o0) / (s1 - s0) for (o0, s0), (o1, s1) in pairs if s1 > s0]
    return max(ratios, default=1.0), min(ratios, default=1.0)
