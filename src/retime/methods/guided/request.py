"""A request of guided warping as a problem of pacing; a sentence where it cannot be met."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from retime.arrays import FloatArray
from retime.errors import InfeasibleError, InputError
from retime.methods.guided.parameters import WarpParameters
from retime.pacing import (
    Character,
    Contradiction,
    Key,
    Problem,
    Speed,
    locked_spans,
    refusal,
    solve,
)
from retime.pacing.moments import Moments
from retime.pacing.problem import CELL_S
from retime.pacing.terms import Term
from retime.sentences import Duration, Moment, ParameterName, Span
from retime.timing import TimeWarp
from retime.timing.curves import keytime_points, keytime_warp

# Lowest mean speed between two keytimes where no other is asked for.
SLOWEST = 1e-3


@dataclass(frozen=True, eq=False)
class Request:
    """A stretch of source time, and the conditions of its timing.

    Parameters
    ----------
    span : (float, float)
        First and last source time of what is retimed.
    p : WarpParameters
        The parameters.
    seams : sequence of float
        The ends of the span that continue at the recorded speed.
    step : float
        Seconds of a frame, in which lengths are suggested.
    """

    span: tuple[float, float]
    p: WarpParameters
    seams: Sequence[float] = ()
    step: float = 1e-3

    @property
    def length(self) -> float | None:
        """Requested length in seconds; ``None`` if it is free."""
        asked = self.p.duration
        if asked == "free":
            return None
        return self.span[1] - self.span[0] if asked is None else float(asked)

    @property
    def _turn(self) -> float:
        """Sum of an output time backwards and the same moment's output time forwards."""
        (start, end), length = self.span, self.length
        return start + (end if length is None else start + length)

    def keytimes(self, length: float) -> list[tuple[float, float]]:
        """Return the keytimes of the clip played forwards."""
        if not self.p.backwards:
            return list(self.p.keytimes)
        return [(2 * self.span[0] + length - o, s) for o, s in self.p.keytimes]

    def spline(self, length: float, *, locked: bool = False) -> TimeWarp:
        """Return the spline through the keytimes; raise if they do not rise or are outside."""
        return keytime_warp(
            self.span,
            duration=length,
            keytimes=self.keytimes(length),
            locked=self.p.locked if locked else (),
            loop=self.p.loop,
        )

    def warp(self, terms: tuple[Term, ...]) -> TimeWarp:
        """Return the warp that is best by an objective and meets the request."""
        problem = self._problem(terms)
        try:
            output, source = solve(problem).curves[0]
        except Contradiction as contradiction:
            raise self._refusal(problem, contradiction) from None
        return TimeWarp(output - output[0] + self.span[0], source, loop=self.p.loop)

    def must_be_possible(self) -> None:
        """Raise a sentence if the conditions contradict each other."""
        problem = self._problem(())
        try:
            Moments(problem)
        except Contradiction as contradiction:
            raise self._refusal(problem, contradiction) from None

    def _problem(self, terms: tuple[Term, ...]) -> Problem:
        shortest = 2 * CELL_S * (len(self.seams) + 1)
        if self.seams and self.span[1] - self.span[0] < shortest:
            raise InputError(
                "the range {part:.4g} is too short: its ends go on at the recorded speed, so only "
                "ranges of {least:.3f} or more can change theirs",
                part=Span(*self.span),
                least=Duration(shortest),
            )
        (start, end), p = self.span, self.p
        stop = None if self.length is None else start + self.length
        if p.backwards:
            # Forwards, outputs count from the end; if that is free, from the source's.
            points = keytime_points(self.span, stop, [(o, start + end - s) for o, s in p.keytimes])
            points = [(self._turn - o, start + end - s) for o, s in reversed(points)]
        else:
            points = keytime_points(self.span, stop, p.keytimes)
        keys = tuple(Key(o, s) for o, s in points)
        return Problem((self.character(terms, keys),))

    def character(self, terms: tuple[Term, ...], keys: tuple[Key, ...]) -> Character:
        """Return the character of this request, with keys of the source forwards."""
        return Character(self.span, terms, keys, self._speeds(), self.p.loop)

    def _refusal(self, problem: Problem, contradiction: Contradiction) -> InfeasibleError:
        return refusal(problem, contradiction, self.step, self._turn if self.p.backwards else None)

    def _speeds(self) -> tuple[Speed, ...]:
        p, (start, end) = self.p, self.span
        if p.min_speed and p.min_speed > p.max_speed:
            raise InputError(
                "{name} is {slowest:g} and {other} {fastest:g}; choose a {name} of {fastest:g} or "
                "less",
                name=ParameterName("min_speed"),
                other=ParameterName("max_speed"),
                slowest=p.min_speed,
                fastest=p.max_speed,
            )
        speeds = [Speed(start, end, p.min_speed or SLOWEST, p.max_speed)]
        for a, b, slowest, fastest in p.speed_limits:
            if not (start < b and a < end):
                raise InputError(
                    "the speed limit for {part} is outside {clip}",
                    part=Span(a, b),
                    clip=Span(start, end),
                )
            if not (a < b and 0 <= slowest <= fastest and fastest > 0):
                raise InputError(
                    "the speed limit for {part} is {slowest:g} to {fastest:g} times the source's; "
                    "both ranges must rise, and speeds are 0 or more",
                    part=Span(a, b),
                    slowest=slowest,
                    fastest=fastest,
                )
            speeds.append(Speed(max(a, start), min(b, end), slowest, fastest))
        speeds += locked_spans(p.locked, self.span)
        for moment, rate in (*p.rates, *((seam, 1.0) for seam in self.seams)):
            speeds.append(self._rate(moment, rate))
        return tuple(s for s in speeds if s.end - s.start > 1e-9)

    def _rate(self, moment: float, rate: float) -> Speed:
        start, end = self.span
        if not start - 1e-9 <= moment <= end + 1e-9:
            raise InputError(
                "rate {moment:g}={rate:g}: {time} is not in {clip}",
                moment=moment,
                rate=rate,
                time=Moment(moment),
                clip=Span(start, end),
            )
        if not (np.isfinite(rate) and rate >= SLOWEST):
            raise InputError(f"rate {moment:g}={rate:g}: a rate is {SLOWEST:g} or more")
        return Speed(max(moment - CELL_S, start), min(moment + CELL_S, end), rate, rate)


def rates_between(warp: TimeWarp, spans: Sequence[tuple[float, float]]) -> FloatArray:
    """Return the mean rate of a warp over each span of source time (N,)."""
    ends = np.asarray(spans, dtype=float).reshape(-1, 2)
    output: FloatArray = np.diff(warp.inverse(ends), axis=1)[:, 0]
    return np.asarray((ends[:, 1] - ends[:, 0]) / np.maximum(output, 1e-12))
