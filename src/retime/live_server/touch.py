"""Hands that touch: the partner's limb keeps the recorded offset to the performer's joint.

The offset is in the axes of the performer, who may stand and face elsewhere than recorded. Only the
difference between the live joint and the recorded one is added to the partner's joint. It changes
slowly; the quick motion is that of the recording, without noise or delay. Limbs are bent by
two-bone IK; where one is too short, the whole figure comes along the ground.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.signal import find_peaks

from retime.arrays import FloatArray
from retime.body import ROLES, find_body
from retime.body.solve.ik import two_bone
from retime.errors import InputError, did_you_mean
from retime.live_server.avatar import Avatar, FigurePose
from retime.live_server.humanoid import nearest_parent
from retime.live_server.placing import Place
from retime.motion import Motion, quat
from retime.motion.kinematics import positions

# Wrists that are farther apart than this do not touch (m, for a head at the second value, m). Feet
# and other joints have their own: a hand is not held out to them.
_WRISTS, _HEAD, _OTHERS = 0.45, 1.5, 0.3
# Distances between two touches rise by this much (m). A touch is whole while the joints are within
# the second value of their least distance, and fades over this much approach (m).
_APART, _WHOLE, _FADES = 0.05, 0.03, 0.2
# The difference to the recorded joint is followed as by a critically damped spring (rad/s); farther
# than this (m) the partner lets go.
_SPRING, _FARTHEST = 18.0, 0.6
# Maximum speed (m/s, and share of the recorded speed) at which a correction changes.
_SPEED, _OF_RECORDED = 0.8, 0.4
# How far the whole figure comes along the ground, metres, how quickly, metres a second, and the
# share of its length to which a limb is stretched before that.
_MOST_STEP, _STEP_SPEED, _STRETCHED = 0.6, 0.5, 0.97
# Ends of limbs, and the roles of the two bones before them.
_LIMBS = {
    f"{side}_{end}": (f"{side}_{upper}", f"{side}_{lower}")
    for side in ("left", "right")
    for end, upper, lower in (
        ("hand", "upper_arm", "lower_arm"),
        ("foot", "upper_leg", "lower_leg"),
    )
}


@dataclass(frozen=True)
class TouchPair:
    """A joint of the partner, and the joint of the performer that it touches."""

    partner: str
    performer: str

    def shares(self, other: TouchPair) -> bool:
        """Return whether one joint is in both pairs."""
        return self.partner == other.partner or self.performer == other.performer

    @classmethod
    def parse(cls, text: str) -> TouchPair:
        """Read ``PARTNER_JOINT=PERFORMER_JOINT``, both roles such as ``right_hand``."""
        partner, equals, performer = (part.strip() for part in text.partition("="))
        if not equals:
            raise InputError(
                f"--touch {text!r}: write PARTNER_JOINT=PERFORMER_JOINT, such as "
                "right_hand=right_hand, or auto"
            )
        if partner not in _LIMBS:
            known = tuple(_LIMBS)
            raise InputError(
                f"--touch {text!r}: the partner touches with {', '.join(known)}, not "
                f"{partner!r}{did_you_mean(partner, known)}"
            )
        if performer not in ROLES:
            raise InputError(
                f"--touch {text!r}: no role {performer!r}{did_you_mean(performer, ROLES)}"
            )
        return cls(partner, performer)


def found_pairs(performer: Motion, partner: Motion) -> tuple[TouchPair, ...]:
    """Return the hands of two recordings that touch; of several for one hand, the nearest."""
    hands = ("left_hand", "right_hand")
    one, two = (set(find_body(m).roles) for m in (performer, partner))
    touches = [
        Touch(TouchPair(theirs, ours), performer, partner)
        for theirs in hands
        for ours in hands
        if theirs in two and ours in one
    ]

    def is_nearest(touch: Touch, time: float) -> bool:
        rivals = (t for t in touches if t is not touch and touch.pair.shares(t.pair))
        return all(t.distance(time) > touch.distance(time) for t in rivals)

    return tuple(t.pair for t in touches if any(is_nearest(t, time) for time in t.moments))


class Touch:
    """When a pair of recorded joints touches, and the offset between them then.

    ``moments`` are the times at which the joints are nearest to each other; ``spans`` those in
    which the touch is whole.
    """

    def __init__(self, pair: TouchPair, performer: Motion, partner: Motion) -> None:
        self.pair = pair
        self._times = performer.times
        self._ours = _track(performer, pair.performer, "the reference")
        theirs = _track(partner, pair.partner, "the partner")
        at = np.clip(self._times, *partner.domain)
        there = [np.interp(at, partner.times, theirs[:, c]) for c in range(3)]
        self._offset: FloatArray = np.stack(there, axis=1) - self._ours
        self._distance = np.linalg.norm(self._offset, axis=1)
        few = len(self._times) < 2
        moved = (
            np.zeros_like(theirs) if few else np.gradient(np.stack(there, 1), self._times, axis=0)
        )
        self._speed = np.linalg.norm(moved, axis=1)
        self._find(_limit(pair, performer, partner))

    def _find(self, limit: float) -> None:
        """Find the local minima of the distance below a limit, and the weight around each."""
        distance, count = self._distance, len(self._distance)
        padded = np.r_[np.inf, distance, np.inf]
        nearest = find_peaks(-padded, prominence=_APART)[0] - 1
        nearest = nearest[distance[nearest] < limit]
        self._weight = np.zeros(count)
        spans = []
        for k, i in enumerate(nearest):
            low = 0 if k == 0 else nearest[k - 1] + int(distance[nearest[k - 1] : i].argmax())
            high = (
                count if k == len(nearest) - 1 else i + int(distance[i : nearest[k + 1]].argmax())
            )
            u = 1 - (distance[low:high] - distance[i] - _WHOLE) / _FADES
            u = np.clip(u, 0.0, 1.0)
            self._weight[low:high] = np.maximum(self._weight[low:high], u * u * (3 - 2 * u))
            whole = np.flatnonzero(np.r_[True, self._weight < 1, True])
            after = int(np.searchsorted(whole, i + 1, side="right"))
            spans.append((int(whole[after - 1]), int(whole[after]) - 2))
        self.moments = tuple(float(self._times[i]) for i in nearest)
        self.spans = tuple(
            (float(self._times[a]), float(self._times[b])) for a, b in dict.fromkeys(spans)
        )

    def weight(self, time: float) -> float:
        """Return the weight of the touch at a time of the recording, 0 to 1.

        It goes by the recorded distance: quick approaches have short fades.
        """
        return float(np.interp(time, self._times, self._weight))

    def distance(self, time: float) -> float:
        """Return the recorded distance of the joints, metres."""
        return float(np.interp(time, self._times, self._distance))

    def speed(self, time: float) -> float:
        """Return the recorded speed of the partner's joint, metres a second."""
        return float(np.interp(time, self._times, self._speed))

    def offset(self, time: float) -> FloatArray:
        """Return the recorded offset from the performer's joint to the partner's (3,), metres."""
        return _at(time, self._times, self._offset)

    def recorded(self, time: float) -> FloatArray:
        """Return where the performer's joint was recorded (3,), metres."""
        return _at(time, self._times, self._ours)


