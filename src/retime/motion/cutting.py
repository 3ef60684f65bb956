"""Cut motions; the parts keep the link to their file."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from retime.errors import InputError
from retime.motion.origin import Origin
from retime.motion.touched import TouchedLater
from retime.sentences import Moment, Span
from retime.times import ClipTime, Clock, parse_time
from retime.timing import TimeWarp

if TYPE_CHECKING:
    from retime.motion.motion import Motion

# Times closer than this to a sample, in frames, are that sample.
_SNAP = 1e-6


def cut(motion: Motion, part: slice) -> Motion:
    """Return the frames of a slice, in frame numbers, or in seconds if an end is a float."""
    if not isinstance(part, slice):
        raise InputError(
            f"a motion is cut by a slice, not by {part!r}: motion[10:50] are frames 10 to 49, "
            "motion[10:11] is one frame, motion[1.0:2.5] is by seconds"
        )
    start, stop, step = _frames_of(motion, part)
    if step == 1 and (start, stop) == (0, len(motion)):
        return motion
    return _picked(motion, start, stop, step)


def between(motion: Motion, start: Any = None, end: Any = None) -> Motion:
    """Return the frames from one time to another, both included; see :meth:`Motion.between`."""
    if not len(motion):
        raise InputError("the motion has no frames to take a part of")
    first, last = motion.domain
    a = first if start is None else seconds_of(motion, start, "start")
    b = last if end is None else seconds_of(motion, end, "end")
    hair = _SNAP / motion.rate
    if not first - hair <= a <= b <= last + hair:
        raise InputError(
            "{part} is not a part of the clip, {clip}", part=Span(a, b), clip=Span(first, last)
        )
    inside = np.flatnonzero((motion.times >= a - hair) & (motion.times <= b + hair))
    if not len(inside):
        raise InputError(
            "the clip has no frame at {part}; its rate is {rate:g} fps",
            part=Span(a, b),
            rate=motion.rate,
        )
    return cut(motion, slice(int(inside[0]), int(inside[-1]) + 1))


def trim(
    motion: Motion, start: float | str | None = None, end: float | str | None = None
) -> Motion:
    """Keep a part of a motion; the result has the start time of the motion.

    Parameters
    ----------
    motion : Motion
        The motion to trim.
    start : float or str, optional
        First time to keep: seconds, or text such as ``"48f"`` or ``"20%"``. Default: the start.
    end : float or str, optional
        Last time to keep. Default: the end.

    Returns
    -------
    Motion
        The frames from ``start`` to ``end``, both included. It can be retimed and written in place.

    Examples
    --------
    >>> from retime import samples, trim
    >>> jump = samples.jump()
    >>> middle = trim(jump, 0.5, "1.25")
    >>> middle.start, round(middle.duration, 3)
    (0.0, 0.75)
    """
    return moved(between(motion, start, end), motion.start)


def moved(motion: Motion, start: float) -> Motion:
    """Return the motion with another start time."""
    by = start - motion.start
    if by == 0 or not len(motion):
        return motion
    origin = motion.origin
    if origin is not None:
        warp = TimeWarp.identity(*motion.domain) if origin.warp is None else origin.warp
        origin = replace(origin, warp=warp.shifted(by))
    times = None if motion.sample_times is None else motion.sample_times + by
    return replace(motion, start=start, sample_times=times, origin=origin)


def seconds_of(motion: Motion, time: Any, name: str) -> float:
    """Convert a time in a motion, a number or text, to seconds."""
    if isinstance(time, str):
        time = parse_time(time, name, "source")
    if not isinstance(time, ClipTime):
        return _finite_number(time, name)
    time = replace(time, kind="source")
    if time.unit == "%" and motion.duration == 0:
        raise InputError(f"{name} is {time}, but a clip of one frame has no length")
    if time.unit == "f" and motion.sample_times is not None:
        raise InputError(
            f"{name} is {time}, but the clip's frames are unevenly spaced, so it has no frame "
            "rate; write seconds, or resample it first"
        )
    return Clock.of(motion).seconds(time, name)


def _finite_number(time: Any, name: str) -> float:
    try:
        seconds = float(time)
    except (TypeError, ValueError):
        seconds = float("nan")
    if not np.isfinite(seconds):
        raise InputError(f"{name} is {time!r}, which is not a time")
    return seconds


def _frames_of(motion: Motion, part: slice) -> tuple[int, int, int]:
    """Return the first frame, the one after the last, and the step of a slice."""
    count = len(motion)
    if isinstance(part.start, str | float) or isinstance(part.stop, str | float):
        part = _in_frames(motion, part)
    try:
        start, stop, step = part.indices(count)
    except (TypeError, ValueError):
        raise InputError(
            f"[{part.start}:{part.stop}:{part.step}] is not a slice of a motion; ends are frames "
            "(whole numbers) or seconds (2.0)"
        ) from None
    if step < 0:
        raise InputError("a slice runs forwards; play a motion backwards by a warp's reverse()")
    first = 0 if part.start is None else part.start
    last = count if part.stop is None else part.stop
    if first > count or last < -count or start > stop:
        raise InputError(f"frames {first} to {last} are outside the clip, which has {count} frames")
    return start, stop, step


def _in_frames(motion: Motion, part: slice) -> slice:
    """Return a slice in seconds as one in frames."""

    def frame(end: Any, name: str) -> int | None:
        return None if end is None else _frame_from(motion, seconds_of(motion, end, name))

    start, stop = frame(part.start, "the slice's start"), frame(part.stop, "the slice's end")
    return slice(start, stop, part.step)


def _frame_from(motion: Motion, seconds: float) -> int:
    """Return the first frame at or after a time."""
    if not len(motion):
        return 0
    hair = _SNAP / motion.rate
    first, last = motion.domain
    if not first - 1 / motion.rate - hair <= seconds <= last + 1 / motion.rate + hair:
        raise InputError(
            "{time} is outside the clip, {clip}", time=Moment(seconds), clip=Span(first, last)
        )
    return int(np.searchsorted(motion.times, seconds - hair))


def _picked(motion: Motion, start: int, stop: int, step: int) -> Motion:
    from retime.motion.motion import trust

    part = slice(start, stop, step)
    rotations = motion.rotations[part]
    times = motion.times[part]
    picked = replace(
        motion,
        rotations=trust(rotations) if step == 1 else rotations,
        translations={n: t[part] for n, t in motion.translations.items()},
        scales={n: t[part] for n, t in motion.scales.items()},
        fps=motion.fps / step,
        start=float(times[0]) if len(times) else motion.start,
        sample_times=None if motion.sample_times is None else times,
        origin=None,
    )
    if motion.origin is not None and len(times):
        # Set here, because a copy would be checked again.
        object.__setattr__(picked, "origin", _origin_of(motion, motion.origin, picked))
    return picked


def _origin_of(motion: Motion, origin: Origin, part: Motion) -> Origin:
    """Return the origin of a part of a motion."""
    ends = part.times[[0, -1]] if len(part) > 1 else part.times
    straight = TimeWarp(ends, ends)
    warp = straight if origin.warp is None else origin.warp @ straight
    if origin.delivered is None:
        return replace(origin, warp=warp)
    touched = TouchedLater(lambda: motion.touched)
    return replace(origin, warp=warp, delivered=part.tracks, touched=touched)
