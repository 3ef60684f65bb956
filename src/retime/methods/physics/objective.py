"""The objective (14), baked: six coefficients a frame for torques, a polygon for feasibility."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from retime.arrays import FloatArray
from retime.methods.physics.dynamics import Torques
from retime.methods.physics.regions import UNIT, Region

__all__ = ["Baked", "bake", "least_forces"]

# Rows of the root in fits of contact forces: they must be met, moments a little more.
_ROOT_WEIGHT = np.array([1.0, 1.0, 1.0, 3.0, 3.0, 3.0])
_MUST_BE_MET = 1e3
# What forces cost beside torques, so that of many that do, the least are taken.
_FORCE_COST = 0.02
# In flight a region is a point that no effort moves: torques must not outweigh it.
_FLIGHT_FIRMNESS = 10.0


@dataclass(frozen=True, eq=False)
class Baked:
    """The objective of every frame.

    Parameters
    ----------
    starts : array (F + 1,) of int
        Where each frame's corners begin.
    corners : array (V, 2)
        Of all frames' polygons, (p'' / unit, p'^2).
    matching : array (F, 6)
        Coefficients of x^2, x, x y, y^2, y, 1 of the squared torque errors in their limits, with
        x = p'^2 and y = p'' / unit.
    firmness : array (F,)
        What a distance from the region counts: more in flight, where nothing can give way.
    """

    starts: np.ndarray[tuple[int], np.dtype[np.int64]]
    corners: FloatArray
    matching: FloatArray
    firmness: FloatArray


def least_forces(
    torque: FloatArray, support: FloatArray, weight: float, target: FloatArray, scale: FloatArray
) -> FloatArray:
    """Find contact forces (L,) that meet the root's rows and come near to target torques."""
    from scipy.optimize import nnls

    if not support.shape[1]:
        return np.zeros(0)
    rows, right = _fit_rows(torque, support, weight, target, scale)
    return np.asarray(nnls(rows, right, maxiter=30 * rows.shape[1])[0])


def _fit_rows(
    torque: FloatArray, support: FloatArray, weight: float, target: FloatArray, scale: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Stack what contact forces should do: hold the root, leave the target torques, be small."""
    must = _MUST_BE_MET * _ROOT_WEIGHT / weight
    rows = np.vstack(
        [
            must[:, None] * support[:6] * weight,
            support[6:] * weight / scale[:, None],
            _FORCE_COST * np.eye(support.shape[1]),
        ]
    )
    right = np.r_[must * torque[:6], (torque[6:] - target) / scale, np.zeros(support.shape[1])]
    return rows, right


def bake(
    torques: Torques,
    maps: list[FloatArray],
    regions: list[Region],
    limits: FloatArray,
    weight: float,
    target: FloatArray,
) -> Baked:
    """Bake the objective: one affine map from (p'', p'^2) to contact forces a frame, then squares.

    Parameters
    ----------
    torques, maps, regions, limits, weight
        As of the model.
    target : array (F, joints' dofs)
        Torques that are matched, newton metres; zero for the least effort.
    """
    matching = np.zeros((len(maps), 6))
    for k, support in enumerate(maps):
        scale = limits[k, 6:]
        y0, x0 = regions[k].centre[0] / UNIT, regions[k].centre[1]
        by_timing = np.c_[torques.change[k] * UNIT, torques.speed[k]]
        at_centre = torques.gravity[k] + by_timing @ [y0, x0]
        error = (at_centre[6:] - target[k]) / scale
        slopes = by_timing[6:] / scale[:, None]
        if support.shape[1]:
            forces = regions[k].centre_forces / weight
            error = error - support[6:] @ forces * weight / scale
            rows, _ = _fit_rows(at_centre, support, weight, target[k], scale)
            must = _MUST_BE_MET * _ROOT_WEIGHT / weight
            wanted = np.vstack(
                [must[:, None] * by_timing[:6], slopes, np.zeros((support.shape[1], 2))]
            )
            change = np.linalg.lstsq(rows, wanted, rcond=None)[0]
            slopes = slopes - support[6:] @ change * weight / scale[:, None]
        error = error - slopes @ [y0, x0]
        y, x = slopes.T
        matching[k] = x @ x, 2 * error @ x, 2 * x @ y, y @ y, 2 * error @ y, error @ error
    starts = np.r_[0, np.cumsum([len(r.corners) for r in regions])].astype(np.int64)
    corners = np.concatenate([r.corners for r in regions]) / [UNIT, 1.0]
    firmness = np.array([1.0 if n.shape[1] else _FLIGHT_FIRMNESS for n in maps])
    return Baked(starts, np.ascontiguousarray(corners).reshape(-1, 2), matching, firmness)
