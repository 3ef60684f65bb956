"""A smooth curve past accents on their beats, within limits of speed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.timing import TimeWarp
from retime.timing.curves import SPACING, monotone_cubic

Mask = npt.NDArray[np.bool_]

# Stiffness of the smoothing spline, from a straight line to one that meets every point.
_STIFFEST, _SOFTEST, _STEPS = 30.0, 1e-6, 48
# Points that must be met weigh this much more than others.
_FIRM = 1e4
# Accents may stay this many times the tolerance off their beats where limits of speed need it.
_GIVING = (1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)


def smooth_warp(
    points: FloatArray,
    firm: Mask,
    *,
    tolerance: float,
    limits: tuple[float, float],
    loop: bool = False,
) -> TimeWarp:
    """Make the smoothest warp that passes points within a tolerance on average.

    Parameters
    ----------
    points : array (K, 2)
        Output and source times, rising; the first and last are the warp's ends.
    firm : array (K,) of bool
        Which of them are met exactly; the ends always are.
    tolerance : float
        Root mean square of source times that the others may be off by, seconds. It grows where the
        limits are not met otherwise.
    limits : (float, float)
        Of the rate.
    loop : bool
        The rate agrees at the seam.
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
        curve = (
            TimeWarp(*monotone_cubic(points[:, 0], moved, loop=True), loop=True)
            if loop
            else _sampled(points[:, 0], moved)
        )
        excess = _excess(curve, limits)
        if excess < best or giving == 1.0:
            made, best = curve, excess
        if best <= 0:
            break
    return made


def _softened(points: FloatArray, firm: Mask, rms: float) -> FloatArray | None:
    """Move source times by ``rms`` on average, for the least bending; firm ones stay."""
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
        # Second differences, (n, n - 2): column k is that of the inner point k + 1.
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
        """Return the spline's values at its points."""
        from scipy.linalg import solveh_banded

        banded = self.roughness + stiffness * self.pull
        curvature = solveh_banded(banded, self.bend.T @ self.y, lower=True)
        out: FloatArray = self.y - stiffness * self.give * (self.bend @ curvature)
        return out


def _sampled(x: FloatArray, y: FloatArray) -> TimeWarp:
    """Sample a cubic spline through points; where it would turn back, a monotone one."""
    from scipy.interpolate import CubicSpline

    count = np.maximum(np.ceil(np.diff(x) / SPACING).astype(int), 1)
    parts = [
        np.linspace(a, b, n, endpoint=False) for a, b, n in zip(x[:-1], x[1:], count, strict=True)
    ]
    fine = np.r_[np.concatenate(parts), x[-1]]
    values = CubicSpline(x, y, bc_type="natural")(fine)
    values[np.r_[0, np.cumsum(count)]] = y  # keyed instants are exact
    if (np.diff(values) <= 0).any():
        return TimeWarp(*monotone_cubic(x, y))
    return TimeWarp(fine, values)


def _excess(warp: TimeWarp, limits: tuple[float, float]) -> float:
    """Return by how much a warp's rate leaves its limits; 0 where it does not."""
    rate = np.diff(warp.source) / np.diff(warp.output)
    return float(max(limits[0] - rate.min(), rate.max() - limits[1], 0.0))