@dataclass
class _Correction:
    """Where a joint is moved to from its recorded place, in the world (3,)."""

    near: FloatArray | None = None
    """The smoothed difference between the live and the recorded joint."""
    speed: FloatArray = field(default_factory=lambda: np.zeros(3))
    applied: FloatArray = field(default_factory=lambda: np.zeros(3))

    def follow(self, difference: FloatArray, seconds: float) -> FloatArray:
        """Follow a difference as a critically damped spring does; exact for any step."""
        if self.near is None:
            self.near = difference
        gap, decay = self.near - difference, np.exp(-_SPRING * seconds)
        pull = self.speed + _SPRING * gap
        self.near = difference + (gap + pull * seconds) * decay
        self.speed = (self.speed - _SPRING * pull * seconds) * decay
        return self.near

    def apply(self, wanted: FloatArray, most: float) -> FloatArray:
        """Move the applied correction towards a wanted one, by a maximum distance in metres."""
        self.applied = self.applied + _limited(wanted - self.applied, most)
        return self.applied


@dataclass(frozen=True)
class Sight:
    """The performer as seen last: joints by role, and the time of the recording they are at."""

    joints: Mapping[str, FloatArray]
    heard: float
    place: Place


class Toucher:
    """Bends the limbs of a partner to where they touch the performer."""

    def __init__(self, touches: Sequence[Touch], avatar: Avatar) -> None:
        self.touches = tuple(touches)
        self._roles = avatar.roles
        self._limbs = {t.pair.partner: self._limb(t.pair.partner) for t in touches}
        self._corrections = [_Correction() for _ in touches]
        self._way, self._weights = np.zeros(3), np.zeros(len(touches))

    def targets(self, pose: FigurePose) -> FloatArray:
        """Return where the limbs of the last pose end, and the weight of each touch (T, 4).

        An avatar with other arms solves its own limbs for them.
        """
        ends = [self._limbs[touch.pair.partner][2] for touch in self.touches]
        return np.column_stack([pose.world()[1][ends], self._weights])

    def _limb(self, end: str) -> tuple[int, int, int]:
        roles = (*_LIMBS[end], end)
        missing = [r for r in roles if r not in self._roles]
        if missing:
            raise InputError(f"the partner has no {missing[0]}, so its {end} cannot touch anything")
        upper, lower, hand = (self._roles.index(r) for r in roles)
        return upper, lower, hand

    def reach(
        self, pose: FigurePose, time: float, place: Place, sight: Sight | None, share: float,
        seconds: float,
    ) -> FigurePose:  # fmt: skip
        """Return a pose whose limbs touch.

        ``pose`` is the figure at its ``place``, ``time`` the recording's; ``share`` weighs all
        touches, and ``seconds`` have passed since the last pose.
        """
        moved = []
        self._weights = np.array([share * touch.weight(time) for touch in self.touches])
        for touch, correction in zip(self.touches, self._corrections, strict=True):
            most = (_SPEED + _OF_RECORDED * touch.speed(time)) * seconds
            wanted = self._wanted(touch, correction, time, place, sight, share, seconds)
            way = correction.apply(wanted, most)
            if way.any():
                moved.append((self._limbs[touch.pair.partner], way))
        if not moved and not self._way.any():
            return pose
        places = pose.world()[1]
        goals = [(limb, places[limb[2]] + way) for limb, way in moved]
        pose = self._step(pose, places, goals, seconds)
        for limb, goal in goals:
            pose = _bend(pose, limb, goal)
        return pose

    def _wanted(
        self, touch: Touch, correction: _Correction, time: float, place: Place,
        sight: Sight | None, share: float, seconds: float,
    ) -> FloatArray:  # fmt: skip
        """Return the correction of the partner's joint that keeps the offset."""
        there = None if sight is None else sight.joints.get(touch.pair.performer)
        if sight is None or there is None or not np.isfinite(there).all():
            return np.zeros(3)
        offset = touch.offset(time)
        difference = there - place(touch.recorded(sight.heard))
        difference += sight.place.turn(offset) - place.turn(offset)
        near = correction.follow(difference, seconds)
        if float(np.linalg.norm(near)) > _FARTHEST:
            return np.zeros(3)
        return share * touch.weight(time) * near

    def _step(
        self, pose: FigurePose, places: FloatArray,
        goals: Sequence[tuple[tuple[int, int, int], FloatArray]], seconds: float,
    ) -> FigurePose:  # fmt: skip
        """Move the whole figure along the ground where a limb is too short."""
        ways = []
        for (upper, lower, hand), target in goals:
            length = _length(places, upper, lower) + _length(places, lower, hand)
            gap = target - places[upper]
            # Along the ground until the target is in reach at its height.
            flat = float(np.hypot(gap[0], gap[2]))
            inside = np.sqrt(max((_STRETCHED * length) ** 2 - gap[1] ** 2, 0.0))
            # A limb that was recorded straighter than that needs no step.
            inside = max(inside, float(np.hypot(*(places[hand] - places[upper])[[0, 2]])))
            if flat > inside:
                ways.append((1 - inside / flat) * np.array([gap[0], 0.0, gap[2]]))
        wanted = _limited(np.mean(ways, axis=0), _MOST_STEP) if ways else np.zeros(3)
        self._way = self._way + _limited(wanted - self._way, _STEP_SPEED * seconds)
        offsets = pose.offsets.copy()
        for j, parent in enumerate(pose.parents):
            if parent < 0:
                offsets[j] += self._way
        return FigurePose(pose.turns, offsets, pose.parents)


