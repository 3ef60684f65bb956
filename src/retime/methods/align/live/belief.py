"""Follow a performance by a belief over all cycles of a recording.

A Bayes filter over (place, rate) and one more state, "elsewhere": a performer who does something
else, or who is about to be found at another place. Where the recording repeats itself, belief leaks
to the other repetitions and evidence hardly tells them apart, unless the performance is a copy of
the recording. So the belief around the reported time is an honest confidence, and with the places
that repeat it, one of the phase.

Copies and other takes differ only in the sharpness of the evidence. How far the performance is a
copy is judged from the first pose on; a copy is then placed between the places of the grid.
"""

from __future__ import annotations

import math

import numpy as np

from retime import _native
from retime.methods.align.joints import Recording
from retime.methods.align.live.repeats import find_repeats
from retime.methods.align.live.velocities import (
    LAG,
    Pace,
    RecentPoses,
    jump_sums,
    recorded_velocities,
)
from retime.methods.align.poses import LivePose, own_heading

# Places a second of the recording.
_PLACES = 60.0
_PACE = Pace()
# Shares a second that jump a little on and back, and over how many metres of the mean joint.
_NEAR, _BACK, _WAY = 1.5, 0.05, 0.03
# Shares a second that move to a repetition, leave for elsewhere, and come back from there.
_AGAIN, _LEAVE, _FIND = 0.3, 0.04, 3.0
# Belief comes back from elsewhere this often, seconds; at every pose if there is this much.
_FIND_EVERY, _MUCH_LOST = 0.2, 0.1
# In a gap in the stream of this many seconds, this share of performers waits, and after it this
# share is anywhere.
_LONG_GAP, _IN_GAP, _AFTER_GAP = 0.5, 0.5, 0.3
# Belief at a place below this is dropped.
_FAINT = 1e-6
# Travel that is counted where nothing moves, metres a second; the travel within which a performance
# starts, metres, and the odds that it starts elsewhere, until poses tell.
_LEAST_TRAVEL, _START, _STARTS_ELSEWHERE = 0.05, 0.04, 0.12
# Tolerance of a joint: metres, and a share of its own range; squared distances saturate here.
_TOLERANCE, _RANGE_SHARE, _CUT = 0.06, 0.4, 12.0
# Share of the joints' weights that is even; the rest goes by how much a joint moves.
_EVEN = 0.8
# Nats of a squared tolerance in 40 ms, of pose and of motion.
_POSE, _MOTION, _STEP = 0.3, 0.6, 0.04
# Velocity: its shortest lag (s), its tolerance (m/s, and a share), and its tail.
_LEAST_LAG, _FLOOR, _RELATIVE, _TAIL = 0.02, 0.2, 0.25, 8.0
# Elsewhere fits like this squared tolerance of the pose and this share of the live motion.
_ELSE_POSE, _ELSE_MOTION = 1.0, 0.6
# Weight of a pose that is held; seconds and metres of travel that make a pose count in full.
_STILL, _FRESH, _FULL_TRAVEL = 0.15, 0.25, 0.02
# A copy: the lasting part of its distance is below this, metres, more where most of it does not
# last: noise forgets its past within a frame, another take's error does not. The weight of a copy's
# evidence, the most nats of one pose, and those that are forgiven.
_COPY, _NOISY_COPY = 0.008, 0.01
_COPY_WEIGHT, _COPY_MOST, _FORGIVEN = 0.8, 15.0, 3.0
_COPY_SECONDS = 0.4
_USUAL_ERROR, _LEAST_ERROR2, _MOST_ERROR2 = 0.01, 1e-6, 0.03**2
# Squared error of a copy that is the same in successive poses, such as of a bone's length: it does
# not tell which of two equal postures is performed.
_BIAS2 = 0.005**2
# Evidence between repetitions counts this share, unless the performance is a copy.
_TELL = 0.03
# Share of the lasting difference of posture that is taken out, and seconds in which it is learnt.
_BIAS_SHARE, _BIAS_SECONDS = 0.7, 1.5
# Belief within this time (s) agrees.
_AGREE = 0.15
# A performer's usual difference of posture, metres, until it is learnt.
_POSTURE = 0.05
# From this belief at one place on, its repetitions are not added up.
_PLAIN = 0.995
# Ratio of belief from which another place is switched to, and a repetition; the shortest step back
# (s).
_SWITCH, _STAY, _LEAST_STEP_BACK = 1.25, 2.0, 0.3
# Between two places, a copy's pose is known to this share of the way. It is placed between those
# within this many, and goes on from the last place and rate within this many.
_BETWEEN, _AROUND, _GOES_ON = 0.6, 9, 2.0


