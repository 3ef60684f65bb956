"""Compiled loops over joints' paths; see :mod:`retime.compiled`."""

from __future__ import annotations

import numpy as np

from retime.compiled import kernel


@kernel
def still_runs(place, length, tolerance):  # type: ignore[no-untyped-def]
    """Find stretches of at least ``length`` frames in which a point (F, 3) stays where it is.

    A stretch is still when all of it is within ``tolerance`` of its mean; it then grows both ways
    while the point stays that near. Returns first and last frames, (N, 2).
    """
    frames = len(place)
    out = np.empty((frames // max(length, 1) + 1, 2), np.int64)
    count = 0
    free = 0  # stretches do not overlap
    first = 0
    limit = tolerance * tolerance
    centre = np.zeros(3)
    while first + length <= frames:
        for c in range(3):
            centre[c] = 0.0
            for f in range(first, first + length):
                centre[c] += place[f, c]
            centre[c] /= length
        still = True
        for f in range(first, first + length):
            d = 0.0
            for c in range(3):
                d += (place[f, c] - centre[c]) ** 2
            if d > limit:
                still = False
                break
        if not still:
            first += 1
            continue
        last = first + length - 1
        while last + 1 < frames:
            d = 0.0
            for c in range(3):
                d += (place[last + 1, c] - centre[c]) ** 2
            if d > limit:
                break
            last += 1
        while first > free:
            d = 0.0
            for c in range(3):
                d += (place[first - 1, c] - centre[c]) ** 2
            if d > limit:
                break
            first -= 1
        out[count, 0] = first
        out[count, 1] = last
        count += 1
        free = last + 1
        first = last + 1
    return out[:count]
