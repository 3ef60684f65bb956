"""The contact detector: for any point of a body, on any ground.

1. Gravity. The external force on a body, in body weights, is ``f = |c'' + g| / g`` of its centre of
   mass c. Near 0 it flies; well above 0 something supports it.
2. Seeds. A point that is still while its parent moves (a foot under passing hips) is supported, at
   any height; so is the lowest point of a body at rest. Seeds sample the ground as a height field:
   no level floor is needed.
3. Scores. For each point and frame, in octaves: how far below the speed limit, how near to a
   sampled surface; the worse of both counts. Free fall takes one octave away.
4. States. A contact is accepted if its score outweighs the cost of starting and ending it, in
   seconds.
5. Need. A centre of pressure outside of all contacts needs a seat, then the other foot; a force
   without any contact needs the likeliest point, with a confidence below 0.5.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.body.body import find_body
from retime.body.contacts.derivatives import (
    GRAVITY,
    LINE,
    PARABOLA,
    fitted,
    needed_force,
    speeds,
)
from retime.body.contacts.found import FoundContacts, floor_under
from retime.body.contacts.points import Point, body_points
from retime.body.contacts.stretches import middle, runs
from retime.body.size import judged
from retime.motion import Motion
from retime.motion.contact import Contact
from retime.motion.kinematics import positions
from retime.motion.memory import last

Mask = npt.NDArray[np.bool_]

_UP = np.array([0.0, 1.0, 0.0])
# As likely down as up: this speed (m/s; heels strike faster) and this height over a surface (m;
# joints under flesh lie higher). Balls of feet roll at 0.2 to 0.4 m/s in stance and swing above
# 1.5; 5 mm of noise read as 0.1 to 0.2.
_SPEED, _HEEL, _NEAR, _FLESH = 0.45, 1.33, 0.04, 1.5
# The shortest contact, and gap, that is believed, seconds.
_SHORTEST = 0.07
# Less force than this, in body weights, is free fall; more than that is none.
_FALLS, _STANDS = 0.3, 0.5
# A foot is held while it is slower than half the speed limit, or than this share of its carrier's
# speed, for at least the seed time (s). The carrier must then be faster than _CARRIED (m/s) and
# _TIMES the foot's speed, or the foot at most _LOWEST (m) above the body's lowest point.
_CARRIED_SHARE, _SEED_TIME, _CARRIED, _TIMES, _LOWEST = 1 / 6, 0.07, 0.15, 3.0, 0.04
# Hands grip below this speed (m/s) for at least this time (s): swinging arms rest for 0.2 s.
_GRIP_SPEED, _GRIP_TIME = 0.12, 0.35
# A surface counts this far along the ground, and for points this far below it, metres.
_REACH, _SUNK = 0.3, 0.08
# A centre of pressure this far outside of all that touches asks for more; a seat's radius; metres.
_OUTSIDE, _SEAT = 0.08, 0.15
# What falls faster than this in the middle of its rest, in m/s^2, is at the top of a leap.
_LEAP = 2.0
# Who rests is slower than this, m/s.
_REST = 0.2
# Octaves that limits may be off by where a force needs a contact.
_ASKED = 2.5
# A motion is explained badly where this share of its frames is unknown, and well below that.
_UNEXPLAINED, _EXPLAINED = 0.2, 0.06
_WAYS = np.stack([np.cos(a := np.arange(16) * np.pi / 8), np.sin(a)], axis=1)


def find_contacts(motion: Motion) -> FoundContacts:
    """Find what touches when, and when the body flies.

    Parameters
    ----------
    motion : Motion
        Any motion: any unit, frame rate and sampling. Humans are known by their roles, other
        creatures by the ends of their limbs.

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
    detector.run()
    if detector.unseen() <= _UNEXPLAINED or not detector.points:
        return detector.found(motion)
    drift = detector.common_drift()
    if drift is not None:
        moving = detector.moving_with(drift)
        moving.run()
        if moving.unseen() < detector.unseen() / 2:
            return moving.found(motion, drift=drift)
    for factor in (0.5, 2.0):
        other = detector.at_rate(factor)
        other.run()
        if other.unknown() < _EXPLAINED < _UNEXPLAINED < detector.unknown():
            return detector.found(motion, better_rate=factor * motion.rate)
    return detector.found(motion)