def _bend(pose: FigurePose, limb: tuple[int, int, int], goal: FloatArray) -> FigurePose:
    """Bend a limb so that its end comes to a goal."""
    upper, lower, hand = limb
    turns, places = pose.world()
    base, middle, end = places[upper], places[lower], places[hand]
    line = (end - base) / max(float(np.linalg.norm(end - base)), 1e-9)
    pole = (middle - base) - ((middle - base) @ line) * line
    elbow, tip = two_bone(
        base, goal, _length(places, upper, lower), _length(places, lower, hand), pole
    )
    new = turns.copy()
    new[upper] = quat.multiply(_turn(middle - base, elbow - base), turns[upper])
    new[lower] = quat.multiply(_turn(end - middle, tip - elbow), turns[lower])
    local = pose.turns.copy()
    for j in (upper, lower, hand):  # the hand keeps its direction in the world
        parent = pose.parents[j]
        local[j] = new[j] if parent < 0 else quat.multiply(quat.conjugate(new[parent]), new[j])
    return FigurePose(local, pose.offsets, pose.parents)


def _limited(way: FloatArray, most: float) -> FloatArray:
    """Shorten a vector to a length, if it is longer."""
    return way * min(1.0, most / max(float(np.linalg.norm(way)), 1e-12))


def _at(time: float, times: FloatArray, track: FloatArray) -> FloatArray:
    return np.array([np.interp(time, times, track[:, c]) for c in range(3)])


