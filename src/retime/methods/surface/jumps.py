"""Jumps of a joint that the next one cancels: errors of a capture that are not visible."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from retime.arrays import FloatArray
from retime.motion import Motion, quat
from retime.motion.kinematics import global_rotations
from retime.motion.memory import last

__all__ = ["undone_jumps"]

# A turn in one frame that is this many times as fast as nearly all others, in percent, is a jump.
_JUMP, _USUAL = 3.0, 95.0
# A jump is cancelled if the next joint rotates in space by less than this fraction of it.
_UNDONE = 0.5


def undone_jumps(
    motion: Motion, joint: int, below: int
) -> Callable[[FloatArray], FloatArray] | None:
    """Return the rotations (N, 4) at times (N,) that remove such jumps from a joint, if any.

    Rotated by them, the joint does not jump; rotated back by them, the one below does not either.
    Without them, the jumps would be visible if both are at different times.

    Parameters
    ----------
    motion : Motion
        The motion.
    joint, below : int
        A joint, such as the hips, and one below it in the skeleton, such as the waist.
    """
    pair = (joint, below)
    turns = last(motion, f"jumps undone by {below}", pair, lambda: _found(motion, *pair))
    if turns is None:
        return None

    def at(times: FloatArray) -> FloatArray:
        frame, share = motion.frame_at(times)
        return quat.slerp(turns[frame], turns[np.minimum(frame + 1, len(turns) - 1)], share)

    return at


def _found(motion: Motion, joint: int, below: int) -> FloatArray | None:
    turns = global_rotations(motion)[:, [joint, below]]
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
