"""Measure how fast joints rotate in one timing after another: only where they differ."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.methods.staggered.rushing import frame_times, turn_ratios
from retime.methods.staggered.timing import Timing
from retime.motion import Motion
from retime.motion.contact import Contact

__all__ = ["Remeasured"]

# Holding a contact changes frames beside it; measured frames begin this much earlier, seconds.
_BESIDE, _BEFORE = 0.15, 0.35
# Measuring a part takes as long as this many frames more.
_OVERHEAD = 200


@dataclass(eq=False)
class Remeasured:
    """Speeds of joints in similar timings, relative to their maximum in the source.

    Without contacts the speeds are exact. Contacts are held as far as they are in the measured
    frames, which changes speeds by less than a hundredth.
    """

    source: Motion
    most: float
    contacts: tuple[Contact, ...] | None
    held: bool
    _times: FloatArray = field(default_factory=lambda: np.zeros(0))
    _clocks: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    _ratio: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))

    def of(self, timing: Timing) -> tuple[FloatArray, FloatArray]:
        """Return times (T,) and ratios (T, 2 J)."""
        times, warp = frame_times(timing, self.source), timing.warp()
        clocks = np.stack([warp(times, name) for name in timing.channels], axis=1)
        parts = None
        if np.array_equal(times, self._times):
            parts = self._parts((clocks != self._clocks).any(axis=1))
        self._times, self._clocks = times, clocks
        if parts is None:
            self._ratio = self._measured(timing, slice(None))
        else:
            self._ratio = self._ratio.copy()
            for part, inner in parts:
                chosen = slice(inner.start - part.start, inner.stop - part.start)
                self._ratio[inner] = self._measured(timing, part)[chosen]
        return times[:-1], self._ratio

    def _measured(self, timing: Timing, part: slice) -> FloatArray:
        ratios = turn_ratios(
            timing, self.source, self.most, self.contacts, held=self.held, part=part
        )
        return ratios[1]

    def _parts(self, changed: npt.NDArray[np.bool_]) -> list[tuple[slice, slice]] | None:
        """Return frames to measure, and the intervals of them that changed; ``None`` for all."""
        count, rate = len(changed), self.source.rate
        beside, before = (max(round(s * rate), 1) for s in (_BESIDE, _BEFORE))
        at = np.flatnonzero(changed)
        if not len(at):
            return []
        breaks = np.flatnonzero(np.diff(at) > 2 * (beside + before) + _OVERHEAD)
        ends = [0, *(breaks + 1).tolist(), len(at)]
        out = []
        for first, last in pairwise(ends):
            low, high = int(at[first]) - beside, int(at[last - 1]) + beside
            inner = slice(max(low, 0), min(high, count - 1))
            out.append((slice(max(low - before, 0), min(high + before, count - 1) + 1), inner))
        cost = sum(part.stop - part.start + _OVERHEAD for part, _ in out)
        return out if cost < count else None
