"""Follow another take of the recording, by another person or with other pauses.

A Bayes filter over (place, rate) as for copies, and beyond it: belief may jump along the recording
at a cost of travel, not of time, so that a wait of another length is crossed at once; repeats in
the recording are marked, so that no gait cycle is skipped; motion counts more than posture, and the
constant difference of posture is learnt; a pose counts by how far the performer moved.
"""

from __future__ import annotations

import numpy as np

from retime import _native
from retime.arrays import FloatArray
from retime.methods.align.poses import LivePose
from retime.methods.align.velocities import (
    RecentPoses,
    jump_sums,
    recorded_velocities,
    usual_rates,
)

_PLACES = 60.0
_RATES = np.r_[0.0, np.arange(0.25, 2.6, 0.2)]
_STEP = 0.04
# Shares of belief that change rate (per step), and that stop, start and jump (per second): a
# little forward, a little back, and far forward.
_DRIFT, _STOP, _GO = 0.04, 0.2, 5.0
_JUMPS = np.array([1.5, 0.02, 0.02])
# Metres of travel (of the mean joint) over which a jump's share falls to 1/e.
_JUMP_WAYS = np.array([0.03, 0.03, 0.1])
# So many times that way on, nothing is left of it: the logarithm of the belief that is none.
_FAINT = 21.0
# Travel that is counted where nothing moves, metres a second.
_LEAST_TRAVEL = 0.05
# A performance starts within about this travel from the recording's first pose.
_START = 0.04
# Tolerance of a joint: a fixed part in metres, and a share of its own range.
_TOLERANCE, _RANGE_SHARE = 0.06, 0.4
_POSE_TAIL, _POSE_WEIGHT = 4.0, 0.3
# Tolerance of velocity: a share, and a floor (m/s).
_RELATIVE, _FLOOR = 0.25, 0.25
_MOTION_TAIL, _MOTION_WEIGHT = 8.0, 0.8
_LEAST_LAG = 0.02
# A place repeats an earlier one if they are alike within this many tolerances, and so much travel
# lies between; a repeat needs 1 / _REPEAT_SHARE times the belief to be switched to.
_ALIKE, _ALIKE_APART, _REPEAT_SHARE = 4.0, 0.1, 0.03
# Weight of a pose that equals the last, and the travel (per step) that makes one count in full.
_STILL_WEIGHT, _FULL_TRAVEL = 0.2, 0.02
# Share of the difference in posture that is taken out, and seconds in which it is learnt.
_BIAS_SHARE, _BIAS_SECONDS = 0.6, 1.5
# A place is as strong as the belief up to this many places beside it.
_BESIDE = 3
# Belief within this many seconds of the place agrees with it; farther, it is another place.
_AGREE = 0.15
# Poses that follow each other err together, so that belief is surer than it should be: its
# confidence is read from this power of it.
_TEMPER = 0.6


