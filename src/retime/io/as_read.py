"""Questions of writers: whether a motion is unedited, and which rows of its file it has."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from retime.errors import FormatError
from retime.motion import Motion
from retime.notes import Note, Remedy


def is_as_read(motion: Motion, read: Motion) -> bool:
    """Return whether nothing of a motion was retimed or edited; its frame rate is not looked at.

    It still holds the very arrays of the motion as its file was read.
    """
    return (
        motion.origin is not None
        and motion.origin.warp is None
        and motion.rotations is read.rotations
        and motion.rest_pose is read.rest_pose
        and motion.translations.keys() == read.translations.keys()
        and all(motion.translations[n] is t for n, t in read.translations.items())
    )


def nearest_rows(
    motion: Motion, channel: str, *, fps: float, count: int, first: int
) -> npt.NDArray[np.int64]:
    """Find the file's row nearest to what each frame of a channel shows, (F,).

    The file has ``count`` rows of motion from row ``first`` on, ``fps`` of them a second.
    """
    warp = motion.origin.warp if motion.origin is not None else None
    times = motion.times if warp is None else warp(motion.times, channel)
    frame = np.round(times * fps).astype(np.int64)
    if warp is not None and warp.loop and count > 1:
        frame %= count - 1
    return np.clip(frame, 0, count - 1) + first


def needs_even_frames(what: str) -> Note:
    """Say that a format holds frames of one rate alone."""
    return Note(
        f"{what} needs evenly spaced frames",
        Remedy("give a frame rate", parameter="fps"),
        code="uneven-samples",
    )


def no_frame_rate(path: object) -> FormatError:
    """Note that a file has no frame rate, and none was given."""
    told = Note(
        "has no frame rate", Remedy("give it", parameter="reading.fps"), code="no-frame-rate"
    )
    return FormatError(told, path=str(path))
