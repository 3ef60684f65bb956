"""A bundled motion with its known properties."""

from __future__ import annotations

from dataclasses import dataclass

from retime.body.measure.metrics import GRAVITY
from retime.motion import Motion
from retime.motion.contact import Contact
from retime.one_line import one_line
from retime.timing import TimeWarp

__all__ = ["GRAVITY", "Sample"]


@one_line()
@dataclass(frozen=True, eq=False)
class Sample:
    """A motion made by formula, and its ground truth."""

    name: str
    """Its name."""
    motion: Motion
    """The motion."""
    contacts: tuple[Contact, ...] = ()
    """Contacts of toes and hands."""
    flights: tuple[tuple[float, float], ...] = ()
    """When the body is in the air and falls freely, seconds."""
    partner: Motion | None = None
    """The other character."""
    prop: Motion | None = None
    """What they handle; its joint has its name."""
    reference: Motion | None = None
    """The same action in another timing."""
    warp: TimeWarp | None = None
    """The true warp from this motion's time to the reference's."""