class TakeFilter:
    """A filter over (place, rate) for another performance of the recording.

    ``path`` (N, J, 3) are the recording's poses, evenly over its duration in seconds, at their own
    heading and common size.
    """

    def __init__(self, path: FloatArray, duration: float) -> None:
        self.path = np.ascontiguousarray(path)
        self.duration = duration
        count, _joints, _ = self.path.shape
        self.places = (count - 1) / duration
        self._motion = recorded_velocities(self.path, self.places)
        speed = np.sqrt((self._motion**2).sum(axis=2))
        self._tolerance = _TOLERANCE**2 + _RANGE_SHARE**2 * self.path.var(axis=0).sum(axis=1)
        travel = (speed.mean(axis=1) + _LEAST_TRAVEL) / self.places
        self._way = np.r_[0.0, np.cumsum(travel[1:])]
        every = max(1, int(self.places / 15))
        few = [np.ascontiguousarray(a[::every]) for a in (self.path, self._motion, self._way)]
        new = _native.live_poses.novelty(
            few[0], few[1], self._tolerance, few[2], _ALIKE_APART, _RELATIVE**2, _FLOOR**2,
        )  # fmt: skip
        at = np.arange(0, count, every)
        self._fresh = np.interp(np.arange(count), at, 1 - np.exp(-((new / _ALIKE) ** 2)))
        self._decay = np.exp(-travel[:, None] / _JUMP_WAYS)
        self._reach = np.stack(
            [jump_sums(self._decay[:, k], back=k == 1) for k in range(len(_JUMPS))], axis=1
        )
        self._going = usual_rates(_RATES)
        self._grid = np.arange(count) / self.places
        self.seek(0.0)
        self._at_start = np.where(self.belief > 1e-9, self.belief, 0.0)
        self._start_end = int(np.flatnonzero(self._at_start.sum(axis=1))[-1]) + 1

    @staticmethod
    def grid(duration: float) -> int:
        """Return the number of positions for a recording of this length."""
        return max(round(duration * _PLACES), 8) + 1

    def seek(self, time: float) -> None:
        """Set the belief to one time and times within a small travelled distance."""
        way = np.interp(time, self._grid, self._way)
        near = np.exp(-0.5 * ((self._way - way) / _START) ** 2)
        if time <= 0:
            near *= self._fresh
        usual = 0.7 * self._going
        usual[0] += 0.3
        self.belief = near[:, None] / max(near.sum(), 1e-300) * usual
        self._active = 0, len(self.path)
        self._bias = np.zeros(self.path.shape[1:])
        self._recent = RecentPoses()
        self.place = self.time = time
        self.rate, self.still, self.confidence, self.distance = 1.0, 0.3, 1.0, 0.0
        self.speed = 0.0  # of the performer's mean joint, metres a second
        self.explained = 0.0  # how much better than by standing still, in nats

    def rearm(self, share: float) -> None:
        """Move a fraction of the belief back to the start."""
        self.belief *= 1 - share
        self.belief += share * self._at_start
        self._active = 0, max(self._active[1], self._start_end)
        self.time = min(self.time, float(self._grid[self._start_end - 1]))

    def step(self, live: LivePose, seconds: float) -> None:
        """Add a pose, some seconds after the last one."""
        speed, moving, lag = self._recent.add(live, seconds)
        self.speed = float(np.linalg.norm(speed[moving], axis=1).mean()) if moving.any() else 0.0
        weight = self._evidence(seconds)
        part = self._within_reach(seconds)
        belief = self.belief[part]
        if seconds > 0:
            _native.live_belief.move_belief(
                belief, _RATES, seconds * self.places,
                min(0.3, _DRIFT * seconds / _STEP), min(0.3, _STOP * seconds),
                min(0.5, _GO * seconds), self._going, np.minimum(0.3, _JUMPS * seconds),
                self._decay[part], self._reach[part], self._fresh[part],
            )  # fmt: skip
        found, self.explained = _native.live_belief.weigh_take(
            belief, self.path[part], self._tolerance, self._motion[part],
            _BIAS_SHARE * self._bias, live.points, live.visible, speed, moving, _RATES,
            _POSE_WEIGHT * weight, _POSE_TAIL,
            _MOTION_WEIGHT * weight if lag > _LEAST_LAG else 0.0, _MOTION_TAIL,
            _RELATIVE**2, _FLOOR**2,
        )  # fmt: skip
        if not found:
            belief[:] = 1.0 / belief.size
        self._settle(part, seconds)
        self._learn_bias(live, seconds)

    def _within_reach(self, seconds: float) -> slice:
        """Return the places that belief can be at after a step: by rates and by jumps."""
        low, high = self._active
        _, back, far = _JUMP_WAYS * _FAINT
        first = np.searchsorted(self._way, self._way[low] - back)
        last = np.searchsorted(self._way, self._way[high - 1] + far)
        fastest = int(seconds * self.places * _RATES[-1]) + 2
        return slice(int(first), min(len(self.path), int(last) + fastest))

    def _evidence(self, seconds: float) -> float:
        """Return the weight of a pose: little if the performer stands, and by time, not frames."""
        travel = self._recent.travel()
        if seconds <= 0 or (travel is None and self._recent.is_first):
            return 1.0
        if travel is None:
            return min(1.0, seconds / _STEP)
        news = 1 - np.exp(-travel / _FULL_TRAVEL * (_STEP / seconds))
        return float((_STILL_WEIGHT + (1 - _STILL_WEIGHT) * news) * min(1.0, seconds / _STEP))

    def _settle(self, part: slice, seconds: float) -> None:
        """Choose the place: the mean around the strongest, unless that is only a repeat."""
        expected = (self.time + self.rate * seconds) * self.places - part.start
        reach = int(_AGREE * self.places)
        moments = _native.live_belief.strongest_moments(
            self.belief[part], _RATES, self._fresh[part], expected, _REPEAT_SHARE, _BESIDE, reach,
            _TEMPER,
        )  # fmt: skip
        place, self.rate, self.still, self.confidence, low, high = moments
        self._active = part.start + low, part.start + high
        self.place = (part.start + place) / self.places
        self.time = min(self.duration, max(self.time, self.place))

    def _learn_bias(self, live: LivePose, seconds: float) -> None:
        recorded = self.path[min(len(self.path) - 1, round(self.place * self.places))]
        off = _native.live_poses.pose_difference(recorded, live.points, live.visible)
        self.distance = float(np.sqrt((off[live.visible] ** 2).sum(axis=1)).mean())
        share = (1 - np.exp(-seconds / _BIAS_SECONDS)) * live.visible[:, None]
        self._bias += share * (off - self._bias)
