"""Requests that are too short for the body: how far, and what would be possible."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from retime.arrays import FloatArray
from retime.methods.physics.search.durations import clock_of
from retime.methods.physics.search.request import Leg, Pairs, Request
from retime.notes import Note, Remedy
from retime.sentences import Duration, Moment

if TYPE_CHECKING:
    from retime.methods.physics.capable import CapableBody

# Shortest length that is solved anyway, relative to the shortest feasible one: strength, friction
# and noise are estimated, and half the length of a jump is often up to 13 % below it.
BELOW = 0.85
# Length that is offered, relative to the shortest: at this one no frame is beyond its limits.
_OFFERED = 1.01
# Relative tolerance of durations.
_ROUNDING = 1e-6


@dataclass(frozen=True)
class Shortfall:
    """A part of a request that is too short.

    Parameters
    ----------
    leg : Leg
        The part, between two keytimes.
    least : float
        Its shortest feasible duration, seconds.
    whole : bool
        Whether it is the whole clip.
    last : bool
        Whether it ends with the clip.
    begin : float
        First time of the result, seconds.
    step : float
        Seconds of a frame: results last whole frames.
    """

    leg: Leg
    least: float
    whole: bool
    last: bool
    begin: float
    step: float

    @property
    def share(self) -> float:
        """The requested duration relative to the shortest."""
        return self.leg.seconds / self.least

    @property
    def note(self) -> Note:
        """Return what is too short as a sentence, with a feasible value."""
        asked, least = Duration(self.leg.seconds), Duration(self.least)
        enough = self.leg.first[0] + up(_OFFERED * self.least, self.step)
        fact = "{asked:.3g} is shorter than the shortest feasible duration, {least:.3g}"
        if not self.whole:
            fact = "from {start:.3g} to {end:.3g} of the source, " + fact
        if self.last:
            length = up(enough - self.begin, self.step)
            remedy = Remedy("use the shortest", parameter="duration", value=length)
        else:
            remedy = Remedy(
                "show {source:.3f} at {when:.3f} or later", parameter="keytimes",
                source=Moment(self.leg.past[1]), when=Moment(enough),
            )  # fmt: skip
        return Note(
            fact, remedy, code="shorter-than-possible", asked=asked, least=least,
            share=self.share, start=Moment(self.leg.first[1]), end=Moment(self.leg.past[1]),
        )  # fmt: skip


def up(seconds: float, step: float) -> float:
    """Round up to whole frames, and then to milliseconds."""
    return float(np.ceil(1e3 * step * np.ceil(seconds / step - 1e-6) - 1e-6)) / 1e3


def down(seconds: float, step: float) -> float:
    """Round down to whole frames, and then to milliseconds."""
    return float(np.floor(1e3 * step * np.floor(seconds / step + 1e-6) + 1e-6)) / 1e3


def _clock(model: CapableBody, rates: Pairs, most_change: float | None) -> FloatArray | None:
    """Return the least output time of each frame, or ``None`` if no timing is feasible.

    Given speeds and the bound of their change are kept where that is possible.
    """
    fastest = model.extremes_with(rates, most_change).fastest
    if fastest is None:
        fastest = model.extremes.fastest
    return None if fastest is None else clock_of(fastest, model.times)


def shortfall_of(
    model: CapableBody, request: Request, most_change: float | None
) -> Shortfall | None:
    """Return the part of a request that is shortest relative to what is feasible, if any is.

    The fastest feasible timing is the fastest at every frame, so its times bound those of all
    parts.
    """
    clock = _clock(model, request.fixed, most_change)
    if clock is None:
        return None
    worst: Shortfall | None = None
    for leg in request.legs:
        first, past = np.interp([leg.first[1], leg.past[1]], model.times, clock)
        whole = len(request.all_legs) == 1
        last = leg == request.all_legs[-1]
        found = Shortfall(leg, float(past - first), whole, last, request.begin, model.step)
        short = leg.seconds < found.least * (1 - _ROUNDING)
        if short and (worst is None or found.share < worst.share):
            worst = found
    return worst