def _limit(pair: TouchPair, *motions: Motion) -> float:
    """Return the distance from which on two joints do not touch: it grows with the bodies."""
    hands = all(role.endswith("hand") for role in (pair.partner, pair.performer))
    sizes = []
    for motion in motions:
        head = find_body(motion).roles.get("head")
        places = positions(motion)
        tall = _HEAD
        if head is not None:
            floor = np.percentile(places[..., 1].min(axis=1), 5)
            tall = float(np.percentile(places[:, head, 1], 95) - floor)
        sizes.append(tall / _HEAD)
    return (_WRISTS if hands else _OTHERS) * min(max(float(np.mean(sizes)), 0.3), 3.0)


def _length(places: FloatArray, a: int, b: int) -> float:
    return float(np.linalg.norm(places[b] - places[a]))


def _turn(before: FloatArray, after: FloatArray) -> FloatArray:
    one, two = float(np.linalg.norm(before)), float(np.linalg.norm(after))
    if one < 1e-9 or two < 1e-9:
        return quat.identity()
    return quat.between(before / one, after / two)


def _track(motion: Motion, role: str, whose: str) -> FloatArray:
    """Return where a role's joint is (F, 3)."""
    roles = find_body(motion).roles
    if role not in roles:
        nearest = nearest_parent(role, roles)
        more = "" if nearest is None else f"; the nearest that it has is {nearest}"
        raise InputError(f"{whose} has no joint known as {role}{more}")
    out: FloatArray = positions(motion)[:, roles[role]]
    return out
