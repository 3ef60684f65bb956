"""Detect contacts of any point of a body, on any ground.

1. Gravity. The external force on a body, in body weights, is ``f = |c'' + g| / g`` of its centre of
   mass c. Near 0 it flies; well above 0 something supports it.
2. Seeds. A point that is still while its parent moves (a foot under moving hips) is supported, at
   any height; so is the lowest point of a body at rest. Seeds sample the ground as a height field,
   so that no level floor is needed.
3. Scores. For each point and frame, the speed relative to a limit and the distance from a sampled
   surface, in octaves; the worse of both counts. Free fall subtracts one octave.
4. States. A contact is accepted if its score outweighs the cost of starting and ending it, in
   seconds.
5. Need. A centre of pressure outside of all contacts requires a seat, then the other foot; a force
   without any contact requires the likeliest point, with a confidence below 0.5.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from retime import _native
from retime.arrays import FloatArray
from retime.body.contacts.derivatives import (
    GRAVITY,
    LINE,
    PARABOLA,
    fitted,
    needed_force,
    speeds,
)
from retime.body.contacts.found import FoundContacts
from retime.body.contacts.outcome import FALLS, SHORTEST, STANDS, Outcome
from retime.body.contacts.points import Point, body_points
from retime.body.contacts.stretches import middle, runs
from retime.body.model.body import find_body
from retime.body.model.size import judged
from retime.motion import Motion
from retime.motion.kinematics import positions
from retime.motion.memory import last

Mask = npt.NDArray[np.bool_]

_UP = np.array([0.0, 1.0, 0.0])
# Speed (m/s) and height over a surface (m) at which contact is as likely as not, and factors for
# heels, which strike faster, and for joints under flesh. Balls of feet roll at 0.2 to 0.4 m/s in
# stance and swing above 1.5; 5 mm of noise measure as 0.1 to 0.2.
_SPEED, _HEEL, _NEAR, _FLESH = 0.45, 1.33, 0.04, 1.5
# A foot is a seed while it is slower than half the speed limit, or than this fraction of its
# carrier's speed, for at least the seed time (s). The carrier must then be faster than _CARRIED
# (m/s) and _TIMES the foot's speed, or the foot at most _LOWEST (m) above the lowest point.
_CARRIED_SHARE, _SEED_TIME, _CARRIED, _TIMES, _LOWEST = 1 / 6, 0.07, 0.15, 3.0, 0.04
# Hands grip below this speed (m/s) for at least this time (s): swinging arms rest for 0.2 s.
_GRIP_SPEED, _GRIP_TIME = 0.12, 0.35
# Horizontal reach of a surface sample, and largest depth of points below it, metres.
_REACH, _SUNK = 0.3, 0.08
# Distance of the centre of pressure from all contacts that requires another; radius of a seat;
# metres.
_OUTSIDE, _SEAT = 0.08, 0.15
# Walks in place: percentile of the height of the lowest foot below which it is on the ground, way
# of the centre relative to that of the ground, and share of frames that it must leave unexplained.
_DOWN, _STAYS, _BELT = 70, 0.2, 0.8
# Downward acceleration of a still point above which it is at the top of a leap, m/s^2.
_LEAP = 2.0
# Largest speed of a body at rest, m/s.
_REST = 0.2
# Tolerance in octaves where a force requires a contact.
_ASKED = 2.5
# Fraction of unknown frames above which a motion is explained badly, and below which well.
_UNEXPLAINED, _EXPLAINED = 0.2, 0.06
_WAYS = np.stack([np.cos(a := np.arange(16) * np.pi / 8), np.sin(a)], axis=1)


def find_contacts(motion: Motion) -> FoundContacts:
    """Find the contacts and flights of a motion.

    Parameters
    ----------
    motion : Motion
        The motion, in any unit and at any frame rate. Points of humans are found by their roles,
        those of other creatures are the ends of their limbs.

    Examples
    --------
    >>> from retime import samples
    >>> found = find_contacts(samples.jump())
    >>> len(found.flights)
    1
    """
    return last(motion, "found contacts", (), lambda: _found(motion))


def _found(motion: Motion) -> FoundContacts:
    if len(motion) < 3 or motion.duration <= 0:
        return FoundContacts()
    motion = judged(motion)
    detector = Detector.of(motion)
    seen = detector.run()
    if seen.unseen() <= _UNEXPLAINED or not detector.points:
        return seen.found(motion)
    belt = detector.belt()
    if belt is not None:
        moving = detector.moving_with(belt).run()
        if moving.unseen() < _BELT * seen.unseen():
            return moving.found(motion, drift=belt)
    drift = detector.common_drift()
    if drift is not None:
        moving = detector.moving_with(drift).run()
        if moving.unseen() < seen.unseen() / 2:
            return moving.found(motion, drift=drift)
    return seen.found(motion, better_rate=_better_rate(detector, seen.unknown(), motion.rate))


def _better_rate(detector: Detector, unknown: float, rate: float) -> float:
    """Return half or double the frame rate if that explains the motion; otherwise 0."""
    for factor in (0.5, 2.0):
        other = detector.at_rate(factor).run()
        if other.unknown() < _EXPLAINED < _UNEXPLAINED < unknown:
            return factor * rate
    return 0.0


@dataclass(frozen=True, eq=False)
class _Seed:
    """Frames in which a point is supported; a grip supports hands only."""

    first: int
    past: int
    owner: Point
    is_grip: bool
    spot: FloatArray


class Detector:
    """The points of a motion at equal intervals, and their contacts.

    Parameters
    ----------
    points : list of Point
        Points that can touch.
    centre, times : array (F, 3), array (F,)
        Centre of mass in metres, and times in seconds.
    rate : float
        Frames per second.
    """

    def __init__(
        self, points: list[Point], centre: FloatArray, times: FloatArray, rate: float
    ) -> None:
        self.points, self.centre, self.times, self.rate = points, centre, times, rate
        self.force = needed_force(centre, rate)
        self.falls = np.clip((self.force - FALLS) / 0.05, -1, 0)
        self.places = np.array([p.place for p in points]).reshape(-1, len(times), 3)
        self.speed = speeds(self.places, rate)
        self.slow = _octaves(_SPEED, self.speed)
        self.rise = fitted(self.places[..., 1].T, rate, PARABOLA[-1], 2).T
        carriers = {id(p.carrier): p.carrier for p in points}
        carried = {k: speeds(carrier[None], rate)[0] for k, carrier in carriers.items()}
        self.carried = [carried[id(p.carrier)] for p in points]
        self.height = self.places[..., 1] - np.array([p.clear for p in points])[:, None]
        self.low = self.height.min(axis=0) if points else centre[:, 1]
        self.score, self.near = np.zeros(self.height.shape), np.zeros(self.height.shape)
        self.down = np.zeros(self.height.shape, dtype=bool)

    @classmethod
    def of(cls, motion: Motion) -> Detector:
        """Make a detector for a motion, resampled at equal intervals."""
        body, times = find_body(motion), motion.times
        at = positions(motion, end_sites=True)
        points, centre = body_points(motion, body, at), at.transpose(0, 2, 1) @ body.mass_weights
        if motion.sample_times is None:
            return cls(points, centre, times, motion.rate)
        even = np.linspace(*motion.domain, max(round(motion.duration * motion.rate), 2) + 1)
        centre = np.stack([np.interp(even, times, centre[:, c]) for c in range(3)], axis=1)
        points = [p.at_times(times, even) for p in points]
        return cls(points, centre, even, (len(even) - 1) / motion.duration)

    def at_rate(self, factor: float) -> Detector:
        """Return a detector of the same samples at another frame rate."""
        return Detector(self.points, self.centre, self.times / factor, self.rate * factor)

    def moving_with(self, drift: FloatArray) -> Detector:
        """Return a detector in the frame of a moving ground."""
        way = drift * (self.times - self.times[0])[:, None]
        points = [replace(p, place=p.place - way, carrier=p.carrier - way) for p in self.points]
        return Detector(points, self.centre - way, self.times, self.rate)

    def belt(self) -> FloatArray | None:
        """Return the velocity of the ground, (3,) m/s, under a walk that stays in place.

        It is that of the lowest foot: cycles of games slide and have no foot that moves evenly.
        """
        feet = [p for p, point in enumerate(self.points) if point.kind in ("ball", "toes", "end")]
        if not feet:
            return None
        low = self.height[feet].min(axis=0)
        speeds = np.stack([fitted(self.points[p].place, self.rate, LINE, 1) for p in feet])
        lowest = speeds[self.height[feet].argmin(axis=0), np.arange(len(low))]
        down = low <= np.percentile(low, _DOWN)
        drift: FloatArray = np.median(lowest[down], axis=0) * [1.0, 0.0, 1.0]
        way = float(np.linalg.norm(drift)) * float(np.ptp(self.times))
        stays = float(np.linalg.norm((self.centre[-1] - self.centre[0])[[0, 2]])) < _STAYS * way
        return drift if stays and float(np.linalg.norm(drift)) > _SPEED else None

    def common_drift(self) -> FloatArray | None:
        """Return the common velocity of low feet, (3,) m/s, if the body walks on the spot."""
        found = []
        for p, point in enumerate(self.points):
            if point.kind in ("ball", "end"):
                low = self.height[p] < np.percentile(self.height[p], 2) + _NEAR / 2
                found.append(fitted(point.place, self.rate, LINE, 1)[low])
        if not any(map(len, found)):
            return None
        velocity = np.concatenate(found)
        drift = np.median(velocity, axis=0) * [1.0, 0.0, 1.0]
        speed = float(np.linalg.norm(drift))
        apart = np.linalg.norm(velocity - drift, axis=1)
        return drift if speed > _SPEED and np.median(apart) < 0.4 * speed else None

    def run(self) -> Outcome:
        """Decide whether each point touches in each frame."""
        if not self.points:
            return self.outcome
        every = range(len(self.points))
        seeds = [seed for p in every for seed in self._seeds(p)]
        for p in every:
            self._decide(p, seeds)
        self._ask_for_a_seat()
        more = self._asked_feet()
        if more:
            for p in every:
                if self.points[p].is_foot:
                    self._decide(p, seeds + more)
        self._ask_for_any()
        return self.outcome

    # ---- seeds

    def _seeds(self, p: int) -> list[_Seed]:
        """Return the seeds of a point."""
        point, speed = self.points[p], self.speed[p]
        if point.is_foot:
            limit, least = np.maximum(_SPEED / 2, _CARRIED_SHARE * self.carried[p]), _SEED_TIME
        else:
            limit, least = np.full(len(speed), _GRIP_SPEED), _GRIP_TIME
        out = []
        for a, b in runs((speed < limit) & (self.force > FALLS)):
            if b - a < max(least * self.rate, 2) or middle(self.rise[p, a:b]) < -_LEAP:
                continue
            lowest = point.kind != "seat" and middle((self.height[p] - self.low)[a:b]) < _LOWEST
            if lowest or self._passed(p, a, b):
                out.append(self._seed(p, a, b, is_grip=not (lowest or point.is_foot)))
        return out

    def _passed(self, p: int, a: int, b: int) -> bool:
        """Return whether a foot or a hand is still while its carrier moves."""
        point = self.points[p]
        if not point.is_foot and not (point.is_arm and point.able[a:b].mean() > 0.5):
            return False
        moves = self.carried[p][a:b].mean() > max(_CARRIED, _TIMES * self.speed[p, a:b].mean())
        return bool(moves)

    def _seed(self, p: int, first: int, past: int, *, is_grip: bool) -> _Seed:
        point = self.points[p]
        spot = middle(point.place[first:past]) - point.clear * _UP
        return _Seed(first, past, point, is_grip, spot)

    # ---- scores and states

    def _decide(self, p: int, seeds: list[_Seed]) -> None:
        point = self.points[p]
        score = self._scored(p, seeds) + self.falls
        for seed in seeds:
            if seed.owner is point and not point.is_foot:
                part = slice(seed.first, seed.past)
                score[part] = np.maximum(score[part], 0.5)
        self.score[p] = score
        self.down[p] = _native.contacts.likeliest_states(
            np.clip(score, -1, 1), SHORTEST * self.rate
        )

    def _scored(self, p: int, seeds: list[_Seed]) -> FloatArray:
        """Return the score of a point for its speed and distance from a surface, -3 to 1."""
        point = self.points[p]
        slow = self.slow[p] + (np.log2(_HEEL) if point.kind == "heel" else 0.0)
        self.near[p] = _octaves(_NEAR * (1.0 if point.is_foot else _FLESH), self._gap(p, seeds))
        both = np.clip(np.minimum(slow, self.near[p]), -3, 1)
        return both if point.is_arm else np.where(point.able, both, -3.0)

    def _gap(self, p: int, seeds: list[_Seed]) -> FloatArray:
        """Return the height of a point above the nearest surface, (F,) metres."""
        point, height = self.points[p], self.height[p]
        usable = [s for s in seeds if point.is_arm or not s.is_grip]
        spots = np.array([s.spot for s in usable]).reshape(-1, 3)
        grips = np.array([s.is_grip for s in usable], dtype=bool)
        place = np.ascontiguousarray(point.place)
        gap = _native.contacts.surface_gaps(
            place, point.clear, point.able, spots, grips, _REACH, _SUNK
        )
        # Far from all samples, the ground continues from the supports before and after.
        feet = [(s.first, s.past - 1, s.spot[1]) for s in usable if s.owner.is_foot]
        if not feet:  # one level
            lowest = height if point.is_foot else self.low
            feet = [(0, 0, np.percentile(lowest, 5))]
        supports = np.array(sorted(feet))
        more = _native.contacts.continued_gaps(height, supports, 2 * _SUNK, _NEAR / 4)
        return np.asarray(np.minimum(gap, more))

    # ---- contacts required by forces

    def _outside(self) -> FloatArray:
        """Return the distance of the centre of pressure from the contacts, except hands."""
        bent = fitted(self.centre, self.rate, PARABOLA[-1], 2)
        push = np.maximum(bent[:, 1] + GRAVITY, 0.3 * GRAVITY)
        pressure = self.centre - ((self.centre[:, 1] - self.low) / push)[:, None] * bent
        stands = np.array([not p.is_arm for p in self.points])
        sizes = np.array([_SEAT if p.kind == "seat" else 0.0 for p in self.points])
        return _native.contacts.outside_hull(
            pressure[:, ::2].copy(), self.places[stands], self.down[stands], sizes[stands], _WAYS
        )

    def _ask_for_a_seat(self) -> None:
        for p, point in enumerate(self.points):
            if point.kind == "seat":
                asked = (self._outside() - _OUTSIDE) / 0.04
                rests = np.clip(np.minimum(_octaves(_REST, self.speed[p]), asked), -2, 1)
                self.score[p] = np.maximum(self.score[p], np.where(point.able, rests, -3.0))
                score = np.clip(self.score[p], -1, 1)
                self.down[p] = _native.contacts.likeliest_states(score, 4 * SHORTEST * self.rate)

    def _asked_feet(self) -> list[_Seed]:
        """Return seeds of still feet that must carry the body, or rest while it sits.

        Hanging feet of a sitting body swing, so that they are not still.
        """
        sits = [self.down[p] for p, point in enumerate(self.points) if point.kind == "seat"]
        asked = (self._outside() > _OUTSIDE) | np.any(sits or [[False]], axis=0)
        out = []
        for p, point in enumerate(self.points):
            if point.is_foot:
                still = (self.speed[p] < _SPEED / 4) & asked & ~self.down[p]
                for a, b in runs(np.asarray(still)):
                    if b - a > 4 * SHORTEST * self.rate:
                        out.append(self._seed(p, a, b, is_grip=False))
        return out

    def _ask_for_any(self) -> None:
        """Add a contact of the likeliest point where a force requires one and none was found."""
        held = np.asarray(~self.down.any(axis=0) & (self.force > STANDS))
        for a, b in runs(held):  # a short one away from all contacts is an error of the capture
            held[a:b] &= b - a >= SHORTEST * self.rate or self.down[:, max(a - 2, 0) : b + 2].any()
        if not held.any():
            return
        lift = held * np.clip(1 - self.score.max(axis=0), 0, _ASKED)
        for p, point in enumerate(self.points):
            if point.kind != "seat":
                score = np.clip(self.score[p] + lift, -1, 1)
                self.down[p] |= _native.contacts.likeliest_states(score, SHORTEST * self.rate)

    @property
    def outcome(self) -> Outcome:
        """The decisions, as results."""
        return Outcome(
            self.points,
            self.times,
            self.rate,
            self.force,
            self.height,
            self.speed,
            self.score,
            self.near,
            self.down,
        )


def _octaves(limit: float, value: FloatArray) -> FloatArray:
    out: FloatArray = np.log2(limit) - np.log2(np.clip(value, 1e-6, 1e6))
    return out
