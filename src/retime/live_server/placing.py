"""Place the partner by the performer: turned and moved along the ground as the performer is.

The recorded performer is brought onto the live one by a turn about the vertical and a shift; the
partner who was recorded beside them goes along, with their steps or slowly, because standing feet
do not slide.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from retime.arrays import FloatArray
from retime.live_server.avatar import Avatar, FigurePose
from retime.motion import quat

# The partner turns at most so quickly (rad/s), and moves at most at this speed (m/s) and this share
# of the speed of the quicker foot; gaps close within this many seconds.
_TURNS, _MOVES, _OF_FOOT, _CLOSES = math.radians(30), 0.1, 0.3, 0.3
# Fewer joints tell no heading.
_LEAST_JOINTS = 3


@dataclass(frozen=True)
class Place:
    """A turn about the vertical (radians), then a shift along the ground (metres)."""

    heading: float = 0.0
    x: float = 0.0
    z: float = 0.0

    def turn(self, vectors: FloatArray) -> FloatArray:
        """Turn vectors (..., 3)."""
        cos, sin = math.cos(self.heading), math.sin(self.heading)
        x, y, z = vectors[..., 0], vectors[..., 1], vectors[..., 2]
        return np.stack([cos * x + sin * z, y, cos * z - sin * x], axis=-1)

    def __call__(self, points: FloatArray) -> FloatArray:
        """Move recorded points (..., 3) to where they are now."""
        out: FloatArray = self.turn(points) + np.array([self.x, 0.0, self.z])
        return out

    def figure(self, pose: FigurePose) -> FigurePose:
        """Place a recorded figure."""
        turns, offsets = pose.turns.copy(), pose.offsets.copy()
        whole = quat.from_axis_angle([0.0, 1.0, 0.0], self.heading)
        for j, parent in enumerate(pose.parents):
            if parent < 0:
                turns[j] = quat.multiply(whole, turns[j])
                offsets[j] = self(offsets[j])
        return FigurePose(turns, offsets, pose.parents)

    def about(self, heading: float, pivot: FloatArray) -> Place:
        """Turn to another heading about a recorded point, which stays where it is."""
        stays, moved = self(pivot), Place(heading).turn(pivot)
        return Place(heading, float(stays[0] - moved[0]), float(stays[2] - moved[2]))


def find_place(recorded: FloatArray, live: FloatArray) -> Place | None:
    """Return the place that brings recorded joints (J, 3) nearest to live ones; NaN is unseen."""
    seen = np.isfinite(live).all(axis=1)
    if seen.sum() < _LEAST_JOINTS:
        return None
    one, other = recorded[seen][:, [0, 2]], live[seen][:, [0, 2]]
    middle, there = one.mean(axis=0), other.mean(axis=0)
    (x, z), (u, v) = (one - middle).T, (other - there).T
    heading = math.atan2(float(z @ u - x @ v), float(x @ u + z @ v))
    turned = Place(heading).turn(np.array([middle[0], 0.0, middle[1]]))
    return Place(heading, float(there[0] - turned[0]), float(there[1] - turned[2]))


class Placement:
    """The place of a partner, which changes as a body can.

    While the partner stands, they turn about the standing foot; they move with their steps.
    """

    def __init__(self, avatar: Avatar) -> None:
        self._times = avatar.motion.times
        hips = avatar.places[:, avatar.roles.index("hips")]
        feet = [k for k, r in enumerate(avatar.roles) if r in ("left_foot", "right_foot")]
        tracks = avatar.places[:, feet] if feet else hips[:, None]
        self._hips, self._feet = hips, tracks
        few = len(self._times) < 2
        moved = np.zeros_like(tracks) if few else np.gradient(tracks, self._times, axis=0)
        self._speeds: FloatArray = np.linalg.norm(moved, axis=2)
        self._wanted: Place | None = None
        self._now = -math.inf
        self.place: Place | None = None

    def hear(self, place: Place | None) -> None:
        """Set where the performer is, if that is known."""
        self._wanted = place or self._wanted

    def at(self, now: float, time: float) -> Place:
        """Return the place at a time of this machine's clock and a time of the recording."""
        seconds, self._now = min(max(now - self._now, 0.0), 0.1), now
        if self._wanted is None:
            return Place()
        if self.place is None:  # nobody was there to see the partner move
            self.place = self._wanted
        i = int(np.clip(np.searchsorted(self._times, time), 0, len(self._times) - 1))
        pivot = self._feet[i, int(self._speeds[i].argmin())]
        gain = seconds / max(_CLOSES, seconds)
        way = (self._wanted.heading - self.place.heading + math.pi) % (2 * math.pi) - math.pi
        turn = min(max(gain * way, -_TURNS * seconds), _TURNS * seconds)
        place = self.place.about(self.place.heading + turn, pivot)
        gap = gain * (self._wanted(self._hips[i]) - place(self._hips[i]))
        most = (_MOVES + _OF_FOOT * float(self._speeds[i].max())) * seconds
        gap *= min(1.0, most / max(float(np.hypot(gap[0], gap[2])), 1e-9))
        self.place = Place(place.heading, place.x + float(gap[0]), place.z + float(gap[2]))
        return self.place
