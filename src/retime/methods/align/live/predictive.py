"""On-line Predictive Warping, the paper's own method, in its consistent reading.

Taken by its letters, Algorithm 1 keeps the largest cost and moves the last key by a fixed time; it
then loses the performer. Equations (1), (2) and (4) say what is meant: of the three candidates the
nearest decides, and the last key moves by a fraction of what remains.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from retime import _native
from retime.arrays import FloatArray
from retime.coercion import is_number
from retime.errors import InputError
from retime.methods.align.joints import Recording
from retime.methods.align.live.aligner import Aligner
from retime.methods.align.live.curve import GrowingCurve
from retime.methods.align.poses import LivePose, centred
from retime.motion import Motion

# With an automatic gamma, a delay is caught up within this time (s).
_MAKE_UP = 0.2
# Mean distance of the joints (m), and its duration (s), from which the place is lost.
_LOST, _LOST_SECONDS = 0.25, 0.5
# Mean distance of the joints at which the confidence is 1/e (m).
_FAR = 0.2
# The performer stands below the first speed (m/s) where the recording moves above the second, over
# this time (s).
_STANDS, _MOVES, _STOP_SECONDS = 0.05, 0.1, 0.15
_KEYS = 64


class PredictiveAligner(Aligner):
    """Follows a performance by bending a Bezier warp a little at every sample (section 3).

    At each sample the next live pose is forecast and compared with the recording now, one and two
    samples on; if the first is nearest, the rest of the recording is stretched, if the last,
    compressed, by ``gamma`` of what remains.

    Parameters
    ----------
    reference : Motion, Recording or array (N, J, 3)
        The recording: a motion, or positions in metres, Y up, with their times.
    times : array (N,), optional
        With positions: their times in seconds.
    joints : sequence of str, optional
        Roles to follow, and the order of a pose's joints. Default: the 16 joints of the paper.
    gamma : float or "auto"
        Fraction of the remaining time that a sample may stretch or compress; 0.15 follows best on
        many clips. ``"auto"`` goes by how late the recording is, between samples too, and makes
        that up within 0.2 s.
    period : float
        Seconds between samples (omega), whatever the stream's own rate.
    cost : {"position", "derivative"}
        Compare where joints are, or how they move.

    Examples
    --------
    >>> from retime import samples
    >>> from retime.live import PredictiveAligner, tracked_points
    >>> punches = samples.punches()
    >>> aligner = PredictiveAligner(punches, gamma=0.15)
    >>> poses, _ = tracked_points(punches, aligner.joints)
    >>> for time, pose in zip(punches.times, poses):
    ...     now = aligner.step(pose, 1.1 * time)
    >>> bool(abs(now - punches.times[-1]) < 0.1)
    True
    """

    def __init__(
        self,
        reference: Motion | npt.ArrayLike | Recording,
        *,
        times: npt.ArrayLike | None = None,
        joints: Sequence[str] | None = None,
        gamma: float | Literal["auto"] = 0.05,
        period: float = 0.04,
        cost: Literal["position", "derivative"] = "position",
    ) -> None:
        if not (is_number(period) and 0.001 <= period <= 1):
            raise InputError(f"the period is {period!r}; it can be from 0.001 to 1")
        if cost not in ("position", "derivative"):
            raise InputError(f"the cost is {cost!r}; it can be position or derivative")
        super().__init__(reference, times=times, joints=joints)
        self.gamma, self.period, self.cost = _checked(gamma), period, cost
        self._points = self.recording.points * self._sizer.scale
        self.reset()

    def _place(self, time: float) -> None:
        self._now = 0.0
        self._curve = GrowingCurve(0.0, time, self.recording.end)
        self._past: deque[tuple[float, LivePose]] = deque(maxlen=2)
        self._recent: deque[tuple[float, LivePose]] = deque()
        self._next_sample = 0.0
        self._sample: LivePose | None = None
        self._lost = 0.0

    def _recorded(self, time: float) -> FloatArray:
        """Return the recorded pose (J, 3) at a time, at common size."""
        return self.recording.at(time) * self._sizer.scale

    def _follow(self, live: LivePose, seconds: float) -> float:
        self._now += seconds
        self._past.append((self._now, live))
        while self._next_sample <= self._now + 1e-9:
            self._take(self._at(self._next_sample), self._next_sample)
            self._next_sample += self.period
        self._judge(live, seconds)
        here = self.place = self._curve(self._now)
        self.rate = max((self._curve(self._now + self.period) - here) / self.period, 0.0)
        return here

    def _at(self, time: float) -> LivePose:
        """Return the live pose at a sample's time, between the last two."""
        (t0, before), (t1, now) = self._past[0], self._past[-1]
        if t1 <= t0:
            return now
        share = min(max((time - t0) / (t1 - t0), 0.0), 1.0)
        both = before.visible & now.visible
        if not both.any():
            return now
        blend = (1 - share) * before.points + share * now.points
        return LivePose(centred(blend, both), both)

    def _take(self, live: LivePose, time: float) -> None:
        """One step of Algorithm 1."""
        before, self._sample = self._sample, live
        if before is None:
            return
        # Dead reckoning, the best of LaViola's comparison here; not between different joints.
        alike = (before.visible == live.visible).all()
        expected = 2 * live.points - before.points if alike else live.points
        w, curve = self.period, self._curve
        costs = self._costs(live, expected, time)
        # (1), (4): s is the candidate nearest to the forecast; the middle one wins ties.
        s = 1 if costs[1] <= min(costs[0], costs[2]) else int(np.argmin(costs))
        if isinstance(self.gamma, float):
            late, share = float(s - 1), self.gamma
        else:
            late, share = _between(costs), 1 - math.exp(-w / _MAKE_UP)
        if late == 0 or not time < curve.end - w:
            return
        remaining = curve.end - time
        # (2): the end moves by gamma of what remains, and never before the next sample.
        curve.bend(time, max(curve.end - remaining * share * late, time + w))
        curve.keep_last(_KEYS)

    def _costs(self, live: LivePose, expected: FloatArray, time: float) -> list[float]:
        """Return the summed joint distances (5) to the recording now and one and two samples on."""
        pose_difference = _native.live_poses.pose_difference
        w, curve, seen = self.period, self._curve, live.visible
        ahead = centred(expected, seen)
        out = []
        for k in range(3):
            off = pose_difference(self._recorded(curve(time + k * w)), ahead, seen)
            if self.cost == "derivative":
                # How both moved in the sample before: what is left is the difference of the moves.
                before = self._recorded(curve(time + (k - 1) * w))
                off = off - pose_difference(before, live.points, seen)
            out.append(float(np.linalg.norm(off[seen], axis=1).sum()))
        return out

    def _judge(self, live: LivePose, seconds: float) -> None:
        """Return the confidence of the position; if it is lost for long, search ahead."""
        here = self._curve(self._now)
        off = _native.live_poses.pose_difference(self._recorded(here), live.points, live.visible)
        distance = float(np.linalg.norm(off[live.visible], axis=1).mean())
        self.confidence = float(np.exp(-((distance / _FAR) ** 2)))
        self._recent.append((self._now, live))
        while len(self._recent) > 2 and self._recent[1][0] <= self._now - _STOP_SECONDS:
            self._recent.popleft()
        then, before = self._recent[0]
        both = before.visible & live.visible
        if self._now - then >= 0.5 * _STOP_SECONDS and both.any():
            lag = self._now - then
            own = _native.live_poses.pose_velocity(live.points, before.points, both, lag)
            ahead = self._recorded(here + lag)
            recorded = _native.live_poses.pose_velocity(ahead, self._recorded(here), both, lag)
            speeds = (float(np.linalg.norm(v[both], axis=1).mean()) for v in (own, recorded))
            self.stopped = next(speeds) < _STANDS and next(speeds) > _MOVES
        self._lost = self._lost + seconds if distance > _LOST else 0.0
        if self._lost > _LOST_SECONDS:
            self._reacquire(live, here)

    def _reacquire(self, live: LivePose, place: float) -> None:
        """Go on from the nearest pose ahead, if it is nearer by half."""
        first = int(np.searchsorted(self.recording.times, place))
        self._lost = 0.0
        if first >= len(self._points) - 1:
            return
        nearest, square = _native.live_poses.nearest_on_path(
            self._points, live.points, live.visible, first, len(self._points) - 1
        )
        off = _native.live_poses.pose_difference(self._recorded(place), live.points, live.visible)
        if square < (off[live.visible] ** 2).sum(axis=1).mean() / 4:
            found = float(np.interp(nearest, np.arange(len(self._points)), self.recording.times))
            self._curve = GrowingCurve(self._now, found, self.recording.end)


def _checked(gamma: float | Literal["auto"]) -> float | Literal["auto"]:
    if gamma == "auto":
        return gamma
    try:
        share = float(gamma)
    except (TypeError, ValueError):
        share = math.nan
    if not 0 < share < 1:
        raise InputError(f"gamma is {gamma!r}; it is a share between 0 and 1, or 'auto'")
    return share


def _between(costs: list[float]) -> float:
    """Return where the cost is least, -1 to 1 samples from the middle one, by a parabola."""
    bend = costs[0] - 2 * costs[1] + costs[2]
    if bend <= 0:
        return float(np.argmin(costs)) - 1.0
    return float(np.clip((costs[0] - costs[2]) / (2 * bend), -1.0, 1.0))
