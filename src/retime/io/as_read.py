"""What writers ask of a motion: whether it is still as its file was read, and evenly sampled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from retime.arrays import FloatArray
from retime.motion import Motion, Pose
from retime.notes import Note, Remedy


class _Kept(Protocol):
    """What a format keeps of a file: the very objects of the motion as read."""

    @property
    def rotations(self) -> FloatArray: ...
    @property
    def translations(self) -> Mapping[str, FloatArray]: ...
    @property
    def rest_pose(self) -> Pose | None: ...


def is_as_read(motion: Motion, kept: _Kept) -> bool:
    """Whether nothing of a motion was retimed or edited; its frame rate is not looked at."""
    return (
        motion.origin is not None
        and motion.origin.warp is None
        and motion.rotations is kept.rotations
        and motion.rest_pose is kept.rest_pose
        and motion.translations.keys() == kept.translations.keys()
        and all(motion.translations[n] is t for n, t in kept.translations.items())
    )


def needs_even_frames(what: str) -> Note:
    """Say that a format holds frames of one rate alone."""
    return Note(f"{what} needs evenly spaced frames", Remedy("give a frame rate", parameter="fps"))
