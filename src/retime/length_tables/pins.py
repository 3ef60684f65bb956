"""Pins: where a moment is in the output, as a share of the length plus a fixed time."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from retime.coercion import is_number
from retime.errors import InputError, did_you_mean
from retime.sentences import Moment, Span
from retime.times import ClipTime, Clock, parse_time

_TERM = re.compile(r"([+-]?)\s{0,9}+([0-9.]++)\s{0,9}+(%|s)?\s{0,9}+")


@dataclass(frozen=True)
class Pin:
    """A moment of the source at ``seconds + share * length`` of the output, from its start."""

    source: float
    seconds: float
    share: float
    name: str = ""

    def at(self, length: float) -> float:
        """Return the output time, from the start of the output."""
        return self.seconds + self.share * length


def once_each(given: Mapping[str, Any] | Sequence[tuple[str, Any]], what: str) -> dict[str, Any]:
    """Return values by name; raise if a name is given twice."""
    pairs = given.items() if isinstance(given, Mapping) else given
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise InputError(f"{what} {name!r} is given twice: {found[name]} and {value}")
        found[name] = value
    return found


def pins_of(pins: Mapping[str, Any], moments: Mapping[str, float]) -> tuple[Pin, ...]:
    """Return pins in the order of their moments; raise if one is wrong."""
    for name in pins:
        if name not in moments:
            raise InputError(f"pin {name!r} names no moment{did_you_mean(name, moments)}")
    found = [Pin(moments[name], *_parsed(name, pin), name) for name, pin in pins.items()]
    found.sort(key=lambda pin: pin.source)
    for one, other in itertools.pairwise(found):
        if one.source == other.source:
            raise InputError(f"pins {one.name!r} and {other.name!r} are at the same moment")
    return tuple(found)


def _parsed(name: str, pin: Any) -> tuple[float, float]:
    """Return the fixed time and the share of a pin."""
    text = f"{pin:g}s" if is_number(pin) and math.isfinite(pin) else str(pin)
    seconds, share, at = 0.0, 0.0, 0
    plain = text.strip()[:60]
    while found := _TERM.match(plain, at):
        if at > 0 and not found[1]:
            break
        try:
            value = float(found[2]) * (-1 if found[1] == "-" else 1)
        except ValueError:
            break
        at = found.end()
        if found[3] == "%":
            share += value / 100
        else:
            seconds += value
    if at == 0 or at != len(text.strip()):
        raise InputError(
            f"pin {name}={text[:60]}: write a share of the length (35%), a time (0.45s), or their "
            "sum (0.1s+30%)"
        )
    if not 0 <= share <= 1:
        raise InputError(
            f"pin {name}={text}: the share must be 0 % to 100 %, so that the moment comes no "
            "earlier in a longer clip"
        )
    return seconds, share


def on_grid(time: float, clip: tuple[float, float]) -> float:
    """Return the nearest time that a table can hold: whole microseconds from the clip's start."""
    return min(clip[0] + round(max(time - clip[0], 0.0), 6), clip[1])


def moments_of(moments: Mapping[str, Any], clock: Clock) -> dict[str, float]:
    """Return source times of moments in seconds; they may be written as 0.72s, 43f or 30%."""
    start, end = clock.domain
    out = {}
    for name, given in moments.items():
        what = f"moment {name}"
        time = parse_time(given, what, "source") if isinstance(given, str) else given
        seconds = clock.seconds(time, what) if isinstance(time, ClipTime) else time
        if not is_number(seconds) or not math.isfinite(seconds):
            raise InputError(f"{what} is {given!r}; it must be a time, such as 0.72s or 43f")
        if not start - 1e-9 <= seconds <= end + 1e-9:
            raise InputError(
                f"{what} is at {{time}}, outside the clip, {{clip}}",
                time=Moment(seconds),
                clip=Span(start, end),
            )
        out[str(name)] = on_grid(float(seconds), clock.domain)
    return out
