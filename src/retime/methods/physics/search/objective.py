"""The objective (14), baked: six coefficients a frame for torques, a polygon for feasibility."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from retime import _native
from retime.arrays import FloatArray
from retime.methods.physics.figure.dynamics import Torques
from retime.methods.physics.limits.forces import FORCE_COST, MUST_BE_MET
from retime.methods.physics.limits.regions import UNIT, Regions

# In flight a region is a point, and torques must not outweigh it.
FLIGHT_FIRMNESS = 1000.0
# Weight of the recorded speed, too small to be seen where any torque counts.
_FAINT = 1e-3


@dataclass(frozen=True, eq=False)
class Baked:
    """The objective of every frame."""

    starts: np.ndarray[tuple[int], np.dtype[np.int64]]
    """Index of the first corner of each frame. Shape (F + 1,)."""
    corners: FloatArray
    """Corners (p'' / unit, p'^2) of the polygons of all frames. Shape (V, 2)."""
    matching: FloatArray
    """Coefficients of x^2, x, x y, y^2, y, 1 of the squared torque errors in their limits, with
    x = p'^2 and y = p'' / unit. Shape (F, 6).
    """
    firmness: FloatArray
    """Weight of a distance from the region; larger in flight, where there is no slack. Shape
    (F,).
    """


@dataclass(frozen=True, eq=False)
class Effort:
    """The joints' torques as functions of the timing: still + speed p'^2 + change p''.

    Parameters
    ----------
    still, speed, change : array (F, joints' dofs)
        Newton metres, with contact forces that change linearly from the region's centre on.
    """

    still: FloatArray
    speed: FloatArray
    change: FloatArray


def effort_of(
    torques: Torques, maps: Sequence[FloatArray], regions: Regions, limits: FloatArray, part: slice
) -> Effort:
    """Find one affine map from (p'', p'^2) to contact forces a frame, and the torques it leaves."""
    frames, weight = range(len(maps))[part], regions.within.weight
    out = np.empty((len(frames), 3, limits.shape[1] - 6))
    for row, k in enumerate(frames):
        centre = regions.centres[k]
        out[row] = _native.physics_contacts.effort_maps(
            maps[k], weight, MUST_BE_MET / weight, limits[k, 6:], FORCE_COST,
            torques.gravity[k], torques.speed[k], torques.change[k],
            centre, regions.within.plausible_forces(k, centre) / weight,
        )  # fmt: skip
    return Effort(out[:, 0], out[:, 1], out[:, 2])


def matching(
    effort: Effort, target: FloatArray, scale: FloatArray, usual: FloatArray
) -> FloatArray:
    """Return the squared differences of torques from a target, as in :class:`Baked`.

    Parameters
    ----------
    effort : Effort
        The joints' torques.
    target : array (F, joints' dofs)
        Torques that are matched, newton metres; zero for the least effort.
    scale : array (F, joints' dofs)
        Most torque of each row.
    usual : array (F,)
        x*, the recorded p'^2, which counts where no torque does.
    """
    error = (effort.still - target) / scale
    x, y = effort.speed / scale, UNIT * effort.change / scale

    def dot(a: FloatArray, b: FloatArray) -> FloatArray:
        return np.asarray(np.einsum("fj,fj->f", a, b))

    # The faint part is FAINT (x - x*)^2.
    return np.stack(
        [dot(x, x) + _FAINT, 2 * dot(error, x) - 2 * _FAINT * usual, 2 * dot(x, y), dot(y, y),
         2 * dot(error, y), dot(error, error) + _FAINT * usual**2], axis=1,
    )  # fmt: skip
