"""Bounds of the change of speed |p''|, as barriers of the search.

They are used where nothing in the body's limits keeps the speed from jumping: where a timing must
exceed them, and in ranges, which begin and end at the recorded speed.
"""

from __future__ import annotations

import numpy as np

from retime.arrays import FloatArray
from retime.methods.physics.limits.regions import UNIT

# Seconds in which changes of the playback speed are seen.
_SEEN = 1 / 30


def most_change(change: float, step: float) -> float:
    """Return the largest |p''|, 1/s, by which the rate changes by less than ``change`` in 33 ms.

    Rates are those of frames, ``step`` seconds apart.
    """
    return change / (_SEEN + step)


class ChangeBounds:
    """Two bounds an interval, -most <= p'' <= most, with their multipliers.

    Parameters
    ----------
    steps : array (K - 1,)
        Source seconds between the nodes.
    most : float
        Largest |p''|, 1/s; infinite for no bounds.
    """

    def __init__(self, steps: FloatArray, most: float) -> None:
        self.bounded = bool(np.isfinite(most))
        self.steps, self.most = steps, most / UNIT
        self.slopes = 1 / (2 * steps * UNIT)
        self.duals = np.zeros((2, len(steps) if self.bounded else 0))

    def gentle(self, b: FloatArray, free: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> FloatArray:
        """Return speeds b (K,) that change less than the bounds; those that are not free stay."""
        if not self.bounded:
            return b
        reach = np.r_[0.0, np.cumsum(0.9 * self.most / self.slopes)]
        # The largest function below b that changes so little, and then what given speeds allow.
        rise = np.minimum.accumulate(b - reach) + reach
        out = np.minimum(rise, np.minimum.accumulate((b + reach)[::-1])[::-1] - reach)
        for k in np.flatnonzero(~free):
            apart = np.abs(reach - reach[k])
            out = np.clip(out, b[k] - apart, b[k] + apart)
        return np.asarray(out)

    def rooms(self, b: FloatArray) -> FloatArray:
        """Return the distances (2, K - 1) from the bounds."""
        if not self.bounded:
            return self.duals
        y = np.diff(b) * self.slopes
        return np.stack([self.most - y, self.most + y])

    def logs(self, b: FloatArray) -> float:
        """Return the sum of the barrier's logarithms; minus infinity beyond a bound."""
        rooms = self.rooms(b)
        return float(np.log(rooms).sum()) if (rooms > 0).all() else -np.inf

    def centre(self, b: FloatArray, barrier: float) -> None:
        """Set the multipliers to those of a barrier."""
        self.duals = barrier / self.rooms(b)

    def pull(self, b: FloatArray, forces: FloatArray) -> FloatArray:
        """Return the gradient (K,) by the speeds of forces (2, K - 1) on both bounds."""
        out = np.zeros_like(b)
        if self.bounded:
            by_y = (forces[0] - forces[1]) * self.slopes
            out[1:] += by_y
            out[:-1] -= by_y
        return out

    def stiffen(self, b: FloatArray, diagonal: FloatArray, beside: FloatArray) -> None:
        """Add the bounds' curvature to a tridiagonal system, in place."""
        if self.bounded:
            firm = (self.duals / self.rooms(b)).sum(axis=0) * self.slopes**2
            diagonal[1:] += firm
            diagonal[:-1] += firm
            beside -= firm

    def steps_to(
        self, b: FloatArray, way: FloatArray, barrier: float, keep: float
    ) -> tuple[float, float, FloatArray]:
        """Return how far speeds and multipliers may go along a step, and the multipliers' step."""
        if not self.bounded:
            return np.inf, 1.0, self.duals
        rooms, dy = self.rooms(b), np.diff(way) * self.slopes
        goes = np.stack([-dy, dy])
        dual_way = (barrier - self.duals * goes) / rooms - self.duals

        def far(have: FloatArray, change: FloatArray) -> float:
            falls = change < 0
            return float((-(1 - keep) * have[falls] / change[falls]).min(initial=np.inf))

        return far(rooms, goes), min(far(self.duals, dual_way), 1.0), dual_way
