"""Cubic splines of a channel: fitted to samples between knots, of rotations or of positions."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from retime import _native
from retime.arrays import FloatArray

Fit = Literal["log", "levenberg-marquardt"]
_ITERATIONS = 15


def fit_spline(
    values: FloatArray, times: FloatArray, knots: FloatArray, ends: FloatArray, fit: Fit
) -> FloatArray:
    """Fit the controls (K - 1, 4, D) of splines between knots to values at times."""
    values, ends = np.ascontiguousarray(values), np.ascontiguousarray(ends)
    if values.shape[-1] == 3:
        return _native.splines.fit_places(values, times, knots, ends)
    iterations = _ITERATIONS if fit == "levenberg-marquardt" else 0
    return _native.splines.fit_rotations(values, times, knots, ends, iterations)


def evaluate_spline(controls: FloatArray, knots: FloatArray, t: FloatArray) -> FloatArray:
    """Evaluate splines between knots at times."""
    splines = _native.splines
    evaluate = splines.evaluate_places if controls.shape[-1] == 3 else splines.evaluate_rotations
    return evaluate(np.ascontiguousarray(controls), knots, np.ascontiguousarray(t))


def near_side(detail: FloatArray) -> FloatArray:
    """Choose the sign of quaternions (F, 4) that gives the smaller angle."""
    if detail.shape[-1] == 3:
        return detail
    return np.where(detail[:, :1] < 0, -detail, detail)


def flipped_ends(
    ends: FloatArray, values: FloatArray, times: FloatArray, knots: FloatArray
) -> npt.NDArray[np.bool_]:
    """Mark knot values with another sign than the sample before them."""
    if ends.shape[-1] == 3:
        return np.zeros((len(ends), 1), dtype=bool)
    before = np.clip(np.searchsorted(times, knots, side="right") - 1, 0, len(times) - 1)
    flipped: npt.NDArray[np.bool_] = (ends * values[before]).sum(-1, keepdims=True) < 0
    return flipped
