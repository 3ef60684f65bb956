"""Hands that touch: the partner's limb keeps the recorded offset to the performer's joint.

While the recorded joints touch, the limb that ends in the partner's joint is bent by two-bone IK so
that the joint is at the performer's, plus the offset that both had when they were recorded. It is
eased in before a touch and out after it. Where the limb is too short, the whole figure comes along
the ground.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from retime.arrays import FloatArray
from retime.body import ROLES, find_body
from retime.body.contacts.grips import find_touches
from retime.body.ik import two_bone
from retime.errors import InputError, did_you_mean
from retime.live_server.avatar import Avatar, FigurePose
from retime.live_server.humanoid import nearest_parent
from retime.motion import Motion, quat
from retime.motion.kinematics import positions

# Joints touch while they are this near to their least distance, metres, and part or approach more
# slowly than this, metres a second, for at least so long, seconds.
_NEAR, _SLOW, _SHORTEST = 0.05, 0.25, 0.1
# A touch is eased in and out over this long, seconds.
EASE = 0.25
# How far the whole figure comes along the ground, metres, and the share of its length to which a
# limb is stretched before that.
_MOST_STEP, _STRETCHED = 0.6, 0.97
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
    """Return the hands of two recordings that hold each other."""
    one, two = (
        {m.skeleton.names[j]: role for role, j in find_body(m).roles.items() if role in _LIMBS}
        for m in (performer, partner)
    )
    return tuple(
        dict.fromkeys(
            TouchPair(two[grip.other], one[grip.joint])
            for grip in find_touches(performer, partner)
            if grip.other in two and grip.joint in one
        )
    )


class Touch:
    """When a pair of recorded joints touches, and the offset between them then."""

    def __init__(self, pair: TouchPair, performer: Motion, partner: Motion) -> None:
        self.pair = pair
        self._times = performer.times
        ours = _track(performer, pair.performer, "the reference")
        theirs = _track(partner, pair.partner, "the partner")
        at = np.clip(self._times, *partner.domain)
        there = [np.interp(at, partner.times, theirs[:, c]) for c in range(3)]
        self._offset: FloatArray = np.stack(there, axis=1) - ours
        self.spans = self._find()

    def _find(self) -> tuple[tuple[float, float], ...]:
        """Return the spans of time in which the joints touch."""
        times, offset = self._times, self._offset
        distance = np.linalg.norm(offset, axis=1)
        around = np.clip(np.stack([times - 0.1, times + 0.1]), times[0], times[-1])
        ends = [np.stack([np.interp(t, times, offset[:, c]) for c in range(3)], 1) for t in around]
        speed = np.linalg.norm(ends[1] - ends[0], axis=1) / np.maximum(around[1] - around[0], 1e-9)
        on = (distance < distance.min() + _NEAR) & (speed < _SLOW)
        edges = np.flatnonzero(np.diff(np.r_[0, on.astype(np.int8), 0]))
        spans = ((times[a], times[b - 1]) for a, b in zip(edges[::2], edges[1::2], strict=True))
        return tuple((float(a), float(b)) for a, b in spans if b - a >= _SHORTEST)

    def weight(self, time: float) -> float:
        """Return the weight of the touch at a time of the recording, eased, 0 to 1."""
        most = 0.0
        for start, end in self.spans:
            u = min((time - start) / EASE + 1, (end - time) / EASE + 1, 1.0)
            if u > 0:
                most = max(most, u * u * (3 - 2 * u))
        return most

    def offset(self, time: float) -> FloatArray:
        """Return the offset from the performer's joint to the partner's (3,), metres."""
        return np.array([np.interp(time, self._times, self._offset[:, c]) for c in range(3)])


class Toucher:
    """Bends the limbs of a partner to where they touch the performer."""

    def __init__(self, touches: Sequence[Touch], avatar: Avatar) -> None:
        self.touches = tuple(touches)
        self._roles = avatar.roles
        self._limbs = {t.pair.partner: self._limb(t.pair.partner) for t in touches}

    def _limb(self, end: str) -> tuple[int, int, int]:
        roles = (*_LIMBS[end], end)
        missing = [r for r in roles if r not in self._roles]
        if missing:
            raise InputError(f"the partner has no {missing[0]}, so its {end} cannot touch anything")
        upper, lower, hand = (self._roles.index(r) for r in roles)
        return upper, lower, hand

    def reach(
        self, pose: FigurePose, time: float, performer: Mapping[str, FloatArray], share: float
    ) -> FigurePose:
        """Return a pose whose limbs touch.

        ``time`` is the recording's; ``performer`` are positions of the live performer's joints by
        role; ``share`` weighs all touches.
        """
        wanted = []
        for touch in self.touches:
            there = performer.get(touch.pair.performer)
            weight = share * touch.weight(time)
            if weight > 0 and there is not None and np.isfinite(there).all():
                wanted.append((touch, weight, there + touch.offset(time)))
        if not wanted:
            return pose
        pose = self._step(pose, wanted)
        for touch, weight, target in wanted:
            pose = self._bend(pose, self._limbs[touch.pair.partner], target, weight)
        return pose

    def _step(
        self, pose: FigurePose, wanted: Sequence[tuple[Touch, float, FloatArray]]
    ) -> FigurePose:
        """Move the whole figure along the ground where a limb is too short."""
        _, places = pose.world()
        ways = []
        for touch, weight, target in wanted:
            upper, lower, hand = self._limbs[touch.pair.partner]
            length = _length(places, upper, lower) + _length(places, lower, hand)
            gap = target - places[upper]
            reach = _STRETCHED * length
            # Along the ground until the target is in reach at its height.
            flat = float(np.hypot(gap[0], gap[2]))
            inside = np.sqrt(max(reach**2 - gap[1] ** 2, 0.0))
            if flat > inside:
                ways.append(weight * (1 - inside / flat) * np.array([gap[0], 0.0, gap[2]]))
        if not ways:
            return pose
        way = np.mean(ways, axis=0)
        way *= min(1.0, _MOST_STEP / max(float(np.linalg.norm(way)), 1e-9))
        offsets = pose.offsets.copy()
        for j, parent in enumerate(pose.parents):
            if parent < 0:
                offsets[j] += way
        return FigurePose(pose.turns, offsets, pose.parents)

    def _bend(
        self, pose: FigurePose, limb: tuple[int, int, int], target: FloatArray, weight: float
    ) -> FigurePose:
        """Bend a limb so that its end comes to the target, by a weight."""
        upper, lower, hand = limb
        turns, places = pose.world()
        goal = places[hand] + weight * (target - places[hand])
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
