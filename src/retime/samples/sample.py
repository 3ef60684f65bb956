"""A bundled motion with what is true of it."""

from __future__ import annotations

from dataclasses import dataclass

from retime.body.metrics import GRAVITY
from retime.motion import Motion
from retime.motion.contact import Contact
from retime.one_line import one_line
from retime.timing import TimeWarp

__all__ = ["GRAVITY", "Sample"]


@one_line()
@dataclass(frozen=True, eq=False)
class Sample:
    """A motion made by formula, and its truth.

    Parameters
    ----------
    name : str
        Its name.
    motion : Motion
        The motion.
    contacts : tuple of Contact
        When toes stand, and hands touch.
    flights : tuple of (float, float)
        When the body is in the air and falls freely, seconds.
    partner : Motion, optional
        The other character.
    reference : Motion, optional
        The same action in another timing.
    warp : TimeWarp, optional
        The true warp from this motion's time to the reference's.
    """

    name: str
    motion: Motion
    contacts: tuple[Contact, ...] = ()
    flights: tuple[tuple[float, float], ...] = ()
    partner: Motion | None = None
    reference: Motion | None = None
    warp: TimeWarp | None = None
