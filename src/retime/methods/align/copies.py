"""Follow a copy of the recording: the same performance at another speed.

A Bayes filter over (place, rate). The tolerance is what the pose was off by recently, so that a
clean stream is followed to the millisecond and a noisy one is averaged.
"""

from __future__ import annotations

import numpy as np

from retime import _native
from retime.arrays import FloatArray
from retime.methods.align.poses import LivePose

# Places a second of the recording.
_PLACES = 120.0
# Rates that are told apart; 0 is standing still.
_RATES = np.r_[0.0, np.arange(0.15, 2.9, 0.15)]
_USUAL_SPREAD = 0.35
# Shares of belief that change rate, stop and start again, for a step of 40 ms.
_STEP = 0.04
_DRIFT, _STOP, _GO = 0.08, 0.02, 0.25
# Weight of the evidence of one pose; it would be 1.5 for independent errors, which those of a
# sensor nearly are.
_WEIGHT = 1.0
# A joint's usual, least and largest error in metres, and how quickly it is learnt (per step).
_USUAL_ERROR, _LEAST_ERROR, _LARGEST_ERROR, _LEARN = 0.004, 0.001, 0.15, 0.08
# Between two places, the pose is known to this share of the way.
_BETWEEN = 0.6
# Range around the last place that is searched (s).
_AROUND = 1.5
# Share of the difference to the found place that is corrected in a step of 40 ms.
_GAIN = 0.8
# Seconds over which the distance to the recording is averaged, direction and all.
_OFFSET_SECONDS = 0.3
# Belief within this many seconds of the place counts as agreeing with it.
_AGREE = 0.15


class CopyFilter:
    """A filter over (place, rate) for live poses that equal recorded ones.

    ``path`` (N, J, 3) are the recording's poses, evenly over its duration in seconds, centred and
    of common size.
    """

    def __init__(self, path: FloatArray, duration: float) -> None:
        self.path = np.ascontiguousarray(path)
        self.duration = duration
        self.places = (len(path) - 1) / duration
        self._step2 = (np.gradient(self.path, axis=0) ** 2).sum(axis=2).mean(axis=1)
        self._going = np.full(len(_RATES), 1.0 / (len(_RATES) - 1))
        self.seek(0.0)

    @staticmethod
    def grid(duration: float) -> int:
        """Return the number of positions for a recording of this length."""
        return max(round(duration * _PLACES), 8) + 1

    def seek(self, time: float, spread: float = 0.1) -> None:
        """Set the belief to one position, with a little for the ``spread`` seconds after it."""
        usual = np.exp(-0.5 * ((_RATES - 1) / _USUAL_SPREAD) ** 2)
        usual[0] = 2.0  # most wait before they start
        first = min(round(time * self.places), len(self.path) - 1)
        last = min(len(self.path), first + int(spread * self.places) + 1)
        self.belief = np.zeros((len(self.path), len(_RATES)))
        self.belief[first + 1 : last] = 0.03 * usual
        self.belief[first] = usual
        self.belief /= self.belief.sum()
        self._error2 = _USUAL_ERROR**2
        self.place = self.time = time
        self.rate, self.still, self.confidence = 1.0, 0.5, 1.0
        self._offset = np.zeros(self.path.shape[1:])
        self._met = np.zeros(self.path.shape[1], bool)

    def step(self, live: LivePose, seconds: float) -> None:
        """Add a pose, some seconds after the last one."""
        steps = seconds / _STEP
        cells = seconds * self.places
        around = _AROUND * self.places
        low = int(max(0, self.place * self.places - around))
        high = int(min(len(self.path), self.place * self.places + around + 3 * cells + 2))
        part = slice(low, high)
        self.belief[:low] = 0.0
        self.belief[high:] = 0.0
        belief = self.belief[part]
        _native.live_belief.move_belief(
            belief, _RATES, cells, min(0.3, _DRIFT * steps),
            min(0.3, _STOP * steps), min(0.5, _GO * steps), self._going,
        )  # fmt: skip
        error2 = min(max(self._error2, _LEAST_ERROR**2), _LARGEST_ERROR**2)
        spread = error2 + _BETWEEN * self._step2[part]
        if not _native.live_belief.weigh_copy(
            belief, self.path[part], spread, live.points, live.visible, _WEIGHT
        ):
            belief[:] = 1.0 / belief.size
        at, mean, variance, mode, self.rate, self.still = _native.live_belief.moments(
            belief, _RATES
        )
        mean, mode = mean + low, mode + low
        near, square = _native.live_poses.nearest_on_path(
            self.path,
            live.points,
            live.visible,
            max(0, mode - 3),
            min(len(self.path) - 1, mode + 4),
        )
        self._learn_offset(live, near, seconds)
        self._error2 += min(_LEARN * steps, 1.0) * (square - self._error2)
        place = mean
        if abs(near - mean) < 4 and variance > 0:
            # The grid's own answer and the nearest point between its places, by their variances.
            step2 = self._step2[min(int(near), len(self.path) - 1)]
            other = max(self._error2, 1e-8) / max(step2, 1e-12) / live.visible.sum() / _WEIGHT
            place = mean + (near - mean) * variance / (variance + other + 1e-9)
        self.place = place / self.places
        agree = _AGREE * self.places
        beside = slice(max(0, int(place - agree) - low), int(place + agree) + 1 - low)
        self.confidence = float(at[beside].sum())
        expected = self.time + self.rate * seconds
        gain = 1 - (1 - _GAIN) ** (steps if seconds > 0 else 1.0)
        found = expected + gain * (self.place - expected)
        self.time = min(self.duration, max(self.time, found))

    @property
    def distance(self) -> float:
        """Recent distance of the joints from the recording, at common size; averages noise."""
        if not self._met.any():
            return 0.0
        return float(np.sqrt((self._offset[self._met] ** 2).sum(axis=1).mean()))

    def _learn_offset(self, live: LivePose, place: float, seconds: float) -> None:
        before = min(int(place), len(self.path) - 2)
        share = place - before
        recorded = (1 - share) * self.path[before] + share * self.path[before + 1]
        offset = _native.live_poses.pose_difference(recorded, live.points, live.visible)
        new = live.visible & ~self._met
        self._offset[new] = offset[new]
        self._met |= new
        gain = (1 - np.exp(-seconds / _OFFSET_SECONDS)) * live.visible[:, None]
        self._offset += gain * (offset - self._offset)
