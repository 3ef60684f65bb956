"""Shift: the source time that a joint shows less that of the body, as a smooth curve."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from retime import _native
from retime.arrays import FloatArray

__all__ = ["Shift"]

_FOUR = np.arange(4)  # values that a point of a curve depends on


@dataclass(frozen=True, eq=False)
class Shift:
    """A smooth curve through values (N,), one each ``step`` seconds; nothing beyond its ends."""

    start: float
    step: float
    values: FloatArray
    loop: bool = False

    @property
    def is_zero(self) -> bool:
        """Whether nothing moves."""
        return not self.values.any()

    def at(self, times: FloatArray) -> FloatArray:
        """Return the shift at source times of the body, (N,)."""
        if self.is_zero:
            return np.zeros(len(times))
        first, by = self.points(times)
        at = (first[:, None] + _FOUR) % len(self.values)
        return np.asarray((by * self.values[at]).sum(axis=1))

    def points(self, times: FloatArray) -> tuple[npt.NDArray[np.int64], FloatArray]:
        """Return the first of the four values of points of the curve, (N,), and weights (N, 4).

        The curve is a cubic with the slopes of parabolas through three values (Catmull and Rom).
        """
        first, by = _native.joint_times.curve_points(
            times, self.start, self.step, len(self.values), self.loop
        )
        return first, by
