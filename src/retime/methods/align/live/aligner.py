"""Common part of all aligners: poses in, times of the recording out."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from retime.errors import InputError
from retime.methods.align.joints import Recording, record
from retime.methods.align.live.stamps import Clock
from retime.methods.align.live.trail import Trail
from retime.methods.align.poses import LivePose, Sizer
from retime.motion import Motion
from retime.sentences import Moment, Span
from retime.timing import TimeWarp

# Longer gaps of the stream count as this (s).
_LONGEST_GAP = 1.0
# A jump of the time by this much more than the stream (s) is a relocation.
_RELOCATES = 0.3
# Confidence from which a time, or a place in the cycle, is known.
_KNOWN = 0.5
# Number of visible joints that is enough for full confidence.
_ENOUGH_JOINTS = 8

Knowledge = Literal["following", "following the cycle", "lost"]


class Aligner(ABC):
    """Finds the recording's time for each pose of a performance, as the poses come.

    Parameters
    ----------
    reference : Motion, Recording or array (N, J, 3)
        The recording: a motion, or positions in metres, Y up, with their times.
    times : array (N,), optional
        With positions: their times in seconds.
    joints : sequence of str, optional
        Roles to follow, and the order of a pose's joints. Default: the 16 joints of the paper.

    Attributes
    ----------
    joints : tuple of str
        The order of a pose's joints.
    time : float
        The recording's time, as last emitted.
    place : float
        The same without the rule that time does not run back: a little earlier where a performer
        stopped more suddenly than expected.
    rate : float
        Playback speed, in seconds of the recording per live second.
    confidence : float
        Confidence of the time, 0 to 1; lower with few visible joints.
    phase : float
        Confidence of the position in the cycle, 0 to 1, in any repetition.
    state : {"following", "following the cycle", "lost"}
        Whether the time is known, only the position in a cycle, or neither.
    stopped : bool
        The performer stands still where the recording moves.
    relocations : int
        How often the performer was found at another place, and time did not run on to it.
    """

    def __init__(
        self,
        reference: Motion | npt.ArrayLike | Recording,
        *,
        times: npt.ArrayLike | None = None,
        joints: Sequence[str] | None = None,
    ) -> None:
        self.recording = record(reference, times=times, joints=joints)
        self.joints = self.recording.joints
        self._sizer = Sizer(self.recording)
        self._forget()

    def _forget(self) -> None:
        self._clock = Clock()
        self._trail = Trail()
        self._unseen, self._is_placed = 0.0, True
        self.time = self.place = self.recording.start
        self.rate, self.confidence, self.phase, self.stopped = 1.0, 0.0, 0.0, False
        self.relocations = 0

    def step(self, pose: npt.ArrayLike, time: float) -> float:
        """Add a live pose and return its time in the recording.

        ``pose`` (J, 3) are positions of the joints in metres, Y up, at any place and heading; NaN
        for a hidden joint. ``time`` is in seconds of the sender's clock; a pose no later than the
        last is ignored. The result is in seconds of the recording. It decreases only when the
        performer is found at an earlier time, which ``relocations`` counts.
        """
        seconds = self._clock.advance(time)
        if seconds is None:
            return self.time
        live = self._sizer.live(pose, seconds)
        if self._is_placed and not self._sizer.stands:
            self._sizer.stand(live, self.recording.at(self.time), seconds)
            live = self._sizer.live(pose, learn=False)
        if not live.visible.any():
            self._unseen += seconds
            self.confidence = self.phase = 0.0
        else:
            gap = min(self._unseen + seconds, _LONGEST_GAP)
            self._unseen = 0.0
            found = self._follow(live, gap)
            self._go_to(found, gap)
            seen = min(1.0, float(live.visible.sum()) / _ENOUGH_JOINTS) ** 0.5
            self.confidence = min(max(self.confidence, 0.0), 1.0) * seen
            self.phase = max(min(self.phase, 1.0) * seen, self.confidence)
            if self.phase >= _KNOWN:  # a wrong place tells a wrong floor
                self._sizer.stand(live, self.recording.at(self.time), gap)
        self._trail.add(self._clock.now, self.time)
        return self.time

    def _go_to(self, found: float, seconds: float) -> None:
        """Take over the time that was found."""
        back = self.time - found
        if back > _RELOCATES:
            self._trail = Trail()  # a warp does not run back
            self.time = found
        else:
            self.time = min(max(self.time, found), self.recording.end)
        if back > _RELOCATES or -back > _RELOCATES + 2 * self.rate * seconds:
            self.relocations += 1

    @property
    def state(self) -> Knowledge:
        """Whether the time is known, only the position in a cycle, or neither."""
        if self.confidence >= _KNOWN:
            return "following"
        return "following the cycle" if self.phase >= _KNOWN else "lost"

    @abstractmethod
    def _follow(self, live: LivePose, seconds: float) -> float:
        """Find the recording's time for a pose; set rate, confidence, phase and stopped."""

    @abstractmethod
    def _place(self, time: float) -> None:
        """Go on from a time of the recording, its start included."""

    def ahead(self, seconds: float) -> float:
        """Predict the recording's time some seconds from now, at the current rate."""
        return min(self.time + self.rate * max(seconds, 0.0), self.recording.end)

    def first_time_like(self, time: float) -> float:
        """Return the first repetition of a time in the recording, or the time itself."""
        return time

    @property
    def warp(self) -> TimeWarp:
        """The warp so far, from live to recorded time, within half a millisecond.

        After thousands of knots, older parts are stored more coarsely to limit memory.
        Before the first pose, and after a seek, it has one knot.
        """
        if self._trail.empty:
            now = 0.0 if math.isnan(self._clock.now) else self._clock.now
            return TimeWarp([now], [self.time])
        return self._trail.warp()

    def reset(self) -> None:
        """Reset the aligner: forget the performer, and wait at the start of the recording."""
        self._forget()
        self._sizer.reset()
        self._place(self.recording.start)

    def know(self, sizer: Sizer) -> None:
        """Use body proportions of the performer that are already known."""
        self._sizer.learn(sizer)

    def seek(self, time: float) -> None:
        """Continue from another time of the recording, which may be earlier."""
        if not isinstance(time, int | float | np.number):
            raise InputError(f"a time to seek is a number of seconds, not {time!r}")
        if not self.recording.start <= time <= self.recording.end:
            raise InputError(
                "{time} is outside the recording, {recording}",
                time=Moment(time),
                recording=Span(self.recording.start, self.recording.end),
            )
        self.time = self.place = float(time)
        self.rate, self.confidence, self.phase, self.stopped = 1.0, 0.0, 0.0, False
        self._trail, self._unseen = Trail(), 0.0
        self._place(self.time)
