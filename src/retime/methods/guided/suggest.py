"""Suggest keytimes at moments whose timing matters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from retime.methods.guided.guided import activity_of
from retime.motion import Motion

# Least weight of a suggestion, relative to the largest.
_LEAST = 0.15


@dataclass(frozen=True)
class Suggestion:
    """A moment whose timing matters."""

    time: float
    """Source time, seconds."""
    weight: float
    """How much a change of speed there changes the motion, relative to the largest in the clip."""


def suggest_keytimes(motion: Motion, *, count: int = 5) -> list[Suggestion]:
    """Suggest source times for keytimes: those where another speed would differ most.

    Parameters
    ----------
    motion : Motion
        The clip.
    count : int
        Maximum number of suggestions.

    Examples
    --------
    >>> from retime import samples, suggest_keytimes
    >>> [0.8 < s.time < 2.6 for s in suggest_keytimes(samples.jump(), count=2)]
    [True, True]
    """
    if len(motion) < 5:
        return []
    activity = activity_of(motion)
    size = activity.size
    inner = size[1:-1]
    peaks = 1 + np.flatnonzero((inner >= size[:-2]) & (inner > size[2:]))
    most = float(size.max())
    best = sorted((k for k in peaks if size[k] > _LEAST * most), key=lambda k: -size[k])[:count]
    return [Suggestion(float(activity.times[k]), float(size[k] / most)) for k in sorted(best)]
