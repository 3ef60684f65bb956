"""Middle joints of limbs as hinges: knees and elbows bend about one axis."""

from __future__ import annotations

import numpy as np

from retime.arrays import FloatArray
from retime.body.body import Limb
from retime.motion import Motion, quat
from retime.motion.kinematics import global_rotations, positions

__all__ = ["bent_about", "hinge_axis", "off_line"]


def off_line(distance: FloatArray, upper: FloatArray, lower: FloatArray) -> FloatArray:
    """Return how far the middle joint is off the line between a limb's ends, (F,)."""
    distance = np.maximum(distance, 1e-9)
    along = (upper**2 + distance**2 - lower**2) / (2 * distance)
    return np.asarray(np.sqrt(np.maximum(upper**2 - along**2, 0.0)))


def bent_about(
    offset: FloatArray, line: FloatArray, hinge: FloatArray, size: FloatArray
) -> FloatArray:
    """Return the direction (F, 3) in which a middle joint is off its limb's line.

    An offset that grows in its own direction would turn a hair's breadth on the wrong side of
    straight into a knee that bends backwards: what is bent more turns to where the hinge bends.

    Parameters
    ----------
    offset : array (F, 3)
        How the middle joint is off the line now.
    line : array (F, 3)
        The line's direction.
    hinge : array (F, 3)
        The middle joint's axis.
    size : array (F,)
        How far it shall be off.
    """
    out = _unit(np.cross(line, hinge))
    now = np.linalg.norm(offset, axis=-1)
    aside = np.arctan2((np.cross(offset, out) * line).sum(-1), (offset * out).sum(-1))
    kept = np.clip(now / np.maximum(size, 1e-12), 0.0, 1.0) ** 2
    turned = quat.rotate(quat.from_axis_angle(line, (1 - kept) * aside), offset)
    return np.where(now[:, None] > 1e-9, turned, out)


def hinge_axis(motion: Motion, limb: Limb) -> FloatArray | None:
    """Return the axis (3,) of a limb's middle joint in its first bone's frame.

    A leg that never bends would bend towards its toes; ``None`` for other limbs that do not.
    """
    points, turns = positions(motion), global_rotations(motion)[:, limb.upper]
    hip, knee, end = (points[:, j] for j in (limb.upper, limb.lower, limb.end))

    def mean(axes: FloatArray, least: float) -> FloatArray | None:
        local = quat.rotate(quat.conjugate(turns), axes).mean(axis=0)
        size = float(np.linalg.norm(local))
        return np.asarray(local / size) if size > least else None

    found = mean(np.cross(_unit(knee - hip), _unit(end - knee)), 1e-4)
    if found is None and limb.tip is not None:
        found = mean(np.cross(points[:, limb.tip] - end, end - hip), 1e-6)
    return found


def _unit(v: FloatArray) -> FloatArray:
    out: FloatArray = v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-12)
    return out