class Belief:
    """A filter over (place, rate) that keeps all repetitions.

    Times are from the start of the recording. ``scale`` brings its poses to common size.
    """

    def __init__(self, recording: Recording, scale: float) -> None:
        duration = self.duration = recording.end - recording.start
        count = max(round(duration * _PLACES), 8) + 1
        even = np.linspace(recording.start, recording.end, count)
        self.path = np.ascontiguousarray(own_heading(recording.at(even)) * scale)
        self.places = (count - 1) / duration
        self._motion = recorded_velocities(self.path, self.places)
        range2 = self.path.var(axis=0).sum(axis=1)
        self._tolerance = _TOLERANCE**2 + _RANGE_SHARE**2 * range2
        speed2 = (self._motion**2).sum(axis=2)
        tells = range2 / self._tolerance + speed2.mean(axis=0) / _FLOOR**2
        self._weights = _EVEN / len(tells) + (1 - _EVEN) * tells / max(tells.sum(), 1e-12)
        travel = (np.sqrt(speed2) @ self._weights + _LEAST_TRAVEL) / self.places
        self._way = np.r_[0.0, np.cumsum(travel[1:])]
        self._decay = np.exp(-travel / _WAY)
        self._reach = np.stack([jump_sums(self._decay, back=back) for back in (False, True)])
        self._anywhere = 0.7 * travel / travel.sum() + 0.3 / count
        self._step2 = (np.gradient(self.path, axis=0) ** 2).sum(axis=2).mean(axis=1)
        self.repeats = find_repeats(
            self.path, self._motion, self._way, self._weights, self._tolerance,
            cut=_CUT, relative=_RELATIVE, floor=_FLOOR,
        )  # fmt: skip
        self._grid = np.arange(float(count))
        self._cost, self._square, self._at = np.zeros(count), np.zeros(count), np.zeros(count)
        self._turn = np.zeros((count, 2))
        self.seek(0.0)

    def seek(self, time: float | None) -> None:
        """Set the belief to one position and those close to it; ``None`` is all positions."""
        where = self._anywhere.copy()
        if time is not None:
            way = np.interp(time * self.places, self._grid, self._way)
            where = np.exp(-0.5 * ((self._way - way) / _START) ** 2)
        self.belief = where[:, None] / where.sum() * _PACE.starting
        self._at[:] = self.belief.sum(axis=1)
        self.lost, self._since_find = 0.0, 0.0
        # Odds that it does not start here, in nats.
        self._doubt = -math.inf if time is None else math.log(_STARTS_ELSEWHERE)
        self._bias = np.zeros(self.path.shape[1:])
        self._recent, self._news, self._held = RecentPoses(), 3.0, 0.0
        self._unknown = 1.0
        self._error2, self._lasting = _USUAL_ERROR**2, 0.0
        self._offset = np.zeros(self.path.shape[1:])
        self._frames, self.copy = 0, 0.0
        self.time = self.place = 0.0 if time is None else time
        self.rate, self.still, self.speed = 1.0, 0.3, 0.0
        self.confidence = 0.0 if time is None else 1.0
        # How much better the last pose is explained than by standing or something else, in nats.
        self.explained = 0.0
        # Distance of the joints from the nearest place, metres at common size.
        self.distance = 0.0

    def rearm(self, share: float) -> None:
        """Move a fraction of the belief back to the start."""
        near = np.exp(-0.5 * (self._way / _START) ** 2)
        self.belief *= (1 - share) * (1 - self.lost) / max(float(self._at.sum()), 1e-12)
        self.belief += share * (near / near.sum())[:, None] * _PACE.starting
        self.belief /= self.belief.sum()
        self._at[:] = self.belief.sum(axis=1)
        self.lost = 0.0
        self.time = self.time * (1 - share)

    def step(self, live: LivePose, seconds: float) -> None:
        """Add a pose, some seconds after the last one."""
        speed, moving, lag = self._recent.add(live, seconds)
        self.speed = (
            float(np.sqrt((speed[moving] ** 2).sum(axis=1)).mean()) if moving.any() else 0.0
        )
        weight = self._evidence(seconds)
        if seconds > 0:
            self._move(seconds)
        weights = self._weights * live.visible
        nearest = _native.live_cycles.fit_places(
            self.path, _BIAS_SHARE * self._bias, live.points, live.visible, weights,
            self._tolerance + _POSTURE**2 * self._unknown, _CUT, self._at, _FAINT, self._cost,
            self._square, self._turn,
        )  # fmt: skip
        cost = weight * _POSE * self._cost
        # A posture that is held is no evidence for another place than the best.
        least = float(self._cost[nearest]) if nearest >= 0 else 0.0
        other = _ELSE_POSE * float(weights.sum())
        elsewhere = weight * _POSE * (other + self._held * max(least - other, 0.0))
        if nearest >= 0:
            self.distance = math.sqrt(float(self._square[nearest]))
            self._judge_copy(live, nearest, seconds)
        if self.copy > 0:
            evidence = self.copy * _COPY_WEIGHT * min(1.0, (seconds or _STEP) / 0.02)
            _native.live_cycles.add_copy_cost(
                cost, self._at, self._square, self._step2, self._error2 + _BIAS2, _BETWEEN,
                evidence * float(live.visible.sum()), 1 - self.lost, _COPY_MOST, _FORGIVEN,
            )  # fmt: skip
        weights = self._weights * moving
        # Not to move is news of the rate for as long as it lasts.
        of_motion = min(1.0, seconds / _STEP) * _MOTION if lag > _LEAST_LAG else 0.0
        speed2 = np.einsum("jc,jc->j", speed, speed)
        # Noise of the positions makes speed.
        floor2 = _FLOOR**2 + 2 * max(self._error2 - max(self._lasting, 0.0), 0.0) / LAG**2
        off = _ELSE_MOTION * float((weights * speed2 / (floor2 + _RELATIVE**2 * speed2)).sum())
        elsewhere += of_motion * _TAIL * math.log(1 + off / _TAIL)
        before = self.lost
        self.lost, self.explained = _native.live_cycles.weigh_places(
            self.belief, self._at, cost, self._turn, self._motion, speed, weights, _PACE.rates,
            of_motion, _TAIL, floor2, _RELATIVE**2, elsewhere, self.lost,
            _TELL + (1 - _TELL) * self.copy, self.repeats.first, self.repeats.place,
        )  # fmt: skip
        # Once the performer is known to be elsewhere, belief itself says how sure a place is.
        if 0 < before < 1 and 0 < self.lost < 1:
            self._doubt += math.log(self.lost / (1 - self.lost)) - math.log(before / (1 - before))
        self._doubt = -math.inf if self.lost > 0.5 else min(self._doubt, 0.0)
        self._report(live, seconds)
        self.confidence = self._around(self.time)
        if self.copy <= 0.5:  # a copy has no bias
            self._learn_bias(live, seconds)

    def _move(self, seconds: float) -> None:
        leave = _LEAVE * seconds
        if seconds >= _LONG_GAP:
            leave += _AFTER_GAP
            self.belief *= 1 - _IN_GAP
            self.belief[:, 0] += _IN_GAP * self._at
        self._since_find += seconds
        come = 0.0
        if self.lost > _MUCH_LOST or self._since_find >= _FIND_EVERY:
            come = self.lost * min(0.5, _FIND * self._since_find)
            self._since_find = 0.0
        _native.live_cycles.move_on(
            self.belief, self._at, _PACE.rates, seconds * self.places,
            min(0.3, _PACE.drift * seconds), min(0.3, _PACE.stop * seconds),
            min(0.5, _PACE.go * seconds), _PACE.going,
            min(0.3, _NEAR * seconds), min(0.1, _BACK * seconds), self._decay, self._reach,
            min(0.3, _AGAIN * seconds), self.repeats.first, self.repeats.place,
            leave, come, self._anywhere, _FAINT,
        )  # fmt: skip
        self.lost += (1 - self.lost) * leave - come

    def _evidence(self, seconds: float) -> float:
        """Return the weight of a pose: full for a new one, little for a held one; by time."""
        travel = self._recent.travel()
        if seconds <= 0 or (travel is None and self._recent.is_first):
            return 1.0
        travel = travel or 0.0
        self._news = min(
            3.0, self._news * math.exp(-seconds / _FRESH) + 0.4 * travel / _FULL_TRAVEL
        )
        self._held = math.exp(-self._news)
        news = 1 - (1 - _STILL) * self._held
        return news * min(1.0, seconds / _STEP)

    def _judge_copy(self, live: LivePose, nearest: int, seconds: float) -> None:
        """Judge by how much of the distance lasts between frames whether this is a copy."""
        self._frames += 1
        gain = max(1 - math.exp(-seconds / _COPY_SECONDS), 1 / self._frames)
        off, square, lasts = _native.live_cycles.residual(
            self.path, nearest, live.points, live.visible, self._offset
        )
        # The whole of a first error may last: no later one has told otherwise.
        lasts = min(lasts if self._frames > 1 else square, _MOST_ERROR2)
        self._lasting += gain * (lasts - self._lasting)
        self._offset = off
        square = min(max(square, _LEAST_ERROR2), _MOST_ERROR2)
        self._error2 += max(gain, 0.05) * (square - self._error2)
        lasting = math.sqrt(max(self._lasting, 0.0))
        self.copy = 0.0
        noisy = 1 - min(max(self._lasting, 0.0) / self._error2, 1.0)
        self.copy = min(max(2 * (1 - lasting / (_COPY + _NOISY_COPY * noisy)), 0.0), 1.0)
        if self.copy > 0.5:
            self._bias[:] = 0.0

    def _report(self, live: LivePose, seconds: float) -> None:
        """Choose the time with the most belief around it, seconds after the last."""
        at, last = self._at, len(self.path) - 1
        half = int(_AGREE * self.places)
        here = min(last, round((self.time + self.rate * seconds) * self.places))
        most, best, own = _native.live_cycles.strongest_window(at, half, here)
        needed = _STAY if self.repeats.are_alike(here, best, half) else _SWITCH
        if most < needed * own + 0.02:
            best = here
        place, mass = float(best), 0.0
        for _ in range(2):  # the mean of the belief around it
            part = slice(max(best - half, 0), best + half + 1)
            mass = max(float(at[part].sum()), 1e-12)
            place = part.start + float(at[part] @ self._grid[: len(at[part])]) / mass
            best = round(place)
        part = slice(max(best - half, 0), best + half + 1)
        by_rate = self.belief[part].sum(axis=0)
        mass = max(float(by_rate.sum()), 1e-12)
        if self.copy > 0:
            place = self._between(live, place, seconds)
        self.rate = float(by_rate @ _PACE.rates) / mass
        self.still = float(by_rate[0]) / mass
        self.place = found = place / self.places
        if 0 < self.time - found < _LEAST_STEP_BACK or mass < 0.05:
            found = self.time
        self.time = min(max(found, 0.0), self.duration)

    def _between(self, live: LivePose, place: float, seconds: float) -> float:
        """Return where between places of the grid a copy is: the mean of belief, by its pose.

        A motion may come back the way it went, so that the nearest pose is not the place: a copy
        also goes on from where it was.
        """
        low, high = max(0, round(place) - _AROUND), min(len(self.path) - 1, round(place) + _AROUND)
        at, expected = self._at, (self.place + self.rate * seconds) * self.places
        if low <= expected <= high:
            at = at * np.exp(-0.5 * ((self._grid - expected) / _GOES_ON) ** 2)
        return _native.live_poses.mean_on_path(
            self.path, at, live.points, live.visible, low, high, self._error2 / self.copy
        )

    def first_like(self, time: float) -> float:
        """Return the first repetition of a time, or the time itself."""
        place = min(len(self.path) - 1, round(time * self.places))
        alike = self.repeats.of(place)
        return time if not len(alike) or alike[0] > place else float(alike[0]) / self.places

    def _around(self, time: float) -> float:
        """Return the belief around a time."""
        half = int(_AGREE * self.places)
        i = min(len(self.path) - 1, round(time * self.places))
        return min(float(self._at[max(i - half, 0) : i + half + 1].sum()), 1.0)

    def around(self, time: float) -> tuple[float, float]:
        """Return the belief around a time, and that around all of its repetitions."""
        half, repeats = int(_AGREE * self.places), self.repeats
        i = min(len(self.path) - 1, round(time * self.places))
        own = self._around(time)
        part = repeats.part(i)
        if part.start == part.stop or own > _PLAIN:
            return own * self._trust, own * self._trust
        low, high = repeats.low[part], repeats.high[part]
        phase = _native.live_cycles.phase_belief(self._at, i, half, low, high)
        return own * self._trust, min(phase, 1.0) * self._trust

    @property
    def _trust(self) -> float:
        """The probability that it started where it was expected, or was found since."""
        return 1 / (1 + math.exp(min(self._doubt, 50.0)))

    def _learn_bias(self, live: LivePose, seconds: float) -> None:
        share = self.confidence**2 * (1 - math.exp(-seconds / _BIAS_SECONDS))
        self._unknown *= 1 - share
        recorded = self.path[min(len(self.path) - 1, round(self.time * self.places))]
        off = _native.live_poses.pose_difference(recorded, live.points, live.visible)
        self._bias += share * live.visible[:, None] * (off - self._bias)
