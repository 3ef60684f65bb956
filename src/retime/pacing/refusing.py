"""Refuse requests that contradict each other, with the nearest that is possible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from retime.errors import InfeasibleError
from retime.notes import Note, Remedy
from retime.pacing.constraints import Key, Speed, locked
from retime.pacing.moments import Contradiction, Placed, possible_times
from retime.pacing.problem import Problem
from retime.parameters import part_of_clip
from retime.sentences import Duration, Moment, Sentence

# Digits of times in sentences: what is suggested is possible as it is written.
_DIGITS = 3


def refusal(
    problem: Problem, contradiction: Contradiction, step: float = 1e-3, turn: float | None = None
) -> InfeasibleError:
    """Return an error of one character: what contradicts what, and a value that is possible.

    Suggested lengths are whole multiples of ``step``, the time of a frame, where one is possible.
    Where the result is played backwards, ``turn`` less an output time is that which is shown.
    """
    if turn is not None:
        facts = [
            replace(f, key=Key(turn - f.key.output, f.key.source)) if isinstance(f, Placed) else f
            for f in contradiction.facts
        ]
        told = Contradiction(tuple(facts), contradiction.seconds).args[0]
    else:
        told = contradiction.args[0]
    start, end = problem.characters[0].domain
    keys = [f.key for f in contradiction.facts if isinstance(f, Placed)]
    for key in sorted(keys, key=lambda k: -k.source):
        try:
            earliest, latest = possible_times(problem, 0, key.source)
        except Contradiction:
            continue
        if key.source == end:
            length = nearest(key.output - start, earliest - start, latest - start, step)
            words = Sentence("choose a duration of {value:.3f}", value=Duration(length))
            remedy = Remedy(words, parameter="duration", value=length)
        elif key.source > start:
            if turn is not None:
                earliest, latest = turn - latest, turn - earliest
            output = nearest(
                key.output if turn is None else turn - key.output, earliest, latest, 1e-3
            )
            words = Sentence("show {source:.6g} at {value:.3f}",
                            source=Moment(key.source), value=Moment(output))  # fmt: skip
            remedy = Remedy(words, parameter="keytimes")
        else:
            continue
        return InfeasibleError(Note(told, remedy, code="cannot-all-be"))
    return InfeasibleError(told)


def nearest(value: float, least: float, most: float, step: float) -> float:
    """Return the possible time that is nearest to a value, as it is written in a sentence."""
    for unit in (step, 10.0**-_DIGITS):
        first, last = np.ceil(least / unit), np.floor(most / unit)
        if first > last:
            continue
        near = float(np.clip(round(value / unit), first, last))
        for count in (near, min(near + 1, last), max(near - 1, first)):
            if least <= (written := round(count * unit, _DIGITS)) <= most:
                return written
    return float(np.clip(value, least, most))


def locked_spans(
    spans: Sequence[tuple[float, float]], clip: tuple[float, float]
) -> tuple[Speed, ...]:
    """Return the constraints of locked spans; raise if one is not a part of the clip."""
    return tuple(locked(*part_of_clip(span, clip, "locked span")) for span in spans)
