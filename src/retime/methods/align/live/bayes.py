"""The default aligner: a belief over all positions; exact on copies, and follows other takes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy.typing as npt

from retime.errors import InputError
from retime.methods.align.joints import Recording
from retime.methods.align.live.aligner import Aligner
from retime.methods.align.live.belief import Belief
from retime.methods.align.poses import LivePose
from retime.motion import Motion

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
        self._belief, self._astray = Belief(self.recording, self._sizer.scale), 0.0
        self.start = start
        self.reset()

    @property
    def is_copy(self) -> bool:
        """Whether the performer is so close to the recording that it is followed as a copy."""
        return self._belief.copy > 0.5

    def first_time_like(self, time: float) -> float:
        """Return the first repetition of a time in the recording, or the time itself."""
        return self.recording.start + self._belief.first_like(time - self.recording.start)

    def reset(self) -> None:
        """Reset the aligner: forget the performer, and wait for the next start."""
        super().reset()
        if self.start == "anywhere":
            self._belief.seek(None)
            self._is_placed = False

    def _place(self, time: float) -> None:
        self._belief.seek(time - self.recording.start)
        self._astray = 0.0

    def _follow(self, live: LivePose, seconds: float) -> float:
        belief = self._belief
        belief.step(live, seconds)
        self.rate = belief.rate
        moves = min(max(belief.speed / _STANDS - 1, 0.0), 1.0)
        self.stopped = belief.still > 0.5 and moves < 0.5
        self.place = self.recording.start + belief.place
        fit = self._fit(belief.still * moves, seconds)
        self.confidence, self.phase = (fit * sure for sure in belief.around(belief.time))
        return self.recording.start + belief.time

    def _fit(self, astray: float, seconds: float) -> float:
        """Return how well the recording fits at all, 0 to 1, over the last seconds."""
        share = 1 - math.exp(-seconds / _LATELY)
        self._astray += share * (astray - self._astray)
        return 1 - min(max((self._astray - _ASTRAY) / (_SURELY_ASTRAY - _ASTRAY), 0.0), 1.0)
