"""Shorten contacts of feet that slide from one to the next to the parts in which the foot stands.

Without a step, a foot can get from one place to another only by sliding or rolling.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from retime.arrays import FloatArray

# Shortest time in which a foot is lifted and put down elsewhere, seconds.
_NO_STEP = 0.06
# Mean speed above which a foot slides, m/s.
_SLIDING = 0.1
# Speeds are means over this time before and after, seconds.
_AROUND = 0.025
# Largest acceleration added to a foot that slides between contacts, m/s^2, and the acceleration of
# an eased way of 1 m in 1 s.
_CALM, _EASING = 20.0, 5.77


def standing_parts(
    found: Sequence[tuple[int, int]], place: FloatArray, times: FloatArray, min_contact: float
) -> list[tuple[int, int]]:
    """Return the first and last frames of contacts, without the slides between them.

    Parameters
    ----------
    found : sequence of (int, int)
        First and last frames of contacts, sorted.
    place, times : array (F, 3), array (F,)
        Position of the joint, metres, and the times of the frames, seconds.
    min_contact : float
        Shortest contact, seconds. A contact in which the foot does not stand as long is left out.
    """
    slides = [
        b - a <= 1 or times[b] - times[a] < _NO_STEP for (_, a), (b, _) in itertools.pairwise(found)
    ]
    if not any(slides):
        return list(found)
    slow, parts = mean_speeds(place, times) <= _SLIDING, []
    ends = list(zip([False, *slides], [*slides, False], strict=True))
    for (first, last), (before, after) in zip(found, ends, strict=True):
        stands = first + np.flatnonzero(slow[first : last + 1])
        start, end = (int(stands[0]), int(stands[-1])) if len(stands) else (last, first)
        parts.append([start if before else first, end if after else last])

    def is_long(part: Sequence[int]) -> bool:
        return bool(times[part[1]] - times[part[0]] >= min_contact - 1e-6)

    for (one, other), slid in zip(itertools.pairwise(parts), slides, strict=True):
        while slid and is_long(one) and is_long(other) and _is_hasty(one, other, place, times):
            one[1] -= 1
            other[0] += 1
    return [(p[0], p[1]) for p, at in zip(parts, ends, strict=True) if is_long(p) or not any(at)]


def mean_speeds(place: FloatArray, times: FloatArray) -> FloatArray:
    """Return the mean speeds (F,) of a position (F, 3) around frames, m/s."""
    before, after = (
        np.stack([np.interp(times + by, times, c) for c in place.T], axis=1)
        for by in (-_AROUND, _AROUND)
    )
    return np.asarray(np.linalg.norm(after - before, axis=1) / (2 * _AROUND))


def _is_hasty(
    one: Sequence[int], other: Sequence[int], place: FloatArray, times: FloatArray
) -> bool:
    """Return whether the time between two contacts is too short for the way between them.

    Both are held at their means, so that the foot is moved from one of them to the other.
    """
    leaving, coming = (
        place[part[0] : part[1] + 1].mean(axis=0) - place[end]
        for part, end in ((one, one[1]), (other, other[0]))
    )
    way = float(np.linalg.norm(coming - leaving))
    return bool((times[other[0]] - times[one[1]]) ** 2 < _EASING * way / _CALM)
