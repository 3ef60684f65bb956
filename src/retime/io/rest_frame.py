"""Rest frames: how many frames at a clip's start are rest poses put before the motion."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.io.parameters import RestFrame
from retime.motion import Pose, quat
from retime.notes import Note

# A rest frame: most joints that move later are at zero, and the first frame of motion is a jump.
_REST_ANGLE = np.radians(0.1)
_REST_SHARE = 0.5
_REST_JUMP = np.radians(5.0)
_REST_JUMP_RATIO = 8.0
# Programs add a few frames; a longer rest, or one of more of a clip, is part of the motion.
_MOST_FRAMES = 9
_MOST_SHARE = 0.25
# Smaller steps are still, radians. With more than this share of them a clip is stepped, and holds
# its poses: half of the steps are still on twos, a third if half of those drawings are on ones, and
# at most 1 % in recordings.
_STILL, _STEPPED = 1e-4, 0.3
# Frames that are looked at.
_SAMPLED = 128


def set_aside(
    rotations: FloatArray, translations: Mapping[str, FloatArray], rest_frame: RestFrame
) -> tuple[int, Pose | None, list[Note]]:
    """Return the number of frames before the motion, the pose of the first, and notes."""
    aside = {"keep": 0, "first": 1}.get(rest_frame)
    if aside is None:
        aside = count_rest_frames(rotations)
    if not aside or not len(rotations):
        return aside, None, []
    pose = Pose(rotations[0], {n: t[0] for n, t in translations.items()})
    said = Note(
        f"{_named(aside)}: set aside, and restored on writing",
        code="rest-frame-set-aside",
        frames=aside,
    )
    return aside, pose, [said]


def _named(count: int) -> str:
    if count == 1:
        return "frame 0 is an added rest pose"
    return f"frames 0 {'and' if count == 2 else 'to'} {count - 1} are added rest poses"


def count_rest_frames(rotations: FloatArray) -> int:
    """Return the number of frames with rest poses that were added before the motion.

    They are rest poses if most of the joints that turn later are at zero in each of them, hardly
    any in the next frame, and the step to it is far larger than the motion's own steps.
    """
    if len(rotations) < 3:
        return 0
    pair = _sample(len(rotations))
    steps = quat.angle(rotations[pair], rotations[pair + 1]).mean(axis=1)
    stepped = np.mean(steps < _STILL) > _STEPPED
    # The median of held poses is 0, or what happens in several frames.
    usual = float(np.mean(steps) if stepped else np.median(steps))
    moving = _turned(rotations[pair]).max(axis=0) > np.radians(0.5)
    if not moving.any():
        return 0
    most = max(min(_MOST_FRAMES, int(_MOST_SHARE * len(rotations))), 1)
    if stepped:
        most = 1  # a rest of more frames may be its first pose
    at_zero = (_turned(rotations[: most + 1, moving]) < _REST_ANGLE).mean(axis=1)
    for count in range(1, most + 1):
        if at_zero[count - 1] < _REST_SHARE:
            return 0
        if at_zero[count] <= at_zero[count - 1] / 2:
            jump = float(quat.angle(rotations[count - 1], rotations[count]).mean())
            return count if jump > _REST_JUMP and jump > _REST_JUMP_RATIO * usual else 0
    return 0


def _sample(count: int) -> npt.NDArray[np.int64]:
    """Return some of a clip's frames that have a next one, spread over it, but not the first."""
    if count - 2 <= _SAMPLED:
        return np.arange(1, count - 1)
    # By the golden ratio: even spacing would hit only the still frames of poses held for two.
    share = (np.arange(_SAMPLED) * ((5**0.5 - 1) / 2)) % 1
    return np.asarray(1 + share * (count - 2), dtype=np.int64)


def _turned(rotations: FloatArray) -> FloatArray:
    """Return the angles of rotations, radians."""
    angles: FloatArray = 2 * np.arccos(np.clip(np.abs(rotations[..., 0]), 0.0, 1.0))
    return angles
