"""Joint positions at 60 Hz, for accents and the Beat Alignment Score."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from retime.arrays import FloatArray
from retime.body import find_body
from retime.errors import InputError
from retime.motion import Motion
from retime.motion.kinematics import positions
from retime.motion.memory import last
from retime.numeric import gaussian_filter
from retime.sentences import Duration
from retime.timing import TimeWarp

# Sampling rate of the score by its definition (AIST++), Hz.
RATE = 60.0
_ENDS = ("left_hand", "right_hand", "left_foot", "right_foot", "head", "hips")


@dataclass(frozen=True, eq=False)
class Tracks:
    """Positions of joints at even times."""

    times: FloatArray
    """Times (F,) in seconds, at 60 Hz."""
    points: FloatArray
    """Positions (F, J, 3) in metres."""
    ends: tuple[int, ...]
    """Joints that can make strokes: hands, feet, head and hips."""

    def warped(self, warp: TimeWarp) -> Tracks:
        """Return the tracks retimed by a warp, again at 60 Hz."""
        times = _even_times(*warp.domain)
        place = np.clip((warp(times) - self.times[0]) * RATE, 0, len(self.times) - 1)
        low = np.minimum(place.astype(int), len(self.times) - 2)
        share = (place - low)[:, None, None]
        points = self.points[low] * (1 - share) + self.points[low + 1] * share
        return Tracks(times, points, self.ends)


def _even_times(start: float, end: float) -> FloatArray:
    """Return times at 60 Hz before the end; rounding does not add the end itself."""
    count = int(np.ceil((end - start) * RATE - 1e-6))
    return np.asarray(start + np.arange(count) / RATE)


def tracks_of(motion: Motion) -> Tracks:
    """Sample the joints of a motion; the result is cached with the motion."""
    return last(motion, "music tracks", (), lambda: _tracks(motion))


def _tracks(motion: Motion) -> Tracks:
    if motion.duration < 1:
        raise InputError(
            "the motion lasts {duration:.3g}; accents are found in {least} or more",
            duration=Duration(motion.duration),
            least=Duration(1.0),
        )
    points = positions(motion)
    # Avoid aliasing.
    if motion.rate > 1.5 * RATE:
        points = gaussian_filter(points, motion.rate / (2 * RATE))
    times = _even_times(*motion.domain)
    own = motion.times
    low = np.clip(np.searchsorted(own, times, side="right") - 1, 0, len(own) - 2)
    share = ((times - own[low]) / (own[low + 1] - own[low]))[:, None, None]
    body = find_body(motion)
    ends = [j for role in _ENDS if (j := body.joint(role)) is not None]
    parents = set(motion.skeleton.parents)
    leaves = [j for j in range(len(motion.skeleton.names)) if j not in parents]
    return Tracks(
        times,
        points[low] * (1 - share) + points[low + 1] * share,
        tuple(ends or leaves),
    )
