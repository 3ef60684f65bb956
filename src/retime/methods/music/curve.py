"""Fit a smooth warp to accents on beats, within limits of speed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.timing import TimeWarp
from retime.timing.monotone import SPACING, monotone_cubic

Mask = npt.NDArray[np.bool_]

# Stiffness of the smoothing spline, from a straight line to interpolation of all points.
_STIFFEST, _SOFTEST, _STEPS = 30.0, 1e-6, 48
# Relative weight of points that must be met.
_FIRM = 1e4
# Factors on the tolerance that are tried if the speed is not within its limits.
_GIVING = (1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)


def smooth_warp(
    points: FloatArray,
    firm: Mask,
    *,
    tolerance: float,
    limits: tuple[float, float],
    loop: bool = False,
) -> TimeWarp:
    """Return the smoothest warp whose mean distance from points is within a tolerance.

    Parameters
    ----------
    points : array (K, 2)
        Increasing output and source times; the first and last are the ends of the warp.
    firm : array (K,) of bool
        Points that are met exactly; the ends always are.
    tolerance : float
        Root mean square error of the source times of other points, seconds. It is increased if the
        limits cannot be met otherwise.
    limits : (float, float)
        Lowest and highest rate.
    loop : bool
        The rate is equal at both ends.
    """
    firm = firm.copy()
    firm[[0, -1]] = True
    made = TimeWarp(*monotone_cubic(points[:, 0], points[:, 1], loop=loop), loop=loop)
    if len(points) < 5:
        return made
    best = _excess(made, limits)
    for giving in _GIVING:
        moved = _softened(points, firm, max(tolerance, 1e-4) * giving)
        if moved is None:
            continue
        curve = _sampled(points[:, 0], moved, loop)
        excess = _excess(curve, limits)
        if excess < best or giving == 1.0:
            made, best = curve, excess
        if best <= 0:
            break
    return made


def _softened(points: FloatArray, firm: Mask, rms: float) -> FloatArray | None:
    """Return source times moved by at most ``rms`` for the least bending, or ``None``."""
    x, y = points.T
    free = ~firm
    if not free.any():
        return np.array(y)
    smoothed = _Smoothing(x, y, np.where(firm, _FIRM, 1.0))
    for stiffness in np.geomspace(_STIFFEST, _SOFTEST, _STEPS):
        moved = np.where(firm, y, smoothed.at(stiffness))
        if (np.diff(moved) > 0).all() and np.sqrt(np.mean((moved - y)[free] ** 2)) <= rms:
            return moved
    return None


class _Smoothing:
    """Natural cubic smoothing splines through the same points (Reinsch 1967), by stiffness."""

    def __init__(self, x: FloatArray, y: FloatArray, weights: FloatArray) -> None:
        gap = np.diff(x)
        n = len(x)
        self.y, self.give = y, 1 / weights
        # Second differences, (n, n - 2): column k belongs to the inner point k + 1.
        self.bend = np.zeros((n, n - 2))
        k = np.arange(n - 2)
        self.bend[k, k] = 1 / gap[:-1]
        self.bend[k + 1, k] = -1 / gap[:-1] - 1 / gap[1:]
        self.bend[k + 2, k] = 1 / gap[1:]
        self.roughness = np.zeros((3, n - 2))
        self.roughness[0] = (gap[:-1] + gap[1:]) / 3
        self.roughness[1, :-1] = gap[1:-1] / 6
        moved = self.bend.T @ (self.give[:, None] * self.bend)
        self.pull = np.zeros((3, n - 2))
        for below in range(3):
            self.pull[below, : n - 2 - below] = np.diagonal(moved, -below)

    def at(self, stiffness: float) -> FloatArray:
        """Return the values of the spline at its points."""
        from scipy.linalg import solveh_banded

        banded = self.roughness + stiffness * self.pull
        curvature = solveh_banded(banded, self.bend.T @ self.y, lower=True)
        out: FloatArray = self.y - stiffness * self.give * (self.bend @ curvature)
        return out


def _sampled(x: FloatArray, y: FloatArray, loop: bool) -> TimeWarp:
    """Sample a cubic spline through points; a monotone one for cycles, or if it is not monotone."""
    from scipy.interpolate import CubicSpline

    if loop:
        return TimeWarp(*monotone_cubic(x, y, loop=True), loop=True)
    count = np.maximum(np.ceil(np.diff(x) / SPACING).astype(int), 1)
    parts = [
        np.linspace(a, b, n, endpoint=False) for a, b, n in zip(x[:-1], x[1:], count, strict=True)
    ]
    fine = np.r_[np.concatenate(parts), x[-1]]
    values = CubicSpline(x, y, bc_type="natural")(fine)
    values[np.r_[0, np.cumsum(count)]] = y  # exact at the points
    if (np.diff(values) <= 0).any():
        return TimeWarp(*monotone_cubic(x, y))
    return TimeWarp(fine, values)


def _excess(warp: TimeWarp, limits: tuple[float, float]) -> float:
    """Return the largest distance of a warp's rate from its limits; 0 if it is within them."""
    rate = np.diff(warp.source) / np.diff(warp.output)
    return float(max(limits[0] - rate.min(), rate.max() - limits[1], 0.0))
