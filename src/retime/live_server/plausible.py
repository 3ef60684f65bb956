"""Limit rates to those a body could produce, so that a partner does not stop in mid-air."""

from __future__ import annotations

import math

from retime.arrays import FloatArray
from retime.methods.physics import PhysicsModel
from retime.motion import Motion


class PlausibleRates:
    """Bounds a motion's rate p' and its change p'' to each frame's feasible region."""

    def __init__(self, motion: Motion) -> None:
        model = PhysicsModel(motion)
        self._start, end = float(model.times[0]), float(model.times[-1])
        self._per_second = (len(model.times) - 1) / max(end - self._start, 1e-9)
        self._regions = [r.corners for r in model.regions]

    def limited(self, source: float, rate: float, wanted: float, seconds: float) -> float:
        """Return the nearest rate to a requested one that is feasible and can be reached in time.

        ``source`` is the motion's time; ``seconds`` pass until the next decision.
        """
        frame = round((source - self._start) * self._per_second)
        corners = self._regions[min(max(frame, 0), len(self._regions) - 1)]
        if len(corners) < 3 or seconds <= 0:
            return wanted  # nothing is feasible here, so nothing can be said
        least, most = (math.sqrt(max(b, 0.0)) for b in (corners[:, 1].min(), corners[:, 1].max()))
        inside = min(max(rate, least), most)
        slow, quick = _changes(corners, inside * inside)
        change = min(max((wanted - inside) / seconds, slow), quick)
        return min(max(inside + change * seconds, least), most)


def _changes(corners: FloatArray, square: float) -> tuple[float, float]:
    """Return the least and the most p'' of a convex region at a value of p'^2."""
    found = []
    for i in range(len(corners)):
        (a, b), (c, d) = corners[i - 1], corners[i]
        low, high = min(b, d), max(b, d)
        if low <= square <= high:
            share = 0.0 if high == low else (square - b) / (d - b)
            found += [a + share * (c - a)] if high > low else [a, c]
    return (float(min(found)), float(max(found))) if found else (0.0, 0.0)
