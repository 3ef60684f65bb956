"""Times as people write them: seconds, minutes, frames of a clip and percentages of it.

Seconds and minutes are numbers at once. Frames and percentages need a clip: they are kept as
:class:`ClipTime` until a :class:`Clock` turns them into seconds.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from retime.errors import InputError

Kind = Literal["length", "output", "source", "reference"]
_NUMBER = r"[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:e[+-]?\d++)?"
_WITH_UNIT = re.compile(rf"({_NUMBER})\s*+(s|sec|f|fr|frames?|%)?", re.IGNORECASE)
_CLOCK = re.compile(r"([+-]?)(?:(\d+):)?(\d+):(\d+(?:\.\d*)?)")
# No text of a time is longer; a longer one is not looked at.
_LONGEST = 60


@dataclass(frozen=True)
class TimeKind:
    """Kind of a declared time: it determines how frames and percentages are counted."""

    kind: Kind


# A length of time; frames are those of the output, percentages are of the input's length.
Length = Annotated[float, TimeKind("length")]
# A moment of the output, of the input, and of a reference clip; frame 0 is the first.
OutputTime = Annotated[float, TimeKind("output")]
SourceTime = Annotated[float, TimeKind("source")]
ReferenceTime = Annotated[float, TimeKind("reference")]


@dataclass(frozen=True)
class ClipTime:
    """A time in frames or percent, which becomes seconds when the clip is known."""

    amount: float
    """Number of frames, or percent."""
    unit: Literal["f", "%"]
    """Which of the two."""
    kind: Kind = "length"
    """What it is a time of."""

    def __str__(self) -> str:
        return f"{self.amount:.15g}{self.unit}"

    def __repr__(self) -> str:
        return repr(str(self))

    def to_document(self) -> str:
        """Return the time as JSON holds it: as it is written."""
        return str(self)


@dataclass(frozen=True)
class Clock:
    """Reference for frames and percentages."""

    domain: tuple[float, float]
    """First and last time of the input, seconds."""
    rate: float | None = None
    """Frame rate of the input, if it is known."""
    output_rate: float | None = None
    """Frame rate of the output; the input's if none is given."""
    length: float | None = None
    """Length that a percentage of a length is of; the input's if none is given."""
    output_length: float | Literal["free"] | None = None
    """Length of the output, for percentages of it; the input's if none is given."""
    of_reference: bool = False
    """Whether the clip is a reference, and not what is retimed."""
    first_frame: int = 0
    """Number of the first frame, where a host does not count from 0."""

    @classmethod
    def of(cls, clip: Any, fps: float | None = None, *, of_reference: bool = False) -> Clock:
        """Return the clock of a motion, whose output has a frame rate."""
        return cls(clip.domain, clip.rate, fps, of_reference=of_reference)

    def counts(self, time: ClipTime) -> bool:
        """Return whether a time is one of this clip: a reference's is its own."""
        return (time.kind == "reference") == self.of_reference

    def seconds(self, time: ClipTime, name: str) -> float:
        """Turn a time into seconds; ``name`` is the parameter's, for errors."""
        start, end = self.domain
        if time.unit == "f":
            of_input = time.kind in ("source", "reference")
            rate = self.rate if of_input else self.output_rate or self.rate
            if rate is None:
                raise InputError(
                    f"{name} is {time}, but the frame rate is not known; write seconds"
                )
            if time.kind == "length":
                return time.amount / rate
            return start + (time.amount - self.first_frame) / rate
        share = time.amount / 100
        if time.kind == "length":
            return share * (end - start if self.length is None else self.length)
        if time.kind in ("source", "reference"):
            return start + share * (end - start)
        length = end - start if self.output_length is None else self.output_length
        if length == "free":
            raise InputError(f"{name} is {time}, but the duration is free; write seconds or frames")
        return start + share * length


def parse_time(text: str, name: str, kind: Kind = "length") -> float | ClipTime:
    """Read a time as a person writes it.

    Parameters
    ----------
    text : str
        ``2.4``, ``2.4s``, ``1:02.5``, ``48f`` or ``80%``.
    name : str
        The parameter's name, for errors.
    kind : str
        What it is a time of.

    Returns
    -------
    float or ClipTime
        Seconds; frames and percentages wait for the clip.

    Examples
    --------
    >>> parse_time("2.4s", "duration"), parse_time("1:02.5", "duration")
    (2.4, 62.5)
    >>> Clock((0.0, 2.0), rate=24.0).seconds(parse_time("48f", "duration"), "duration")
    2.0
    """
    plain = text.strip() if len(text) <= _LONGEST else ""
    if found := _WITH_UNIT.fullmatch(plain):
        amount, unit = float(found[1]), (found[2] or "s").lower()
        if math.isfinite(amount):
            if unit[0] == "s":
                return amount
            return ClipTime(amount, "%" if unit == "%" else "f", kind)
    if found := _CLOCK.fullmatch(plain):
        sign, hours, minutes, seconds = found.groups()
        total = 3600 * int(hours or 0) + 60 * int(minutes) + float(seconds)
        return -total if sign == "-" else total
    raise InputError(
        f"{name}: {text[:40]!r} is not a time; write seconds (2.4), minutes (1:02.5), frames (48f) "
        "or a percentage (80%)"
    )


def told_apart(one: float, other: float, digits: int = 4) -> tuple[str, str]:
    """Write two numbers with as many digits as show that they differ.

    >>> told_apart(24.5512, 24.5489)
    ('24.551', '24.549')
    """
    for count in range(digits, 16):
        pair = f"{one:.{count}g}", f"{other:.{count}g}"
        if pair[0] != pair[1]:
            break
    return pair


def needs_clip(value: Any) -> bool:
    """Return whether a value holds times that need a clip."""
    if isinstance(value, tuple):
        return any(map(needs_clip, value))
    return isinstance(value, ClipTime) or bool(getattr(value, "needs_clip", False))


def in_seconds(value: Any, clock: Clock, name: str) -> Any:
    """Return a value with its times in seconds; those of another clip than the clock's stay."""
    if not needs_clip(value):
        return value
    if isinstance(value, ClipTime):
        return clock.seconds(value, name) if clock.counts(value) else value
    if isinstance(value, tuple):
        return tuple(in_seconds(v, clock, name) for v in value)
    return value.in_seconds(clock)  # a method's own kind of data
