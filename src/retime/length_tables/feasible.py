"""Which lengths are possible with pins, windows and limits of speed."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from retime.errors import InfeasibleError, InputError
from retime.length_tables.pins import Pin
from retime.notes import Note
from retime.pacing import Link, Problem
from retime.pacing.moments import Moments
from retime.pacing.problem import ROOM
from retime.sentences import Duration, Sentence

# Lengths are limited to whole milliseconds.
_STEP_S = 1e-3
# Least ratio of the longest to the shortest length.
_APART = 1.02


def possible_lengths(free: Problem, pins: Sequence[Pin]) -> tuple[float, float]:
    """Return the shortest and the longest possible length of a problem.

    The shortest paths between the pins are all that limits of speed and windows require of them. A
    pin is linear in the length, so each path is a bound of the length.

    Parameters
    ----------
    free : Problem
        The clip, its first character, without keys.
    pins : sequence of Pin
        The pins, the ends of the clip included.
    """
    named = tuple(Link(0, pin.source, 0, pin.source, 0.0) for pin in pins)
    moments = Moments(Problem(free.characters, free.shared, (*free.links, *named)))
    least, most = 0.0, math.inf
    for one, other in itertools.permutations(pins, 2):
        a = moments.index[0, moments.problem.node(one.source)]
        b = moments.index[0, moments.problem.node(other.source)]
        # seconds + share * length <= bound
        share, seconds = other.share - one.share, other.seconds - one.seconds
        room = float(moments.bound[a, b]) - seconds
        if abs(share) < 1e-12:
            if room < -1e-9:
                _refuse(one, other, room)
        elif share > 0:
            most = min(most, room / share)
        else:
            least = max(least, room / share)
    return least, most


def _refuse(one: Pin, other: Pin, room: float) -> None:
    raise InfeasibleError(
        "no length can meet {one} and {other}: the time between them is {off:.3f} off what the "
        "limits of speed and the windows allow; move one of the pins",
        one=_words(one),
        other=_words(other),
        off=Duration(-room),
    )


def _words(pin: Pin) -> str:
    return f"pin {pin.name!r}" if pin.name else "the ends of the clip"


def narrowed(
    asked: tuple[float, float], possible: tuple[float, float], why: Sentence
) -> tuple[tuple[float, float], list[Note]]:
    """Return the part of the requested lengths that is possible, with a note if it is smaller."""
    low, high = asked
    if not (0 < low < high and math.isfinite(high)):
        raise InputError(
            "the shortest length is {low} and the longest {high}; the first must be above 0 and "
            "the second above the first",
            low=Duration(low),
            high=Duration(high),
        )
    # The solver's room is left to it.
    least = math.ceil(possible[0] * (1 + ROOM) / _STEP_S - 1e-6) * _STEP_S
    most = math.floor(min(possible[1] * (1 - ROOM), 1e6) / _STEP_S + 1e-6) * _STEP_S
    if least > most:
        raise InfeasibleError(
            "{why} no length is possible; move a pin or shorten a window", why=why
        )
    inside = (max(low, least), min(high, most))
    if inside[1] < inside[0] * _APART:
        allowed = "{least:.3f} long or longer" if most >= 1e6 else "{least:.3f} to {most:.3f} long"
        raise InfeasibleError(
            f"{{why}} the clip can only be {allowed}, not {{low:.3f}} to {{high:.3f}}; choose "
            "lengths inside",
            why=why,
            least=Duration(least),
            most=Duration(most),
            low=Duration(low),
            high=Duration(high),
        )
    notes = []
    for bound, given, word in ((inside[0], low, "shorter"), (inside[1], high, "longer")):
        if abs(bound - given) > 1e-9:
            notes.append(
                Note(
                    f"{{why}} the clip cannot be {word} than {{bound:.3f}}",
                    code="lengths-narrowed",
                    why=why,
                    bound=Duration(bound),
                )
            )
    return inside, notes


def row_lengths(span: tuple[float, float], count: int, own: float) -> list[float]:
    """Return lengths evenly in log length, the nearest inner one moved to the clip's own.

    Then a clip without pins is unchanged at its own length. Lengths are whole microseconds.
    """
    lengths = np.geomspace(*span, count)
    if count > 2 and span[0] < own < span[1]:
        lengths[1 + int(np.abs(np.log(lengths[1:-1] / own)).argmin())] = own
    return [float(x) for x in lengths.round(6)]
