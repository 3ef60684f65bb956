"""Sample a motion at the frames of an output."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from retime import _native
from retime.arrays import FloatArray
from retime.errors import InputError
from retime.motion.layers import Sampled
from retime.motion.loops import ground_displacement, travels, wrap
from retime.motion.motion import Motion, trust
from retime.notes import Note
from retime.sentences import Duration
from retime.times import whole_frames
from retime.timing import TimeWarp

# Largest size of the rotations of a motion: half an hour of 150 joints at 120 fps.
MOST_BYTES = 1 << 30
# A smaller rounding of a length, in frames, is not worth a note.
_WORTH_SAYING = 0.005


@dataclass(frozen=True, eq=False)
class Frames:
    """Times of the frames of an output, and their nominal frame rate."""

    times: FloatArray
    fps: float
    uneven: bool = False
    notes: tuple[Note, ...] = ()

    @classmethod
    def of(
        cls,
        motion: Motion,
        domain: tuple[float, float],
        fps: float | None,
        exact: bool,
        times: npt.ArrayLike | None,
    ) -> Frames:
        """Choose the frames of an output; parameters are those of :func:`retime.apply`."""
        rate = motion.rate if fps is None else _rate(fps)
        if times is not None:
            return cls(_given(times), rate, uneven=True)
        start, end = domain
        count = (end - start) * rate
        most = MOST_BYTES // (32 * len(motion.skeleton))
        if count > most:
            raise InputError(
                "{length} at {rate:g} fps is {count:.3g} frames, more than the {most} that fit in "
                "memory; lower the frame rate or the duration",
                length=Duration(end - start),
                rate=rate,
                count=count,
                most=most,
            )
        if end <= start:
            return cls(np.array([start]), rate)
        n = max(whole_frames(end - start, rate), 1)
        if exact:
            return cls(np.linspace(start, end, n + 1), n / (end - start))
        # The end pose is on the last whole frame: only the last interval changes, by at most half a
        # frame, so that keytimes stay in place.
        notes = () if abs(count - n) <= _WORTH_SAYING else (_rounding(end - start, n, rate),)
        return cls(np.r_[start + np.arange(n) / rate, end], rate, notes=notes)


def _rate(fps: float) -> float:
    try:
        rate = float(fps)
    except (TypeError, ValueError):
        raise InputError(f"the frame rate is {fps!r}, which is not a number") from None
    if not (np.isfinite(rate) and rate > 0):
        raise InputError(f"the frame rate must be above 0, not {fps}")
    return rate


def _rounding(length: float, n: int, rate: float) -> Note:
    return Note(
        "the length was rounded from {asked:.5g} to {made:.5g}, {frames} frames at {fps:g} fps",
        code="length-rounded",
        asked=Duration(length),
        made=Duration(n / rate),
        frames=n + 1,
        fps=rate,
    )


def _given(times: npt.ArrayLike) -> FloatArray:
    try:
        given = np.array(times, dtype=float)
        if given.ndim == 1 and given.size and np.isfinite(given).all():
            return given
    except (TypeError, ValueError):
        pass
    raise InputError("output times must be a list of finite numbers")


@dataclass(frozen=True, eq=False)
class ChannelTimes:
    """Times (F,) of the frames: those of the body, and of channels that differ."""

    body: FloatArray
    channels: Mapping[str, FloatArray]

    def of(self, channel: str) -> FloatArray:
        """Return the times of a channel."""
        return self.channels.get(channel, self.body)

    def wrapped(self, span: tuple[float, float]) -> ChannelTimes:
        """Return the times of a cycle, wrapped into its span."""
        return ChannelTimes(
            wrap(self.body, span)[0], {n: wrap(t, span)[0] for n, t in self.channels.items()}
        )

    def through(self, warp: TimeWarp) -> ChannelTimes:
        """Return the source times of a warp at these output times."""
        names = dict.fromkeys([*self.channels, *warp.channels])
        return ChannelTimes(warp(self.body), {n: warp(self.of(n), n) for n in names})


def channel_of(motion: Motion, name: str, translation: bool) -> str:
    """Return the channel of a track; translations of roots have their own."""
    is_root = motion.skeleton.parents[motion.skeleton.index(name)] < 0
    return f"{name}:translation" if translation and is_root else name


def sample(
    motion: Motion,
    times: ChannelTimes,
    *,
    loop: bool,
    in_space: frozenset[str] = frozenset(),
) -> Sampled:
    """Sample the source, each channel at its own times; some joints by their rotation in space."""
    names = motion.skeleton.names
    own = [n for n in times.channels if n in motion.channels]
    column_of = {n: k for k, n in enumerate(own, 1)}
    stacked = np.stack([times.body, *(times.channels[n] for n in own)], axis=1)
    turns = np.zeros(stacked.shape)
    if loop:
        stacked, turns = wrap(stacked, motion.domain)
    frame, share = motion.frame_at(stacked)
    column = np.array([column_of.get(n, 0) for n in names], dtype=np.int64)
    at = motion.rotations, frame, share, column
    if in_space and own:
        marked = np.array([n in in_space for n in names], dtype=np.int64)
        made = _native.motion.resample_in_space(*at, motion.skeleton.parents, marked)
    else:
        made = _native.motion.resample_rotations(*at)
    rotations = trust(made)

    def track(values: FloatArray, channel: str) -> FloatArray:
        k = column_of.get(channel, 0)
        i, u = frame[:, k], share[:, k, None]
        after = np.minimum(i + 1, len(values) - 1)
        return values[i] + u * (values[after] - values[i])

    translations = {}
    for name, values in motion.translations.items():
        channel = channel_of(motion, name, translation=True)
        translations[name] = track(values, channel)
        if loop and travels(motion, name):
            turn = turns[:, column_of.get(channel, 0), None]
            translations[name] = translations[name] + turn * ground_displacement(motion, name)
    scales = {n: track(v, n) for n, v in motion.scales.items()}
    return rotations, translations, scales


def rest_of(motion: Motion) -> Callable[[str], tuple[FloatArray, FloatArray]]:
    """Return a function of a joint's name that returns its rest offset and rest scale."""
    skeleton = motion.skeleton

    def rest(name: str) -> tuple[FloatArray, FloatArray]:
        j = skeleton.index(name)
        return skeleton.offsets[j], skeleton.rest_scales[j]

    return rest
