"""A pace: the slowness that a reference or an edit asks for, over source time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from retime.arrays import FloatArray
from retime.notes import Note
from retime.pacing.terms import Track


@dataclass(frozen=True, eq=False)
class Pace:
    """A wanted slowness over source time, and how certain it is."""

    times: FloatArray
    """Source times (N,)."""
    slowness: FloatArray
    """Output time per source time (N,)."""
    certainty: FloatArray
    """Weight of each, where the weight of the clip's own speed is 1 (N,)."""
    likeness: FloatArray
    """How much the reference resembles the clip there, 0 to 1 (N,)."""
    notes: tuple[Note, ...] = ()

    @property
    def track(self) -> Track:
        """The slowness as a function of source time, interpolated by its logarithm."""
        log = np.log(self.slowness)
        return lambda times: np.exp(np.interp(times, self.times, log))

    def weight(self, own: Track) -> Track:
        """Return the certainty times the clip's own weight."""
        return lambda times: own(times) * np.interp(times, self.times, self.certainty)

    def keeping(self, spans: Sequence[tuple[float, float]]) -> Pace:
        """Return the pace with the recorded speed in some spans."""
        slowness = self.slowness.copy()
        for first, last in spans:
            slowness[(self.times > first) & (self.times < last)] = 1.0
        return replace(self, slowness=slowness)