@dataclass(frozen=True, eq=False)
class _Seed:
    """A stretch of frames in which the world holds a point; a grip serves hands alone."""

    first: int
    past: int
    owner: Point
    is_grip: bool
    spot: FloatArray


class Detector:
    """A motion's points at even times, and what is found about them.

    Parameters
    ----------
    points : list of Point
        Points that can touch.
    centre, times : array (F, 3), array (F,)
        The centre of mass, in metres, at even times, in seconds.
    rate : float
        Frames per second.
    """

    def __init__(
        self, points: list[Point], centre: FloatArray, times: FloatArray, rate: float
    ) -> None:
        self.points, self.centre, self.times, self.rate = points, centre, times, rate
        self.force = needed_force(centre, rate)
        self.falls = np.clip((self.force - _FALLS) / 0.05, -1, 0)
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
        """Take a motion's points, at even times."""
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
        """Return the same samples, taken to be another frame rate's."""
        return Detector(self.points, self.centre, self.times / factor, self.rate * factor)

    def moving_with(self, drift: FloatArray) -> Detector:
        """Return the same body as seen by one who moves along with its ground."""
        way = drift * (self.times - self.times[0])[:, None]
        points = [replace(p, place=p.place - way, carrier=p.carrier - way) for p in self.points]
        return Detector(points, self.centre - way, self.times, self.rate)

    def common_drift(self) -> FloatArray | None:
        """Return the velocity that low feet share, (3,) m/s, of a body that walks on the spot."""
        found = []
        for p, point in enumerate(self.points):
            if point.kind in ("ball", "end"):
                low = self.height[p] < np.percentile(self.height[p], 2) + _NEAR / 2
                found.append(fitted(point.place, self.rate, LINE, 1)[low])
        velocity = np.concatenate(found) if found else np.zeros((0, 3))
        drift = np.median(velocity, axis=0) * [1.0, 0.0, 1.0] if len(velocity) else np.zeros(3)
        speed = float(np.linalg.norm(drift))
        apart = np.linalg.norm(velocity - drift, axis=1)
        return drift if speed > _SPEED and np.median(apart) < 0.4 * speed else None

    def run(self) -> None:
        """Decide for every point and frame whether it touches."""
        if not self.points:
            return
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

    # ---- seeds

    def _seeds(self, p: int) -> list[_Seed]:
        """List the stretches in which the world holds a point."""
        point, speed, carried = self.points[p], self.speed[p], self.carried[p]
        if point.is_foot:
            limit, least = np.maximum(_SPEED / 2, _CARRIED_SHARE * carried), _SEED_TIME
        else:
            limit, least = np.full(len(speed), _GRIP_SPEED), _GRIP_TIME
        out = []
        for a, b in runs((speed < limit) & (self.force > _FALLS)):
            if b - a < max(least * self.rate, 2) or middle(self.rise[p, a:b]) < -_LEAP:
                continue
            passed = carried[a:b].mean() > max(_CARRIED, _TIMES * speed[a:b].mean())
            passed &= point.is_foot or (point.is_arm and point.able[a:b].mean() > 0.5)
            lowest = point.kind != "seat" and middle((self.height[p] - self.low)[a:b]) < _LOWEST
            if passed or lowest:
                out.append(self._seed(p, a, b, is_grip=not (lowest or point.is_foot)))
        return out

    def _seed(self, p: int, first: int, past: int, *, is_grip: bool) -> _Seed:
        point = self.points[p]
        spot = middle(point.place[first:past]) - point.clear * _UP
        return _Seed(first, past, point, is_grip, spot)

    # ---- scores and states

    def _decide(self, p: int, seeds: list[_Seed]) -> None:
        from retime.body.contacts.kernels import likeliest_states

        point = self.points[p]
        score = self._scored(p, seeds) + self.falls
        for seed in seeds:
            if seed.owner is point and not point.is_foot:
                part = slice(seed.first, seed.past)
                score[part] = np.maximum(score[part], 0.5)
        self.score[p] = score
        self.down[p] = likeliest_states(np.clip(score, -1, 1), _SHORTEST * self.rate)

    def _scored(self, p: int, seeds: list[_Seed]) -> FloatArray:
        """Return by how many octaves a point is slow and near to a surface: the worse, -3 to 1."""
        point = self.points[p]
        slow = self.slow[p] + (np.log2(_HEEL) if point.kind == "heel" else 0.0)
        self.near[p] = _octaves(_NEAR * (1.0 if point.is_foot else _FLESH), self._gap(p, seeds))
        both = np.clip(np.minimum(slow, self.near[p]), -3, 1)
        return both if point.is_arm else np.where(point.able, both, -3.0)

    def _gap(self, p: int, seeds: list[_Seed]) -> FloatArray:
        """Return how far a point is above the nearest surface, (F,) metres."""
        from retime.body.contacts.kernels import continued_gaps, surface_gaps

        point, height = self.points[p], self.height[p]
        usable = [s for s in seeds if point.is_arm or not s.is_grip]
        spots = np.array([s.spot for s in usable]).reshape(-1, 3)
        grips = np.array([s.is_grip for s in usable], dtype=bool)
        place = np.ascontiguousarray(point.place)
        gap = surface_gaps(place, point.clear, point.able, spots, grips, _REACH, _SUNK)
        # Far from all samples the ground goes on from the supports before and after; without any,
        # it is one level.
        feet = [(s.first, s.past - 1, s.spot[1]) for s in usable if s.owner.is_foot]
        if not feet:
            lowest = height if point.is_foot else self.low
            feet = [(0, 0, np.percentile(lowest, 5))]
        start, end, level = np.array(sorted(feet)).T.copy()
        more = continued_gaps(height, start, end, level, 2 * _SUNK, _NEAR / 4)
        return np.asarray(np.minimum(gap, more))

    # ---- what forces need

    def _outside(self) -> FloatArray:
        """Return the distance of the centre of pressure from the contacts, without hands."""
        from retime.body.contacts.kernels import outside_hull

        bent = fitted(self.centre, self.rate, PARABOLA[-1], 2)
        push = np.maximum(bent[:, 1] + GRAVITY, 0.3 * GRAVITY)
        pressure = self.centre - ((self.centre[:, 1] - self.low) / push)[:, None] * bent
        stands = np.array([not p.is_arm for p in self.points])
        sizes = np.array([_SEAT if p.kind == "seat" else 0.0 for p in self.points])
        return np.asarray(
            outside_hull(
                pressure[:, [0, 2]], self.places[stands], self.down[stands], sizes[stands], _WAYS
            )
        )

    def _ask_for_a_seat(self) -> None:
        from retime.body.contacts.kernels import likeliest_states

        for p, point in enumerate(self.points):
            if point.kind == "seat":
                asked = (self._outside() - _OUTSIDE) / 0.04
                rests = np.clip(np.minimum(_octaves(_REST, self.speed[p]), asked), -2, 1)
                self.score[p] = np.maximum(self.score[p], np.where(point.able, rests, -3.0))
                score = np.clip(self.score[p], -1, 1)
                self.down[p] = likeliest_states(score, 4 * _SHORTEST * self.rate)

    def _asked_feet(self) -> list[_Seed]:
        """List the stretches in which a still foot carries, for nothing else does, or rests.

        Feet of one who sits are still on what they rest on; hanging, they swing.
        """
        sits = [self.down[p] for p, point in enumerate(self.points) if point.kind == "seat"]
        asked = (self._outside() > _OUTSIDE) | np.any(sits or [[False]], axis=0)
        out = []
        for p, point in enumerate(self.points):
            if point.is_foot:
                still = (self.speed[p] < _SPEED / 4) & asked & ~self.down[p]
                for a, b in runs(np.asarray(still)):
                    if b - a > 4 * _SHORTEST * self.rate:
                        out.append(self._seed(p, a, b, is_grip=False))
        return out

    def _ask_for_any(self) -> None:
        """Let the likeliest point touch where a force needs one and none was found."""
        from retime.body.contacts.kernels import likeliest_states

        held = np.asarray(~self.down.any(axis=0) & (self.force > _STANDS))
        for a, b in runs(held):  # a short one apart from all contacts is a jolt of the capture
            held[a:b] &= b - a >= _SHORTEST * self.rate or self.down[:, max(a - 2, 0) : b + 2].any()
        if not held.any():
            return
        lift = held * np.clip(1 - self.score.max(axis=0), 0, _ASKED)
        for p, point in enumerate(self.points):
            if point.kind != "seat":
                score = np.clip(self.score[p] + lift, -1, 1)
                self.down[p] |= likeliest_states(score, _SHORTEST * self.rate)

    # ---- what came of it

    def _flights(self) -> list[tuple[int, int]]:
        free = np.asarray(~self.down.any(axis=0) if self.points else self.force < _FALLS)
        long = [(a, b) for a, b in runs(free) if b - a >= 0.7 * _SHORTEST * self.rate]
        # Short flights are smeared by the windows that accelerations are taken over.
        return [(a, b) for a, b in long if np.median(self.force[a:b]) < _FALLS + 0.1]

    def _airborne(self) -> list[tuple[int, int]]:
        """List stretches in which no contact is seen and no part is near to any surface."""
        if not self.points:
            return self._flights()
        able = np.array([p.able for p in self.points])
        close = (self.near > 0) & able
        seen = self.down & (self.score > 0)
        free = np.asarray(~(close | seen).any(axis=0))
        return [(a, b) for a, b in runs(free) if b - a >= _SHORTEST * self.rate]

    def unseen(self) -> float:
        """Return the fraction of frames with a force in which a contact was only inferred."""
        sure = (self.down & (self.score > 0)).any(axis=0)
        return float((~sure & (self.force > _STANDS)).mean())

    def unknown(self) -> float:
        """Return the fraction of frames in which nothing touches, yet the body does not fall."""
        if not self.points:
            return 0.0
        free = int((~self.down.any(axis=0)).sum())
        return (free - sum(b - a for a, b in self._flights())) / len(self.times)

    def found(
        self, motion: Motion, *, better_rate: float = 0.0, drift: FloatArray | None = None
    ) -> FoundContacts:
        """Return what was found, at a motion's own frames."""
        unknown = self.unknown()
        ground = (0.0, 0.0, 0.0) if drift is None else (float(drift[0]), 0.0, float(drift[2]))
        contacts, spots = [], []
        for p, point in enumerate(self.points):
            for a, b in runs(self.down[p]):
                if b - a < 2:
                    continue
                sure = 0.5 + 0.5 * float(np.clip(self.score[p, a:b], -1, 1).mean())
                height = float(middle(self.height[p, a:b]))
                start, end = float(self.times[a]), float(self.times[b - 1])
                joint = motion.skeleton.names[point.joint]
                contacts.append(Contact(joint, start, end, point.name, sure, height, ground))
                if point.kind in ("ball", "end"):
                    place, speed = middle(point.place[a:b]), middle(self.speed[p, a:b])
                    spots.append([*place, b - a, speed])
        near = np.clip(np.searchsorted(self.times, motion.times - 1e-9), 0, len(self.times) - 1)
        return FoundContacts(
            tuple(contacts),
            tuple((float(self.times[a]), float(self.times[b - 1])) for a, b in self._flights()),
            tuple((float(self.times[a]), float(self.times[b - 1])) for a, b in self._airborne()),
            unknown,
            floor_under(np.array(spots).reshape(-1, 5), unknown),
            {point.name: self.down[p][near] for p, point in enumerate(self.points)},
            self.force[near],
            better_rate,
            ground,
        )


def _octaves(limit: float, value: FloatArray) -> FloatArray:
    out: FloatArray = np.log2(limit) - np.log2(np.clip(value, 1e-6, 1e6))
    return out
