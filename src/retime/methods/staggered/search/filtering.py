"""Smooth rotations in time (Lee and Shin 2002), because staggering makes noise visible.

If markers lie nearly on a line, as along the back, solvers add noise to one joint and remove it in
the next. When parts arrive at different times, this noise no longer cancels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from retime.arrays import FloatArray
from retime.body import find_body
from retime.motion import Motion, quat
from retime.motion.loops import travels
from retime.numeric import gaussian_filter

__all__ = ["noisy_joints", "smoothed"]

_TRUNK = ("spine", "chest", "upper_chest", "neck")


def noisy_joints(motion: Motion) -> tuple[str, ...]:
    """Return the joints that are filtered by default: those of the trunk and the fingers."""
    body, skeleton = find_body(motion), motion.skeleton
    trunk = {body.roles[r] for r in _TRUNK if r in body.roles}
    if "hips" in body.roles and trunk:
        # Joints between two joints of the trunk belong to it, whatever their names.
        ends = [skeleton.chain(j) for j in trunk]
        trunk |= {j for chain in ends for j in chain if body.roles["hips"] in skeleton.chain(j)}
        trunk.discard(body.roles["hips"])
    hands = {body.roles[r] for r in ("left_hand", "right_hand") if r in body.roles}
    fingers = {j for j in range(len(skeleton)) if j not in hands and hands & set(skeleton.chain(j))}
    return tuple(skeleton.names[j] for j in sorted((trunk | fingers) - set(skeleton.roots)))


def smoothed(motion: Motion, seconds: float, joints: Sequence[str]) -> Motion:
    """Average rotations and root positions over a Gaussian window; the end poses do not change.

    The filter uses the accumulated rotation from frame to frame, so its result does not depend on
    the frame of reference.

    Parameters
    ----------
    motion : Motion
        The motion.
    seconds : float
        The window's standard deviation.
    joints : sequence of str
        Joints to filter; a translation that moves the whole body is filtered with the rotation.
    """
    width = seconds * motion.rate
    pad = min(round(4 * width), len(motion) - 1)
    if pad < 1:
        return motion

    def even(track: FloatArray) -> FloatArray:
        ends = ((pad, pad), *((0, 0),) * (track.ndim - 1))
        wide = np.pad(track, ends, mode="reflect", reflect_type="odd")
        return gaussian_filter(wide, width, ends="nearest")[pad:-pad]

    rotations = motion.rotations.copy()
    chosen = [motion.skeleton.index(name) for name in joints]
    q = rotations[:, chosen]
    steps = quat.log(quat.multiply(quat.conjugate(q[:-1]), q[1:]))
    way = np.concatenate([np.zeros((1, len(chosen), 3)), np.cumsum(steps, axis=0)])
    rotations[:, chosen] = quat.multiply(q, quat.exp(even(way) - way))
    places = {
        n: even(t) if n in joints and travels(motion, n) else t
        for n, t in motion.translations.items()
    }
    return replace(motion, rotations=rotations, translations=places)
