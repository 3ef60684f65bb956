"""A request of guided warping as a problem of pacing; a sentence where it cannot be met."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from retime.arrays import FloatArray
from retime.errors import InfeasibleError, InputError
from retime.methods.guided.parameters import MOST_SPEED, WarpParameters
from retime.notes import Note
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
from retime.pacing.moments import Moments, Placed, Stretch
from retime.pacing.problem import CELL_S
from retime.pacing.terms import Term
from retime.sentences import Duration, Moment, ParameterName, Span
from retime.timing import TimeWarp
from retime.timing.curves import keytime_warp

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
    """

    span: tuple[float, float]
    p: WarpParameters
    seams: Sequence[float] = ()

    @property
    def length(self) -> float | None:
        """Requested length in seconds; ``None`` if it is free."""
        asked = self.p.duration
        if asked == "free":
            return None
        length = self.span[1] - self.span[0] if asked is None else float(asked)
        if not (np.isfinite(length) and length > 0):
            raise InputError("the duration must be above 0, not {length}", length=Duration(length))
        return length

    def spline(self, length: float, *, locked: bool = False) -> TimeWarp:
        """Return the spline through the keytimes; raise if they do not rise or are outside."""
        return keytime_warp(
            self.span,
            duration=length,
            keytimes=self.p.keytimes,
            locked=self.p.locked if locked else (),
            loop=self.p.loop,
        )

    def warp(self, terms: tuple[Term, ...]) -> TimeWarp:
        """Return the warp that is best by an objective and meets the request."""
        problem = self._problem(terms)
        try:
            output, source = solve(problem).curves[0]
        except Contradiction as contradiction:
            raise self._refused(problem, contradiction) from None
        return TimeWarp(output, source, loop=self.p.loop)

    def must_be_possible(self) -> None:
        """Raise a sentence if the conditions contradict each other."""
        problem = self._problem(())
        try:
            Moments(problem)
        except Contradiction as contradiction:
            raise self._refused(problem, contradiction) from None

    def _problem(self, terms: tuple[Term, ...]) -> Problem:
        shortest = 2 * CELL_S * (len(self.seams) + 1)
        if self.seams and self.span[1] - self.span[0] < shortest:
            raise InputError(
                "the range {part:.4g} is too short: its ends go on at the recorded speed, so only "
                "ranges of {least:.3f} or more can change theirs",
                part=Span(*self.span),
                least=Duration(shortest),
            )
        start, length = self.span[0], self.length
        if length is not None:
            self.spline(length)  # raises a sentence about keytimes out of order or place
        return Problem(
            (self.character(terms, (start, None if length is None else start + length)),)
        )

    def character(
        self, terms: tuple[Term, ...], ends: tuple[float | None, float | None], name: str = ""
    ) -> Character:
        """Return the character of this request; ``ends`` are output times, ``None`` if free."""
        return Character(self.span, terms, self._keys(ends), self._speeds(), self.p.loop, name)

    def _keys(self, ends: tuple[float | None, float | None]) -> tuple[Key, ...]:
        end = self.span[1]
        points = {(float(o), float(s)) for o, s in self.p.keytimes}
        points |= {(o, s) for o, s in zip(ends, self.span, strict=True) if o is not None}
        ordered = sorted(points)
        for (o0, s0), (o1, s1) in itertools.pairwise(ordered):
            if o1 <= o0 or s1 <= s0:
                raise InfeasibleError(
                    f"keytime {o1:g}={s1:g} (output s = source s) does not come after "
                    f"{o0:g}={s0:g}; both times must rise from one keytime to the next"
                )
        if ordered and ordered[-1][1] > end + 1e-9:
            o, s = ordered[-1]
            raise InputError(
                f"keytime {o:g}={s:g}: the clip has no {{source}}; it ends at {{end}}",
                source=Moment(s),
                end=Moment(end),
            )
        return tuple(Key(o, s) for o, s in ordered)

    def _speeds(self) -> tuple[Speed, ...]:
        p, (start, end) = self.p, self.span
        speeds = [Speed(start, end, p.min_speed or SLOWEST, p.max_speed)]
        for a, b, slowest, fastest in p.speed_limits:
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

    def _refused(self, problem: Problem, contradiction: Contradiction) -> InfeasibleError:
        """Say what contradicts what, and what would be possible."""
        error = refusal(problem, contradiction)
        keys = sorted((f.key for f in contradiction.facts if isinstance(f, Placed)),
                      key=lambda k: k.source)  # fmt: skip
        p, stretches = self.p, [f for f in contradiction.facts if isinstance(f, Stretch)]
        if p.speed_limits or p.locked or p.rates or self.seams or len(stretches) != 1:
            return error
        if len(keys) != 2:
            return error
        # Two keytimes alone exceed the limits of the clip.
        (o0, s0), (o1, s1) = ((k.output, k.source) for k in keys)
        fast = stretches[0].least
        limit = p.max_speed if fast else p.min_speed or SLOWEST
        need, by = (s1 - s0) / (o1 - o0), "raise" if fast else "lower"
        told = error.args[0]
        enough = np.ceil(10 * need) / 10 if fast else np.floor(100 * need) / 100
        possible = enough <= MOST_SPEED if fast else p.min_speed
        ways = [f"{by} {{name}} to {{enough:g}}"] if possible else []
        ways += ["{other}"] if isinstance(told, Note) and told.remedy else []
        return InfeasibleError(
            "at output {part:.6g} the speed would have to be {need:.3g} times the source's, "
            f"{'above' if fast else 'below'} {{limit:g}}; {', or '.join(ways)}",
            part=Span(o0, o1),
            need=need,
            limit=limit,
            name=ParameterName("max_speed" if fast else "min_speed"),
            enough=enough,
            other=told.remedy.words if isinstance(told, Note) and told.remedy else "",
        )


def rates_between(warp: TimeWarp, spans: Sequence[tuple[float, float]]) -> FloatArray:
    """Return the mean rate of a warp over each span of source time (N,)."""
    ends = np.asarray(spans, dtype=float).reshape(-1, 2)
    output: FloatArray = np.diff(warp.inverse(ends), axis=1)[:, 0]
    return np.asarray((ends[:, 1] - ends[:, 0]) / np.maximum(output, 1e-12))
