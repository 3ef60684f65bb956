"""The classic spline warp: a monotone cubic through keytimes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from retime.keywords import takes
from retime.motion import Motion
from retime.motion.edits import Timing
from retime.parameters import About, Keytimes, LockedSpans, Range, Rates, TimingParameters
from retime.times import Length
from retime.timing import TimeWarp
from retime.timing.curves import keytime_warp


@dataclass(frozen=True, kw_only=True)
class SplineParameters(TimingParameters):
    """Parameters of the spline warp."""

    duration: Annotated[
        Length | None,
        About(
            "Length of the result from its first to its last frame (48f writes 49 frames), or of "
            "the range if one is given.",
            unit="s",
            ends=("", ""),
        ),
    ] = None
    keytimes: Keytimes = ()
    rates: Rates = ()
    locked: LockedSpans = ()


@takes(SplineParameters)
def spline(motion: Motion, p: SplineParameters) -> Timing:
    """Make a smooth warp through keytimes. It uses the length of the clip, not its poses.

    Parameters
    ----------
    motion : Motion
        The clip.

    Examples
    --------
    >>> from retime import samples, spline
    >>> jump = samples.jump()
    >>> warp = spline(jump, duration=3.0, keytimes=[(1.2, 1.0)]).warp
    >>> float(warp(1.2))
    1.0
    """
    return Timing(domain_warp(motion.domain, p))


def domain_warp(domain: Range, p: SplineParameters) -> TimeWarp:
    """Return the warp of a clip, given its first and last time."""
    part = keytime_warp(
        p.range or domain,
        duration=p.duration,
        keytimes=p.keytimes,
        rates=p.rates,
        locked=p.locked,
        loop=p.loop and p.range is None,
    )
    if p.range is None:
        return part
    whole = part.within(domain, p.range, ripple=p.ripple).looped(p.loop)
    return whole.with_notes(*part.notes)
