"""Move and turn a motion on the ground."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from retime.arrays import FloatArray
from retime.motion import Motion, quat
from retime.motion.kinematics import global_transforms, upright


def placed(motion: Motion, turn: float, shift: FloatArray) -> Motion:
    """Turn a motion about the vertical through the origin, then shift it.

    Parameters
    ----------
    motion : Motion
        The motion.
    turn : float
        Radians, from +Z to +X.
    shift : array (3,)
        Metres, Y up.
    """
    # The file's axes may be turned: a turn about the world's vertical, seen from the file.
    base = upright(motion.units)
    about_y = quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), turn)
    by = quat.multiply(quat.conjugate(base), quat.multiply(about_y, base))
    moved = quat.rotate(quat.conjugate(base), np.asarray(shift)) / motion.units.metres
    rotations = motion.rotations.copy()
    translations = dict(motion.translations)
    for root in motion.skeleton.roots:
        name = motion.skeleton.names[root]
        rotations[:, root] = quat.multiply(by, rotations[:, root])
        translations[name] = quat.rotate(by, motion.translations[name]) + moved
    return replace(motion, rotations=rotations, translations=translations, origin=None)


def ground_place(motion: Motion, time: float, joints: list[int]) -> FloatArray:
    """Return the mean place (3,) of joints at a time, on the ground, metres."""
    points = global_transforms(motion)[0][:, joints].mean(axis=1) * motion.units.metres
    points = quat.rotate(upright(motion.units), points)
    place = np.array([np.interp(time, motion.times, c) for c in points.T])
    return np.asarray(place * [1.0, 0.0, 1.0])
