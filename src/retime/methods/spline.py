"""The classic spline warp: a monotone cubic through keytimes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from retime.motion import Motion
from retime.parameters import Range, TimingParameters, coerce, parameter
from retime.timing import TimeWarp
from retime.timing.curves import keytime_warp

__all__ = ["SplineParameters", "spline_warp"]


@dataclass(frozen=True, kw_only=True)
class SplineParameters(TimingParameters):
    """Parameters of the spline warp."""

    duration: float | None = parameter(
        None, help="Length of the result; of the range, where one is given.", unit="s"
    )
    keytimes: tuple[tuple[float, float], ...] = parameter(
        (),
        help="Show the source's moment SRC at output time OUT; repeatable.",
        unit="s",
        flag="--keytime",
        metavar="OUT=SRC",
    )
    rates: tuple[tuple[float, float], ...] = parameter(
        (),
        help="Let time run at RATE at the keytime that shows the moment SRC; repeatable.",
        flag="--rate",
        metavar="SRC=RATE",
    )


def spline_warp(
    motion: Motion,
    *,
    duration: float | None = None,
    keytimes: Sequence[tuple[float, float]] = (),
    rates: Sequence[tuple[float, float]] = (),
    range: Range | None = None,
    rest: Literal["fixed", "ripple"] = "fixed",
    loop: bool = False,
) -> TimeWarp:
    """Make a smooth warp through keytimes: no motion is looked at, only its length.

    Parameters
    ----------
    motion : Motion
        The clip.
    duration : float, optional
        Length of the result in seconds; of the range, where one is given.
    keytimes : sequence of (output s, source s)
        Moments that must be met.
    rates : sequence of (source s, rate)
        Tangents: the speed of time at keytimes and ends, by their source time.
    range : (float, float), optional
        Change only this part of the clip, in seconds.
    rest : {"fixed", "ripple"}
        What follows the range stays where it is, or moves with the range's end.
    loop : bool
        The clip is a cycle: the rate agrees at the seam.

    Examples
    --------
    >>> from retime import samples, spline_warp
    >>> jump = samples.jump()
    >>> warp = spline_warp(jump, duration=3.0, keytimes=[(1.2, 1.0)])
    >>> float(warp(1.2))
    1.0
    """
    duration = coerce(duration, float | None, "duration")
    keytimes = coerce(keytimes, tuple[tuple[float, float], ...], "keytimes")
    rates = coerce(rates, tuple[tuple[float, float], ...], "rates")
    range = coerce(range, Range | None, "range")
    if range is None:
        return keytime_warp(
            motion.domain, duration=duration, keytimes=keytimes, rates=rates, loop=loop
        )
    part = keytime_warp(range, duration=duration, keytimes=keytimes, rates=rates)
    whole = part.within(motion.domain, range, rest).looped(loop)
    return whole.with_notes(*part.notes)
