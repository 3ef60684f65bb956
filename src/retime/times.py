"""Parse times: seconds, minutes, frames of a clip and percentages of it.

Seconds and minutes become numbers. Frames and percentages depend on a clip: they are kept as
:class:`ClipTime` until a :class:`Clock` converts them to seconds.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from retime.errors import InputError
from retime.sentences import Name

Kind = Literal["length", "output", "source", "reference"]
_NUMBER = r"[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:e[+-]?\d++)?"
_WITH_UNIT = re.compile(rf"({_NUMBER})\s*+(s|sec|f|fr|frames?|%)?", re.IGNORECASE)
_CLOCK = re.compile(r"([+-]?)(?:(\d+):)?(\d+):(\d+(?:\.\d*)?)")
# Longer text is not a time.
_LONGEST = 60


@dataclass(frozen=True)
class TimeKind:
    """Kind of a declared time, which determines how frames and percentages are counted."""

    kind: Kind


# A length of time; frames are those of the output, percentages are relative to the input.
Length = Annotated[float, TimeKind("length")]
# A time in the output, in the input, and in a reference clip; the first frame is 0.
OutputTime = Annotated[float, TimeKind("output")]
SourceTime = Annotated[float, TimeKind("source")]
ReferenceTime = Annotated[float, TimeKind("reference")]


@dataclass(frozen=True)
class ClipTime:
    """A time in frames or percent, to be converted to seconds when the clip is known."""

    amount: float
    """Number of frames or percent."""
    unit: Literal["f", "%"]
    """Frames or percent."""
    kind: Kind = "length"
    """Clip that the time belongs to, or a length."""

    def __str__(self) -> str:
        return f"{self.amount:.15g}{self.unit}"

    def __repr__(self) -> str:
        return repr(str(self))

    def to_document(self) -> str:
        """Return the time as text, for JSON."""
        return str(self)


@dataclass(frozen=True)
class Clock:
    """Reference for frames and percentages."""

    domain: tuple[float, float]
    """First and last time of the input, seconds."""
    rate: float | None = None
    """Frame rate of the input, if known."""
    output_rate: float | None = None
    """Frame rate of the output. Default: the input's."""
    length: float | None = None
    """100 % of a length, seconds. Default: the length of the input."""
    output_length: float | Literal["free"] | None = None
    """100 % of the output, seconds. Default: the length of the input."""
    of_reference: bool = False
    """Whether the clip is a reference."""
    first_frame: int = 0
    """Number of the first frame in the host program."""

    @classmethod
    def of(cls, clip: Any, fps: float | None = None, *, of_reference: bool = False) -> Clock:
        """Return the clock of a motion and of an output with a frame rate."""
        return cls(clip.domain, clip.rate, fps, of_reference=of_reference)

    def counts(self, time: ClipTime) -> bool:
        """Return whether a time belongs to this clip."""
        return (time.kind == "reference") == self.of_reference

    def seconds(self, time: ClipTime, name: Name) -> float:
        """Convert a time to seconds; ``name`` is the parameter's, for error messages."""
        if time.unit == "f":
            return self._frames(time, name)
        return self._percent(time, name)

    def _frames(self, time: ClipTime, name: Name) -> float:
        of_input = time.kind in ("source", "reference")
        rate = self.rate if of_input else self.output_rate or self.rate
        if rate is None:
            raise InputError(
                "{name} is {time}, but the frame rate is not known; write seconds",
                name=name,
                time=time,
            )
        if time.kind == "length":
            return time.amount / rate
        return self.domain[0] + (time.amount - self.first_frame) / rate

    def _percent(self, time: ClipTime, name: Name) -> float:
        start, end = self.domain
        length = {"length": self.length, "output": self.output_length}.get(time.kind)
        if length is None:
            length = end - start
        if length == "free":
            raise InputError(
                "{name} is {time}, but the duration is free; write seconds or frames",
                name=name,
                time=time,
            )
        seconds = time.amount / 100 * length
        return seconds if time.kind == "length" else start + seconds


def parse_time(text: str, name: Name, kind: Kind = "length") -> float | ClipTime:
    """Parse a time.

    Parameters
    ----------
    text : str
        ``2.4``, ``2.4s``, ``1:02.5``, ``48f`` or ``80%``.
    name : str or ParameterName
        The parameter's name, for error messages.
    kind : str
        Clip that the time belongs to, or a length.

    Returns
    -------
    float or ClipTime
        Seconds, or frames or a percentage to be converted when the clip is known.

    Examples
    --------
    >>> parse_time("2.4s", "duration"), parse_time("1:02.5", "duration")
    (2.4, 62.5)
    >>> Clock((0.0, 2.0), rate=24.0).seconds(parse_time("48f", "duration"), "duration")
    2.0
    """
    plain = text.strip() if len(text) <= _LONGEST else ""
    if (found := _WITH_UNIT.fullmatch(plain)) and math.isfinite(float(found[1])):
        amount, unit = float(found[1]), (found[2] or "s").lower()
        if unit[0] == "s":
            return amount
        return ClipTime(amount, "%" if unit == "%" else "f", kind)
    if found := _CLOCK.fullmatch(plain):
        sign, hours, minutes, seconds = found.groups()
        total = 3600 * int(hours or 0) + 60 * int(minutes) + float(seconds)
        return -total if sign == "-" else total
    raise InputError(
        "{name}: {text!r} is not a time; write seconds (2.4), minutes (1:02.5), frames (48f) or a "
        "percentage (80%)",
        name=name,
        text=text[:40],
    )


def whole_frames(seconds: float, rate: float) -> int:
    """Return the nearest whole number of frames.

    A time on half a frame is rounded in the same way for every start of its clip, despite rounding
    errors.

    >>> whole_frames(2.5, 1.0), whole_frames(2.500000001, 1.0)
    (2, 2)
    """
    return round(round(seconds * rate, 6))


def needs_clip(value: Any) -> bool:
    """Return whether a value contains frames or percentages."""
    if isinstance(value, tuple):
        return any(map(needs_clip, value))
    return isinstance(value, ClipTime) or bool(getattr(value, "needs_clip", False))


def in_seconds(value: Any, clock: Clock, name: Name) -> Any:
    """Return a value with its times in seconds, except for times of another clip."""
    if not needs_clip(value):
        return value
    if isinstance(value, ClipTime):
        return clock.seconds(value, name) if clock.counts(value) else value
    if isinstance(value, tuple):
        return tuple(in_seconds(v, clock, name) for v in value)
    return value.in_seconds(clock)  # data of a method
