"""The default aligner: exact on copies of the recording, and able to follow another take."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.methods.align.aligner import Aligner
from retime.methods.align.copies import CopyFilter
from retime.methods.align.joints import Recording
from retime.methods.align.poses import LivePose, own_heading
from retime.methods.align.takes import TakeFilter
from retime.motion import Motion

# The performance counts as a copy while its joints are within this many metres of the recording;
# once a copy, it may be a little farther.
_COPY, _STAYS_COPY = 0.02, 1.2
# Filters that lie farther apart than this do not follow the same place.
_APART = 0.15
_SURE = 0.8
# After a gap in the stream the performer may be anywhere: seconds, and the share of belief in it.
_LONG_GAP, _AFTER_GAP = 0.5, 0.3
# While it is no copy, a little belief is put everywhere now and then, in case the place is wrong.
_LOOK_EVERY, _LOOK_SHARE = 1.0, 1e-5

# Somebody who does something else: belief has them stand (by this mean share) while their mean
# joint is faster than this, metres a second; or their mean joint is off by so many metres, a little
# more than other takes of an action are, or surely. Over so many seconds.
_STANDS, _ASTRAY = 0.25, 0.5
_OFF, _SURELY_OFF = 0.2, 0.3
_LATELY = 1.5


class BayesAligner(Aligner):
    """Follows a performance by belief over (place in the recording, rate).

    Two filters run side by side: one for copies of the recording, which is exact to milliseconds,
    and one for other takes of the same action, which forgives another body, another posture and
    waits of another length. The first is heard while the performer is within 2 cm of the recording.

    Parameters
    ----------
    reference : Motion, Recording or array (N, J, 3)
        The recording: a motion, or positions in metres, Y up, with their times.
    times : array (N,), optional
        With positions: their times in seconds.
    joints : sequence of str, optional
        Roles to follow, and the order of a pose's joints; left out, the 16 joints of the paper.

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
    ) -> None:
        super().__init__(reference, times=times, joints=joints)
        duration = self.recording.end - self.recording.start
        self._copies = CopyFilter(self._path(CopyFilter.grid(duration)), duration)
        self._takes = TakeFilter(self._path(TakeFilter.grid(duration)), duration)
        self._is_copy, self._since_look = False, 0.0
        self._astray = self._off = 0.0
        self._warm_up()
        self.reset()

    def _warm_up(self) -> None:
        """Compile and load everything now: the first live pose must not wait for it."""
        pose = self.recording.points[0]
        self._follow(self._sizer.live(pose), 0.04)

    def _path(self, places: int) -> FloatArray:
        even = np.linspace(self.recording.start, self.recording.end, places)
        return own_heading(self.recording.at(even)) * self._sizer.scale

    @property
    def is_copy(self) -> bool:
        """Whether the performer is so near to the recording that it is followed as a copy."""
        return self._is_copy

    def _place(self, time: float) -> None:
        self._copies.seek(time - self.recording.start)
        self._takes.seek(time - self.recording.start)
        self._is_copy = False
        self._since_look = 0.0
        self._astray = self._off = 0.0

    def _follow(self, live: LivePose, seconds: float) -> float:
        copies, takes = self._copies, self._takes
        self._since_look += seconds
        if seconds >= _LONG_GAP:
            takes.look_everywhere(_AFTER_GAP)
        elif not self._is_copy and self._since_look > _LOOK_EVERY:
            self._since_look = 0.0
            takes.look_everywhere(_LOOK_SHARE)
        copies.step(live, seconds)
        takes.step(live, seconds)
        self._is_copy = copies.distance < _COPY * (_STAYS_COPY if self._is_copy else 1.0)
        if abs(copies.time - takes.time) > _APART:
            # The one that is heard tells the other where to go on.
            if self._is_copy:
                takes.seek(copies.time)
            elif takes.confidence > _SURE:
                copies.seek(takes.time)
        heard = copies if self._is_copy else takes
        self.rate, self.confidence = heard.rate, heard.confidence
        moves = min(max(takes.speed / _STANDS - 1, 0.0), 1.0)
        self.confidence *= self._fit(heard.still * moves, takes.distance, seconds)
        self.stopped = heard.still > 0.5 and moves < 0.5
        return self.recording.start + heard.time

    def _fit(self, astray: float, off: float, seconds: float) -> float:
        """Return how well the recording fits at all, 0 to 1: belief compares its places only."""
        share = 1 - math.exp(-seconds / _LATELY)
        self._astray += share * (astray - self._astray)
        self._off += share * (off - self._off)
        worst = max(self._astray / _ASTRAY, (self._off - _OFF) / (_SURELY_OFF - _OFF))
        return 1 - min(max(worst, 0.0), 1.0)
