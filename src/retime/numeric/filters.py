"""Filters of signals along their first axis, which is time."""

from __future__ import annotations

from typing import Literal

from retime import _native
from retime.arrays import FloatArray, columns

__all__ = ["Ends", "gaussian_filter", "low_pass", "moving_maximum", "moving_mean"]

Ends = Literal["nearest", "reflect", "wrap"]
# The numbers by which the kernels know them.
_ENDS: dict[Ends, int] = {"nearest": 0, "reflect": 1, "wrap": 2}
# A Gaussian ends this many standard deviations from its middle.
_WIDTH = 4.0
_WIDEST = 1e7


def gaussian_filter(values: FloatArray, sigma: float, *, ends: Ends = "reflect") -> FloatArray:
    """Smooth signals by a Gaussian.

    Parameters
    ----------
    values : array (F, ...)
        The signals.
    sigma : float
        Standard deviation in frames.
    ends : {"reflect", "nearest", "wrap"}
        Beyond its ends a signal is reflected, keeps its value, or repeats.

    Examples
    --------
    >>> import numpy as np
    >>> gaussian_filter(np.array([0.0, 0.0, 1.0, 0.0, 0.0]), 0.5).round(3)
    array([0.   , 0.106, 0.787, 0.106, 0.   ])
    """
    if not 0 <= sigma <= _WIDEST:
        raise ValueError(f"the standard deviation of a filter is {sigma} frames")
    reach = int(_WIDTH * sigma + 0.5)
    out = _native.numeric.gaussian_filter(columns(values), sigma, reach, _ENDS[ends])
    return out.reshape(values.shape)


def low_pass(values: FloatArray, cutoff: float, *, pad: int) -> FloatArray:
    """Remove fast changes from signals, without delay, by a Butterworth filter.

    The filter is of second order and is run in both directions.

    Parameters
    ----------
    values : array (F, ...)
        The signals.
    cutoff : float
        Frequency whose amplitude is halved, in cycles per frame: below 0.5.
    pad : int
        Frames by which signals are lengthened at both ends before that, turned about the end.
    """
    if not 0 < cutoff < 0.5:
        raise ValueError(f"the cutoff of a filter is {cutoff} cycles per frame, expected 0 to 0.5")
    out = _native.numeric.low_pass(columns(values), cutoff, pad)
    return out.reshape(values.shape)


def moving_mean(values: FloatArray, size: int) -> FloatArray:
    """Return the mean of signals (F, ...) over a window of frames; ends are reflected."""
    return _native.numeric.moving_mean(columns(values), size).reshape(values.shape)


def moving_maximum(values: FloatArray, size: int) -> FloatArray:
    """Return the maximum of signals (F, ...) over a window of frames; ends are reflected.

    Examples
    --------
    >>> import numpy as np
    >>> moving_maximum(np.array([0.0, 3.0, 1.0, 0.0, 0.0]), 3)
    array([3., 3., 3., 1., 0.])
    """
    return _native.numeric.moving_maximum(columns(values), size).reshape(values.shape)
