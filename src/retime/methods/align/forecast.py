"""Forecasts of a live pose one sample ahead (section 2, after LaViola's comparison)."""

from __future__ import annotations

from typing import Literal

import numpy as np

from retime.arrays import FloatArray
from retime.errors import InputError

ForecastName = Literal["dead_reckoning", "exponential"]
FORECASTS: tuple[ForecastName, ...] = ("dead_reckoning", "exponential")

# Gain of the smoothed velocity.
_GAIN = 0.7


class Forecast:
    """Predicts the next of evenly spaced poses (J, 3), by the last velocity or a smoothed one."""

    def __init__(self, name: ForecastName) -> None:
        if name not in FORECASTS:
            raise InputError(f"the forecast is {name!r}; it can be {', '.join(FORECASTS)}")
        self._gain = _GAIN if name == "exponential" else 1.0
        self._pose: FloatArray | None = None

    def next(self, pose: FloatArray) -> FloatArray:
        """Add a pose and return the predicted next one."""
        if self._pose is None:
            self._pose, self._way = pose, np.zeros_like(pose)
            return pose
        self._way = self._way + self._gain * (pose - self._pose - self._way)
        self._pose = pose
        return pose + self._way
