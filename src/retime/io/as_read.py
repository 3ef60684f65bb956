"""Relate a motion to its source file: the data kept of it, whether it was edited, which rows."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from retime.errors import FormatError, InputError
from retime.motion import Motion, Origin
from retime.notes import Note, Remedy
from retime.timing import TimeWarp

_Kept = TypeVar("_Kept")


def with_origin(
    motion: Motion, form: str, path: str | Path, data: bytes, kept: Any, *, in_place: bool = False
) -> Motion:
    """Return a motion that knows its file: format, path, hash of the bytes, and the data kept.

    Of one that is retimed ``in_place``, edits of poses are told from changes of timing.
    """
    sha256 = hashlib.sha256(data).hexdigest()
    delivered = motion.tracks if in_place else None
    return replace(motion, origin=Origin(form, str(path), sha256, kept, delivered=delivered))


def kept_of(motion: Motion, kind: type[_Kept]) -> _Kept | None:
    """Return the data that a format kept of a motion's file; ``None`` if another format did."""
    kept = None if motion.origin is None else motion.origin.kept
    return kept if isinstance(kept, kind) else None


def warp_of(motion: Motion) -> TimeWarp | None:
    """Return the warp from a motion's time to that of its file; ``None`` if it was not retimed."""
    return None if motion.origin is None else motion.origin.warp


def is_as_read(motion: Motion, read: Motion) -> bool:
    """Return whether a motion still holds the arrays that were read, so that nothing was edited.

    Its frame rate is not compared.
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
    """Return the file's row nearest to each frame of a channel, (F,).

    The file has ``count`` rows of motion from row ``first`` on, at ``fps``.
    """
    warp = warp_of(motion)
    times = motion.times if warp is None else warp(motion.times, channel)
    frame = np.round(times * fps).astype(np.int64)
    if warp is not None and warp.loop and count > 1:
        frame %= count - 1
    return np.clip(frame, 0, count - 1) + first


def must_be_even(motion: Motion, what: str) -> None:
    """Reject unevenly spaced frames, for a format that needs a frame rate."""
    if motion.sample_times is not None:
        raise InputError(
            Note(
                f"{what} needs evenly spaced frames",
                Remedy("give a frame rate", parameter="fps"),
                code="uneven-samples",
            )
        )


def no_frame_rate(path: object) -> FormatError:
    """Return the error for a file without a frame rate, if none was given."""
    told = Note(
        "has no frame rate", Remedy("give it", parameter="reading.fps"), code="no-frame-rate"
    )
    return FormatError(told, path=str(path))
