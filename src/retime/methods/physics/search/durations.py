"""Shortest and longest feasible duration along the path.

Between two frames p'' is constant and p'^2 linear. A timing is feasible where (p'', mean p'^2) of
each interval is in the regions of both its frames; no frame is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from retime import _native
from retime.arrays import FloatArray
from retime.methods.physics.limits.regions import MOST_CHANGE, MOST_SPEED, UNIT, Flat
from retime.one_line import one_line
from retime.pictured import Pictured

# A timing may stop where its rate is this close to the least one, relatively.
_STANDS = 1e-2


@one_line()
@dataclass(frozen=True, eq=False, repr=False)
class Extremes(Pictured):
    """The fastest and the slowest feasible timing, p'^2 (F,) each.

    Parameters
    ----------
    fastest, slowest : array (F,), optional
        ``None`` if no timing is feasible.
    least : float
        Least rate p' of a timing.
    stuck : int
        First frame without a feasible timing; -1 if there is none.
    """

    fastest: FloatArray | None
    slowest: FloatArray | None
    least: float
    stuck: int = -1

    def minimum(self, times: FloatArray) -> float | None:
        """Return the shortest feasible duration, seconds."""
        return None if self.fastest is None else float(clock_of(self.fastest, times)[-1])

    def maximum(self, times: FloatArray) -> float | None:
        """Return the longest feasible duration, seconds, or ``None`` if time may stop."""
        if self.slowest is None or np.sqrt(self.slowest.min()) < self.least * (1 + _STANDS):
            return None
        return self.longest(times)

    def longest(self, times: FloatArray) -> float | None:
        """Return the duration of the slowest timing whose rate is nowhere below the least one."""
        return None if self.slowest is None else float(clock_of(self.slowest, times)[-1])


def interval_regions(flat: Flat, step: float) -> tuple[Flat, int]:
    """Return each interval's region over (p'' / unit, p'^2 at its first frame).

    Returns
    -------
    flat : tuple
        Where each one's corners begin, and the corners of all, against the clock.
    stuck : int
        The first that is empty, or -1.
    """
    begins, corners, stuck = _native.physics_timing.intervals(*flat, step, UNIT)
    return (begins, corners), int(stuck)


def extreme_timings(
    flat: Flat,
    times: FloatArray,
    speeds: Sequence[tuple[float, float]] = (),
    most_change: float = MOST_CHANGE,
    *,
    least: float,
) -> Extremes:
    """Find the fastest and the slowest feasible timing by a pass backward and one forward.

    No feasible timing is faster at any frame than the fastest, or slower than the slowest.

    Parameters
    ----------
    flat : Flat
        The regions.
    times : array (F,)
        Source times of the frames, seconds.
    speeds : sequence of (float, float)
        Source times and the playback speeds that are given there, at the nearest frame.
    most_change : float
        Largest |p''|, 1/s.
    least : float
        Least rate p'.
    """
    step = float(times[1] - times[0])
    empty = np.flatnonzero(np.diff(flat[0]) == 0)
    if len(empty):
        return Extremes(None, None, least, int(empty[0]))
    (starts, corners), stuck = interval_regions(flat, step)
    if stuck >= 0:
        return Extremes(None, None, least, stuck)
    low, high = np.full(len(times), least * least), np.full(len(times), MOST_SPEED)
    for moment, rate in speeds:
        frame = int(np.abs(times - moment).argmin())
        low[frame] = high[frame] = rate * rate
    fastest, sets, failed = _native.physics_timing.fastest(
        starts, corners, step, UNIT, low, high, most_change / UNIT
    )
    if failed >= 0:
        return Extremes(None, None, least, int(failed))
    slowest = _native.physics_timing.slowest(starts, corners, step, UNIT, sets, most_change / UNIT)
    return Extremes(fastest, slowest, least)


def clock_of(square_speed: FloatArray, times: FloatArray) -> FloatArray:
    """Return the output time of each frame (F,), from 0, of a timing with given p'^2 there."""
    rates = np.sqrt(np.maximum(square_speed, 1e-12))
    return np.asarray(np.r_[0.0, np.cumsum(2 * np.diff(times) / (rates[1:] + rates[:-1]))])
