"""The default aligner: a belief over all positions; exact on copies, and follows other takes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.errors import InputError
from retime.methods.align.aligner import Aligner
from retime.methods.align.copies import CopyFilter
from retime.methods.align.cycles import AGREE, CycleFilter
from retime.methods.align.joints import Recording
from retime.methods.align.poses import LivePose, own_heading
from retime.motion import Motion

# The performance counts as a copy while its joints are within this many metres of the recording;
# once a copy, it may be a little farther.
_COPY, _STAYS_COPY = 0.02, 1.2
# The belief moves the exact filter from this confidence on, across this much travel (m), and while
# a copy moves faster than this (m/s): where a recording hardly moves, belief is spread out, and its
# mean is not reliable.
_SURE, _FAR, _CREEPS = 0.8, 0.04, 0.1
# Another action is performed if the belief is standing while the mean joint is faster than this
# (m/s), averaged over this time (s). Confidence falls from the first to the second mean share.
_STANDS, _LATELY = 0.25, 1.5
_ASTRAY, _SURELY_ASTRAY = 0.25, 0.6


class BayesAligner(Aligner):
    """Follows a performance by belief over (place in the recording, rate).

    Copies of the recording are followed to milliseconds; other takes of the same action may differ
    in body, posture and waits. Where the recording repeats itself, belief keeps all cycles:
    ``confidence`` is that of the time, ``phase`` that of the place in the cycle.

    Parameters
    ----------
    reference : Motion, Recording or array (N, J, 3)
        The recording: a motion, or positions in metres, Y up, with their times.
    times : array (N,), optional
        With positions: their times in seconds.
    joints : sequence of str, optional
        Roles to follow, and the order of a pose's joints. Default: the 16 joints of the paper.
    start : {"beginning", "anywhere"}
        Whether a performance begins at the recording's beginning, or anywhere in it.

    Examples
    --------
    >>> from retime import positions, samples
    >>> from retime.live import BayesAligner, tracked_points
    >>> walk = samples.walk()
    >>> aligner = BayesAligner(walk)
    >>> poses, _ = tracked_points(walk, aligner.joints)
    >>> for time, pose in zip(walk.times, poses):       # the walk itself, at half its speed
    ...     now = aligner.step(pose, 2 * time)
    >>> bool(abs(now - walk.times[-1]) < 0.01), round(aligner.rate, 1)
    (True, 0.5)
    """

    def __init__(
        self,
        reference: Motion | npt.ArrayLike | Recording,
        *,
        times: npt.ArrayLike | None = None,
        joints: Sequence[str] | None = None,
        start: Literal["beginning", "anywhere"] = "beginning",
    ) -> None:
        if start not in ("beginning", "anywhere"):
            raise InputError(f"the start is {start!r}; it can be beginning or anywhere")
        super().__init__(reference, times=times, joints=joints)
        duration = self.recording.end - self.recording.start
        self._belief = CycleFilter(self._path(CycleFilter.grid(duration)), duration)
        self._copies = CopyFilter(self._path(CopyFilter.grid(duration)), duration)
        self._is_copy, self._astray = False, 0.0
        self.start = start
        self.reset()

    def _path(self, places: int) -> FloatArray:
        even = np.linspace(self.recording.start, self.recording.end, places)
        return own_heading(self.recording.at(even)) * self._sizer.scale

    @property
    def is_copy(self) -> bool:
        """Whether the performer is so close to the recording that it is followed as a copy."""
        return self._is_copy

    def first_time_like(self, time: float) -> float:
        """Return the first repetition of a time in the recording, or the time itself."""
        return self.recording.start + self._belief.first_like(time - self.recording.start)

    def reset(self) -> None:
        """Reset the aligner: forget the performer, and wait for the next start."""
        super().reset()
        if self.start == "anywhere":
            self._belief.seek(None)

    def _place(self, time: float) -> None:
        self._belief.seek(time - self.recording.start)
        self._copies.seek(time - self.recording.start)
        self._is_copy, self._astray = False, 0.0

    def _follow(self, live: LivePose, seconds: float) -> float:
        belief, copies = self._belief, self._copies
        belief.step(live, seconds)
        copies.step(live, seconds)
        self._is_copy = copies.distance < _COPY * (_STAYS_COPY if self._is_copy else 1.0)
        apart = (
            abs(copies.time - belief.time) > AGREE
            and belief.travel(copies.time, belief.time) > _FAR
            and not (self._is_copy and belief.speed < _CREEPS)
        )
        if apart and belief.confidence > _SURE:
            copies.seek(belief.time)
        exact = self._is_copy and (not apart or belief.confidence < _SURE)
        self.rate = copies.rate if exact else belief.rate
        still = copies.still if exact else belief.still
        moves = min(max(belief.speed / _STANDS - 1, 0.0), 1.0)
        self.stopped = still > 0.5 and moves < 0.5
        found = copies.time if exact else belief.time
        place = belief.place if not exact else copies.place if self.stopped else copies.time
        self.place = self.recording.start + place
        fit = self._fit(still * moves, seconds)
        self.confidence, self.phase = (fit * sure for sure in belief.around(found))
        return self.recording.start + found

    def _fit(self, astray: float, seconds: float) -> float:
        """Return how well the recording fits at all, 0 to 1, over the last seconds."""
        share = 1 - math.exp(-seconds / _LATELY)
        self._astray += share * (astray - self._astray)
        return 1 - min(max((self._astray - _ASTRAY) / (_SURELY_ASTRAY - _ASTRAY), 0.0), 1.0)
