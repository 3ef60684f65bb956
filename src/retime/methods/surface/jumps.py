"""Jumps of the hips that the waist cancels: errors of a capture that are not visible."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from retime.arrays import FloatArray
from retime.motion import Motion, quat
from retime.motion.kinematics import global_rotations
from retime.motion.memory import last

__all__ = ["undone_jumps"]

# A turn in one frame that is this many times as fast as nearly all others, in percent, is a jump.
_JUMP, _USUAL = 2.0, 99.0
# A jump is cancelled if the waist rotates in space by less than this fraction of it.
_UNDONE = 0.5


def undone_jumps(
    motion: Motion, hips: int, waist: int
) -> Callable[[FloatArray], FloatArray] | None:
    """Return the rotations (N, 4) at times (N,) that remove such jumps from the hips, if any.

    Rotated by them, the hips do not jump; rotated back by them, the waist does not either. Without
    them, the jumps would be visible if hips and waist are at different times.

    Parameters
    ----------
    motion : Motion
        The motion.
    hips, waist : int
        A joint, and the one above it on the spine.
    """
    turns = last(motion, "undone jumps", (hips, waist), lambda: _found(motion, hips, waist))
    if turns is None:
        return None

    def at(times: FloatArray) -> FloatArray:
        frame, share = motion.frame_at(times)
        return quat.slerp(turns[frame], turns[np.minimum(frame + 1, len(turns) - 1)], share)

    return at


def _found(motion: Motion, hips: int, waist: int) -> FloatArray | None:
    turns = global_rotations(motion)[:, [hips, waist]]
    speed = quat.angle(turns[:-1], turns[1:])
    usual = np.percentile(speed[:, 0], _USUAL) if len(speed) else 0.0
    jumps = (speed[:, 0] > _JUMP * usual) & (speed[:, 1] < _UNDONE * speed[:, 0])
    if not jumps.any():
        return None
    out = quat.identity(len(motion))
    for f in np.flatnonzero(jumps):
        back = quat.multiply(quat.conjugate(turns[f + 1, 0]), turns[f, 0])
        out[f + 1 :] = quat.multiply(back, out[f])
    return out
