"""Speeds and accelerations of sampled points, by least squares over short windows."""

from __future__ import annotations

from functools import cache

import numpy as np

from retime import _native
from retime.arrays import FloatArray

# Speeds are slopes of lines over this half window; accelerations are parabolas over the first of
# these half windows whose noise is low enough; seconds.
LINE = 0.04
PARABOLA = (0.05, 0.065, 0.08, 0.1, 0.13)

# Largest noise of accelerations, m/s^2.
_NOISE = 1.0
GRAVITY = 9.81


@cache
def weights(half: float, rate: float, order: int, most: int | None = None) -> FloatArray:
    """Return the weights whose sum with samples is their first (1) or second (2) derivative.

    Parameters
    ----------
    half : float
        Half of the window, seconds.
    rate : float
        Samples per second.
    order : {1, 2}
        Order of the derivative: the slope of a line, or the acceleration of a parabola.
    most : int, optional
        Largest number of samples on each side.
    """
    width = max(round(half * rate), 1)
    width = width if most is None else min(width, most)
    t = np.arange(-width, width + 1) / rate
    basis = np.stack([t**k for k in range(order + 1)], axis=1)
    out: FloatArray = np.linalg.pinv(basis)[order] * order
    return out


def fitted(track: FloatArray, rate: float, half: float, order: int) -> FloatArray:
    """Return derivatives (F, ...) of a track at equal intervals; the ends repeat the nearest."""
    flat = np.ascontiguousarray(track).reshape(len(track), -1)
    window = weights(half, rate, order, (len(track) - 1) // 2)
    return _native.contacts.windowed_sums(flat, window).reshape(track.shape)


def speeds(places: FloatArray, rate: float) -> FloatArray:
    """Return the speeds (P, F) of points (P, F, 3)."""
    return np.asarray(np.linalg.norm(fitted(places.transpose(1, 0, 2), rate, LINE, 1), axis=-1).T)


def needed_force(centre: FloatArray, rate: float) -> FloatArray:
    """Return the external force on a body, (F,) in body weights."""
    if len(centre) < 7:
        return np.ones(len(centre))
    # Fifth differences remove most of the motion and multiply noise by the root of 252.
    noise = np.median(np.abs(np.diff(centre[:, 1], 5))) / 0.6745 / np.sqrt(252)
    quiet = (h for h in PARABOLA if noise * np.linalg.norm(weights(h, rate, 2)) < _NOISE)
    bent = fitted(centre, rate, next(quiet, PARABOLA[-1]), 2)
    out: FloatArray = np.linalg.norm(bent + GRAVITY * np.array([0.0, 1.0, 0.0]), axis=1) / GRAVITY
    return out
