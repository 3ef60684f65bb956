"""Smoothing rotations in time (Lee and Shin 2002): noise that staggering would bring to light.

Where markers lie nearly on a line, as along the back, solvers put noise into one joint and take
it out in the next. Parts that arrive at different times no longer cancel it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from retime.arrays import FloatArray
from retime.body import find_body
from retime.motion import Motion, quat

__all__ = ["noisy_joints", "smoothed"]

_TRUNK = ("spine", "chest", "upper_chest", "neck")


def noisy_joints(motion: Motion) -> tuple[str, ...]:
    """Name the joints that are filtered where none are named: the trunk's, and the fingers'."""
    body, skeleton = find_body(motion), motion.skeleton
    trunk = {body.roles[r] for r in _TRUNK if r in body.roles}
    if "hips" in body.roles and trunk:
        # What stands between two of the trunk's joints belongs to it, whatever its name.
        ends = [skeleton.chain(j) for j in trunk]
        trunk |= {j for chain in ends for j in chain if body.roles["hips"] in skeleton.chain(j)}
        trunk.discard(body.roles["hips"])
    hands = {body.roles[r] for r in ("left_hand", "right_hand") if r in body.roles}
    fingers = {j for j in range(len(skeleton)) if j not in hands and hands & set(skeleton.chain(j))}
    return tuple(skeleton.names[j] for j in sorted((trunk | fingers) - set(skeleton.roots)))


def smoothed(motion: Motion, seconds: float, joints: Sequence[str]) -> Motion:
    """Average rotations over a Gaussian window, and the places of roots; the end poses stay.

    The filter works on the way that a joint has turned, step by step, so that it means the same
    in any frame of reference.

    Parameters
    ----------
    motion : Motion
        The motion.
    seconds : float
        The window's standard deviation.
    joints : sequence of str
        Which joints; a root's translation goes with its rotation.
    """
    from scipy.ndimage import gaussian_filter1d

    width = seconds * motion.rate
    pad = min(round(4 * width), len(motion) - 1)
    if pad < 1:
        return motion

    def even(track: FloatArray) -> FloatArray:
        ends = ((pad, pad), *((0, 0),) * (track.ndim - 1))
        wide = np.pad(track, ends, mode="reflect", reflect_type="odd")
        out: FloatArray = gaussian_filter1d(wide, width, axis=0, mode="nearest")[pad:-pad]
        return out

    rotations = motion.rotations.copy()
    chosen = [motion.skeleton.index(name) for name in joints]
    q = rotations[:, chosen]
    steps = quat.log(quat.multiply(quat.conjugate(q[:-1]), q[1:]))
    way = np.concatenate([np.zeros((1, len(chosen), 3)), np.cumsum(steps, axis=0)])
    rotations[:, chosen] = quat.multiply(q, quat.exp(even(way) - way))
    roots = {motion.skeleton.names[r] for r in motion.skeleton.roots} & set(joints)
    places = {n: even(t) if n in roots else t for n, t in motion.translations.items()}
    return replace(motion, rotations=rotations, translations=places)
