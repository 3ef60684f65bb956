"""How short and how long a body could make a motion."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from retime.arrays import FloatArray
from retime.methods.physics.regions import MOST_CHANGE, MOST_SPEED, UNIT, Region

__all__ = ["fastest_speeds", "longest_duration", "shortest_duration"]


def fastest_speeds(regions: Sequence[Region], times: FloatArray) -> FloatArray | None:
    """Return p'^2 (F,) of the fastest feasible timing; ``None`` where none is feasible.

    Frames without a feasible timing of their own do not bind it.
    """
    from retime.methods.physics.timing_kernels import fastest

    box = np.array(
        [
            (-MOST_CHANGE, 0),
            (MOST_CHANGE, 0),
            (MOST_CHANGE, MOST_SPEED),
            (-MOST_CHANGE, MOST_SPEED),
        ]
    )
    corners = [box if r.empty else r.corners for r in regions]
    starts = np.r_[0, np.cumsum([len(c) for c in corners])].astype(np.int64)
    flat = np.concatenate(corners) / [UNIT, 1.0]
    step = float(times[1] - times[0])
    speeds: FloatArray
    speeds, _, failed = fastest(
        starts, flat, len(corners), step, UNIT, MOST_SPEED, MOST_SPEED, MOST_SPEED
    )
    return speeds if failed < 0 else None


def shortest_duration(speeds: FloatArray, times: FloatArray) -> float:
    """Return how long a motion lasts whose p'^2 is given at its frames, seconds."""
    return _seconds(np.sqrt(np.maximum(speeds, 1e-12)), times)


def longest_duration(regions: Sequence[Region], times: FloatArray) -> float | None:
    """Return the longest feasible duration, seconds; ``None`` where time may stand still."""
    if any(r.empty or r.corners[:, 1].min() < 1e-3 for r in regions):
        return None
    return _seconds(np.sqrt([r.corners[:, 1].min() for r in regions]), times)


def _seconds(rates: FloatArray, times: FloatArray) -> float:
    return float((2 * np.diff(times) / (rates[1:] + rates[:-1])).sum())
