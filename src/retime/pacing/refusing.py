"""Refuse requests that contradict each other, with the nearest that is possible."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from retime.errors import InfeasibleError, InputError
from retime.notes import Note, Remedy
from retime.pacing.constraints import Speed, locked
from retime.pacing.moments import Contradiction, Placed, possible_times
from retime.pacing.problem import Problem
from retime.sentences import Duration, Moment, ParameterName, Sentence, Span

# Values that are suggested are whole multiples of this, seconds.
_STEP_S = 1e-3


def refusal(problem: Problem, contradiction: Contradiction) -> InfeasibleError:
    """Return an error of one character: what contradicts what, and a value that is possible."""
    start, end = problem.characters[0].domain
    keys = [f.key for f in contradiction.facts if isinstance(f, Placed)]
    for key in sorted(keys, key=lambda k: -k.source):
        try:
            earliest, latest = possible_times(problem, 0, key.source)
        except Contradiction:
            continue
        nearest = rounded_within(key.output, earliest, latest)
        if key.source == end:
            length = round(nearest - start, 9)
            told = Sentence("choose a {name} of {value:.3f}",
                            name=ParameterName("duration"), value=Duration(length))  # fmt: skip
            remedy = Remedy(told, parameter="duration", value=length)
        elif key.source > start:
            told = Sentence("show {source:.3f} at {value:.3f}",
                            source=Moment(key.source), value=Moment(nearest))  # fmt: skip
            remedy = Remedy(told, parameter="keytimes")
        else:
            continue
        return InfeasibleError(Note(contradiction.args[0], remedy, code="cannot-all-be"))
    return InfeasibleError(contradiction.args[0])


def rounded_within(value: float, least: float, most: float) -> float:
    """Return the multiple of a millisecond in a range that is nearest to a value."""
    inside = np.ceil(least / _STEP_S), np.floor(most / _STEP_S)
    if inside[0] > inside[1]:
        return float(np.clip(value, least, most))
    return float(np.clip(round(value / _STEP_S), *inside) * _STEP_S)


def locked_spans(
    spans: Sequence[tuple[float, float]], clip: tuple[float, float]
) -> tuple[Speed, ...]:
    """Return the constraints of locked spans; raise if one is not a part of the clip."""
    for a, b in spans:
        if not clip[0] - 1e-9 <= a < b <= clip[1] + 1e-9:
            raise InputError(
                "the locked span {part} is not a part of {clip}", part=Span(a, b), clip=Span(*clip)
            )
    return tuple(locked(max(a, clip[0]), min(b, clip[1])) for a, b in spans)
