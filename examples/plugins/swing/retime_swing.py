"""Swing: the middle of each beat comes later, and its end when it did.

The fields of the dataclass are the options of `retime swing`, the parameters of a step in recipes,
and the fields of the studio's form.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from retime import InputError, Motion, TimeWarp
from retime.keywords import takes
from retime.methods import Method
from retime.parameters import About
from retime.times import Length

METHOD = Method(
    "swing",
    "Play every second half of a beat later, as swing music does.",
    "Swing",
    "retime_swing",
    "swing",
    needs_poses=False,
)


@dataclass(frozen=True, kw_only=True)
class SwingParameters:
    """How beats are divided."""

    beat: Annotated[Length, About("Length of a beat.", unit="s", minimum=0.1)] = 0.5
    share: Annotated[
        float,
        About("Share of the first half: 0.5 is even, 0.67 is swing.", minimum=0.3, maximum=0.7),
    ] = 0.6


@takes(SwingParameters)
def swing(motion: Motion, p: SwingParameters) -> TimeWarp:
    """Swing a motion."""
    start, end = motion.domain
    if end - start < p.beat:
        raise InputError(f"the clip is shorter than a beat of {p.beat:g} s")
    beats = np.arange(start, end - 0.999 * p.beat, p.beat)
    output = np.stack([beats, beats + p.share * p.beat], axis=1).ravel()
    source = np.stack([beats, beats + 0.5 * p.beat], axis=1).ravel()
    last = beats[-1] + p.beat
    ends = [last, end] if end > last + 1e-9 else [end]
    return TimeWarp([*output, *ends], [*source, *ends])
