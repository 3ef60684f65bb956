"""Inverse kinematics of a limb of two bones, in closed form."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from retime.quat import FloatArray

__all__ = ["two_bone"]

# A limb is never quite straight: at full stretch its bending plane would be undefined.
_STRAIGHTEST = 0.9999


def two_bone(
    base: FloatArray,
    target: FloatArray,
    upper: float,
    lower: float,
    pole: npt.ArrayLike,
) -> tuple[FloatArray, FloatArray]:
    """Place the middle joint of a two-bone limb.

    Parameters
    ----------
    base, target : array (..., 3)
        Where the limb starts and where it shall end.
    upper, lower : float
        Lengths of the two bones.
    pole : array (..., 3)
        Direction in which the middle joint bends out.

    Returns
    -------
    middle, end : array (..., 3)
        The middle joint, and the end that was reached: the target, or as near as the bones go.
    """
    reach = target - base
    distance = np.linalg.norm(reach, axis=-1, keepdims=True)
    direction = reach / np.maximum(distance, 1e-12)
    least = abs(upper - lower) + (1 - _STRAIGHTEST) * (upper + lower)
    distance = np.clip(distance, least, _STRAIGHTEST * (upper + lower))
    # Law of cosines: how far along the line to the target the middle joint lies, and how far off.
    along = (upper**2 + distance**2 - lower**2) / (2 * distance)
    off = np.sqrt(np.maximum(upper**2 - along**2, 0.0))
    pole = np.broadcast_to(np.asarray(pole, dtype=float), reach.shape)
    out = pole - (pole * direction).sum(-1, keepdims=True) * direction
    out = out / np.maximum(np.linalg.norm(out, axis=-1, keepdims=True), 1e-12)
    return base + along * direction + off * out, base + distance * direction
