"""Joints beside dragged segments: they keep the body's time, as far as bounds allow."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np

from retime.arrays import FloatArray
from retime.joint_times import JointTimes

__all__ = ["beside"]

Curve = tuple[FloatArray, FloatArray]


def beside(times: JointTimes, dragged: Mapping[int, Curve], rate: float) -> dict[int, Curve]:
    """Return the curves of the other joints that move: output and source times, by joint.

    Parameters
    ----------
    times : JointTimes
        The motion.
    dragged : mapping of int to (array, array)
        Output and source times of the dragged joints.
    rate : float
        Samples of a curve per second, aligned with the frames of the motion.
    """
    modes = times.modes.with_own(dragged)
    (first, last), motion = times.motion.domain, times.motion
    start = max(first, min(float(t[0]) for t, _ in dragged.values()))
    end = min(last, max(float(t[-1]) for t, _ in dragged.values()))
    shifts = JointTimes(motion, modes, times.bounds).solve(
        {},
        exact={j: partial(_shift, curve) for j, curve in dragged.items()},
        span=(start, end),
    )
    low, high = np.ceil((start - first) * rate + 1e-6), np.floor((end - first) * rate - 1e-6)
    grid = np.r_[start, first + np.arange(low, high + 1) / rate, end]
    out: dict[int, Curve] = {}
    for leader, shift in shifts.curves.items():
        if shift.is_zero:
            continue
        curve = dragged.get(leader)
        if curve is None:
            curve = grid, grid + shift.at(grid)
        out |= {j: curve for j in modes.group(leader) if j not in dragged}
    return out


def _shift(curve: Curve, times: FloatArray) -> FloatArray:
    output, source = curve
    return np.interp(times, output, source - output, left=0.0, right=0.0)
