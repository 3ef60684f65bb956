"""Forecasts of a live pose one sample ahead (section 2, after LaViola's comparison)."""

from __future__ import annotations

from typing import Literal

import numpy as np

from retime.arrays import FloatArray
from retime.errors import InputError

ForecastName = Literal["dead_reckoning", "exponential", "holt", "adaptive"]
FORECASTS: tuple[ForecastName, ...] = ("dead_reckoning", "exponential", "holt", "adaptive")

# Gains of level and trend.
_LEVEL, _TREND = 0.7, 0.5
# The adaptive gain is the share of recent errors with the same sign (Trigg and Leach), bounded.
_TRACKING, _LEAST_LEVEL, _MOST_LEVEL = 0.3, 0.3, 0.98


class Forecast:
    """Predicts the next of evenly spaced poses (J, 3)."""

    def __init__(self, name: ForecastName) -> None:
        if name not in FORECASTS:
            raise InputError(f"the forecast is {name!r}; it can be {', '.join(FORECASTS)}")
        self.name = name
        self._pose: FloatArray | None = None

    def next(self, pose: FloatArray) -> FloatArray:
        """Add a pose and return the predicted next one."""
        if self._pose is None:
            self._level = pose
            self._trend = self._error = np.zeros_like(pose)
            self._size = np.full((len(pose), 1), 1e-9)
            self._pose = pose
            return pose
        before, self._pose = self._pose, pose
        if self.name == "dead_reckoning":
            return pose + (pose - before)
        if self.name == "exponential":
            # A smoothed velocity in place of the last one.
            self._trend = self._trend + _LEVEL * (pose - before - self._trend)
            return pose + self._trend
        gain = np.full((len(pose), 1), _LEVEL)
        if self.name == "adaptive":
            error = pose - (self._level + self._trend)
            self._error = (1 - _TRACKING) * self._error + _TRACKING * error
            size = np.linalg.norm(error, axis=1, keepdims=True)
            self._size = (1 - _TRACKING) * self._size + _TRACKING * size
            one_sided = np.linalg.norm(self._error, axis=1, keepdims=True) / self._size
            gain = np.clip(one_sided, _LEAST_LEVEL, _MOST_LEVEL)
        level = gain * pose + (1 - gain) * (self._level + self._trend)
        self._trend = _TREND * (level - self._level) + (1 - _TREND) * self._trend
        self._level = level
        return level + self._trend
