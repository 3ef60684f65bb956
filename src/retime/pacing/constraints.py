"""Constraints: places in time, limits of speed, and time that characters share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from retime.arrays import FloatArray


@dataclass(frozen=True)
class Key:
    """A source time that is shown at an output time: a keytime, or an end."""

    output: float
    source: float


@dataclass(frozen=True)
class Speed:
    """Limits of the playback rate between two source times; equal ones fix it."""

    start: float
    end: float
    slowest: float
    fastest: float


@dataclass(frozen=True)
class Pause:
    """A moment that is held: time stands still there for ``seconds``.

    The moment's own time, of a key or a link, is that at which the pause begins. In a shared span
    it is held by all members.
    """

    source: float
    seconds: float


def locked(start: float, end: float) -> Speed:
    """Return the constraint of a span that plays at its recorded speed."""
    return Speed(start, end, 1.0, 1.0)


@dataclass(frozen=True, eq=False)
class Beside:
    """Limits of the slowness over source time, as of a curve beside which another must stay.

    Where both are equal, the slowness is fixed.
    """

    low: Callable[[FloatArray], FloatArray]
    high: Callable[[FloatArray], FloatArray]


@dataclass(frozen=True)
class Shared:
    """A span of source time that all of ``members`` show at the same output times."""

    start: float
    end: float
    members: tuple[int, ...]


@dataclass(frozen=True)
class Link:
    """The output time from a moment of one character to a moment of another, or of the same."""

    first: int
    first_source: float
    second: int
    second_source: float
    seconds: float
