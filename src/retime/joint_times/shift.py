"""Shift: the source time that a joint shows less that of the body, as a smooth curve."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

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
        out: FloatArray = (by * self.values[(first[:, None] + _FOUR) % len(self.values)]).sum(
            axis=1
        )
        return out

    def points(self, times: FloatArray) -> tuple[npt.NDArray[np.int64], FloatArray]:
        """Return the first of the four values of points of the curve, (N,), and weights (N, 4).

        The curve is a cubic with the slopes of parabolas through three values (Catmull and Rom).
        """
        count = len(self.values)
        cells = count if self.loop else count - 1
        place = (times - self.start) / self.step
        place = np.mod(place, cells) if self.loop else np.clip(place, 0.0, cells)
        k = np.minimum(place.astype(np.int64), cells - 1)
        u = place - k
        v = 1 - u
        by = np.stack(
            [
                -0.5 * u * v * v,
                v * v * (1 + 2 * u) + 0.5 * u * u * v,
                u * u * (1 + 2 * v) + 0.5 * u * v * v,
                -0.5 * u * u * v,
            ],
            axis=1,
        )
        first = k - 1
        if self.loop:
            return np.mod(first, count), by
        # At the ends, where values are 0 and stay so, the slope is 0.
        low, high = first < 0, first > count - 4
        by[low] = np.c_[by[low, 1:] + by[low, :1] * [0, 1, 0], np.zeros(low.sum())]
        by[high] = np.c_[np.zeros(high.sum()), by[high, :3] + by[high, 3:] * [0, 1, 0]]
        return np.clip(first, 0, count - 4), by
