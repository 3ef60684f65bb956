"""Rest frames: whether a clip starts with a pose that was put before the motion."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from retime.arrays import FloatArray
from retime.io.parameters import RestFrame
from retime.motion import Pose, quat
from retime.notes import Note

# A rest frame: most joints that move later are at zero, and the next frame is a jump.
_REST_ANGLE = np.radians(0.1)
_REST_SHARE = 0.5
_REST_JUMP = np.radians(5.0)
_REST_JUMP_RATIO = 8.0


def set_aside(
    rotations: FloatArray, translations: Mapping[str, FloatArray], rest_frame: RestFrame
) -> tuple[int, Pose | None, list[Note]]:
    """Return the number of frames before the motion (0 or 1), their pose, and notes."""
    aside = int(rest_frame == "first" or (rest_frame == "auto" and starts_at_rest(rotations)))
    if not aside or not len(rotations):
        return aside, None, []
    pose = Pose(rotations[0], {n: t[0] for n, t in translations.items()})
    said = Note(
        "frame 0 is an added rest pose: set aside, and restored on writing",
        code="rest-frame-set-aside",
    )
    return 1, pose, [said]


def starts_at_rest(rotations: FloatArray) -> bool:
    """Return whether frame 0 is a rest pose that was added before the motion.

    It is a rest pose if most of the joints that turn later are at zero in it, hardly any in the
    next frame, and the step between them is far larger than the motion's own steps.
    """
    if len(rotations) < 3:
        return False
    # A sample of frames is enough: pairs of neighbours, spread over the clip.
    pair = np.linspace(1, len(rotations) - 2, min(len(rotations) - 2, 128)).astype(int)
    usual = float(np.median(quat.angle(rotations[pair], rotations[pair + 1]).mean(axis=1)))
    rotations = rotations[np.r_[0, 1, pair]]
    turned = 2 * np.arccos(np.clip(np.abs(rotations[..., 0]), 0.0, 1.0))
    moving = turned[1:].max(axis=0) > np.radians(0.5)
    if not moving.any():
        return False
    at_zero = (turned[:2, moving] < _REST_ANGLE).mean(axis=1)
    if at_zero[0] < _REST_SHARE or at_zero[1] > at_zero[0] / 2:
        return False
    jump = float(quat.angle(rotations[0], rotations[1]).mean())
    return jump > _REST_JUMP and jump > _REST_JUMP_RATIO * usual
