"""Velocities, rates and jumps along the recording, for the filter.

Velocities of live and recorded poses are taken over the same lag, so that they can be compared.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from retime import _native
from retime.arrays import FloatArray
from retime.methods.align.poses import LivePose, Mask, velocity

# Time over which velocities are taken (s).
LAG = 0.08
# Standard deviation of the usual rates about 1, and the share of performers who wait first.
_USUAL_SPREAD, _WAITS = 0.35, 0.3


@dataclass(frozen=True)
class Pace:
    """How performers change their rate: the model of the filter."""

    rates: FloatArray = field(
        default_factory=lambda: np.array([0.0, 0.4, 0.6, 0.8, 1.0, 1.2, 1.45, 1.8, 2.3])
    )
    """Rates that are told apart (K,); the first is 0."""
    drift: float = 1.0
    """Share of belief a second that changes to each of the next rates."""
    stop: float = 0.2
    """Share a second that stops."""
    go: float = 3.0
    """Share a second of those who stand that goes on."""

    @cached_property
    def going(self) -> FloatArray:
        """The probability of each rate (K,) of a performer who moves."""
        out: FloatArray = np.exp(-0.5 * ((self.rates - 1) / _USUAL_SPREAD) ** 2)
        out[0] = 0.0
        out /= out.sum()
        return out

    @cached_property
    def starting(self) -> FloatArray:
        """The probability of each rate (K,) at the start, where some wait."""
        out = (1 - _WAITS) * self.going
        out[0] = _WAITS
        return out


class RecentPoses:
    """Recent live poses, and velocities computed from them."""

    def __init__(self) -> None:
        self._clock = 0.0
        self._past: list[tuple[float, LivePose]] = []

    def add(self, live: LivePose, seconds: float) -> tuple[FloatArray, Mask, float]:
        """Add a pose; return velocities (J, 3), the joints they are known for, and the lag."""
        self._clock += seconds
        if live.rise:  # a floor that is measured again is no motion
            live = replace(live, points=live.points + np.array([0.0, live.rise, 0.0]))
        self._past.append((self._clock, live))
        while len(self._past) > 2 and self._past[1][0] <= self._clock - LAG + 1e-6:
            self._past.pop(0)
        then, before = self._past[0]
        lag = self._clock - then
        moving = live.visible & before.visible
        speed = _native.live_poses.pose_velocity(live.points, before.points, moving, max(lag, 1e-9))
        return speed, moving, lag

    @property
    def is_first(self) -> bool:
        """Whether there is only one pose."""
        return len(self._past) < 2

    def travel(self) -> float | None:
        """Return how far the mean joint moved since the previous pose (m); None if unknown."""
        if self.is_first:
            return None
        before, live = self._past[-2][1], self._past[-1][1]
        both = live.visible & before.visible
        if not both.any():
            return None
        return _native.live_poses.mean_travel(live.points, before.points, both)


def recorded_velocities(path: FloatArray, places: float) -> FloatArray:
    """Return velocities (N, J, 3) of a recording's poses, ``places`` a second."""
    lag = min(len(path) - 1, max(1, round(LAG * places)))
    out = np.empty_like(path)
    out[lag:] = velocity(path[lag:], path[:-lag], lag / places)
    out[:lag] = out[lag]
    return out


def jump_sums(decay: FloatArray, *, back: bool) -> FloatArray:
    """Return the sum of all jumps from each place (N,), by what decays from place to place."""
    count = len(decay)
    out, total = np.ones(count), 0.0
    for j in range(1, count) if back else range(count - 2, -1, -1):
        total = decay[j if back else j + 1] * (1 + total)
        out[j] = max(total, 1e-3)
    return out
