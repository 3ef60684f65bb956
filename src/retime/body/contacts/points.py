"""Points of a body that can be in contact: parts of feet and hands, knees, elbows and the trunk."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from retime import _native
from retime.arrays import FloatArray
from retime.body.contacts.derivatives import LINE, fitted
from retime.body.model.body import Body
from retime.motion import Motion, quat
from retime.motion.kinematics import global_rotations, positions
from retime.motion.skeleton import Skeleton

Mask = npt.NDArray[np.bool_]

# Height of a joint above its support, relative to that of the ball of the foot, metres.
_SKIN = {"knee": 0.03, "hand": 0.02, "elbow": 0.02, "seat": 0.08, "back": 0.08, "head": 0.07}
# Distance within which a hand rests on the legs or the trunk, metres.
_ON_BODY = 0.16
# Largest rise of a kneeling shin and of a sitting thigh, relative to its length.
_LYING_SHIN, _RAISED_THIGH = 0.5, 0.82
# Length of a straight leg, relative to the sum of its bones.
_STRAIGHT = 0.985
# Number of frames from which the farthest end of a limb is found.
_FEW = 30
# Speed of the fastest joint below which a pose is held, m/s; least number of frames that are not.
_HELD, _LEAST_FRAMES = 0.005, 10
# Position of the ball of the foot between ankle and tip, for feet without a toe joint.
_BALL = 0.7
# Largest rise of the trunk of an animal, relative to its length, and largest height of its hands,
# relative to the neck.
_LYING_TRUNK, _HANDS_LOW = 0.5, 0.4
# Largest height of the end of a creature's limb that can stand, relative to its height.
_LOW_END = 0.1


@dataclass(frozen=True, eq=False)
class Point:
    """A point of the body that can touch something."""

    kind: str
    """``heel``, ``ball``, ``toes``, ``hand``, ``finger``, ``knee``, ``elbow``, ``seat``,
    ``back``, ``head``, or ``end`` for the end of another creature's limb.
    """
    side: str
    """``left``, ``right`` or empty; for an ``end``, the name of the joint."""
    joint: int
    """The joint that it moves with."""
    place: FloatArray
    """Position, metres. Shape (F, 3)."""
    carrier: FloatArray
    """Position of the part that carries it: the hips or a shoulder. Shape (F, 3)."""
    clear: float
    """Height above its support, relative to that of the ball of a foot, metres."""
    able: Mask
    """Whether the pose allows contact: for a knee, the shin lies; for a hand, it is not on the
    body. Shape (F,).
    """

    @property
    def name(self) -> str:
        """Name, such as ``left_ball``."""
        return f"{self.side}_{self.kind}" if self.side else self.kind

    @property
    def is_foot(self) -> bool:
        """Whether a body can stand on it."""
        return self.kind in ("heel", "ball", "toes", "end")

    @property
    def is_arm(self) -> bool:
        """Whether it can hold an object at any height."""
        return self.kind in ("hand", "finger")

    def at_times(self, old: FloatArray, new: FloatArray) -> Point:
        """Return the point, sampled at other times."""

        def sampled(track: FloatArray) -> FloatArray:
            return np.stack([np.interp(new, old, track[:, c]) for c in range(3)], axis=1)

        near = np.clip(np.searchsorted(old, new), 0, len(old) - 1)
        return replace(
            self,
            place=sampled(self.place),
            carrier=sampled(self.carrier),
            able=self.able[near],
        )


def body_points(motion: Motion, body: Body, at: FloatArray) -> list[Point]:
    """Return the points of a body that can be in contact, at the frames of a motion.

    Parameters
    ----------
    motion : Motion
        The motion.
    body : Body
        Its roles. If it is not a biped, the low ends of its limbs are used.
    at : array (F, J + E, 3)
        Positions of joints and end sites, metres.
    """
    if not body.is_biped:
        return _ends(motion.skeleton, at, _low_ends(motion.skeleton, at))
    paws = _paws(motion, body)
    return _ends(motion.skeleton, at, paws) if paws else _Anatomy(motion, body, at).points()


def _paws(motion: Motion, body: Body) -> list[int]:
    """Return the ends of the four limbs of an animal; empty if it stands upright at rest."""
    top = body.roles.get("neck", body.roles.get("upper_chest"))
    parts = ("left_foot", "right_foot", "left_hand", "right_hand")
    if top is None or not {"hips", *parts} <= body.roles.keys():
        return []
    at = _rest_points(motion)
    trunk, low = at[top] - at[body.roles["hips"]], at[:, 1].min()
    upright = abs(trunk[1]) / max(float(np.linalg.norm(trunk)), 1e-9)
    reach = max(at[body.roles[p], 1] for p in parts[2:]) - low
    if upright > _LYING_TRUNK or reach > _HANDS_LOW * (at[top, 1] - low):
        return []
    ends = [body.roles.get(p.replace("foot", "toe"), body.roles[p]) for p in parts]
    return [_outermost(body.skeleton, joint) for joint in ends]


def _rest_points(motion: Motion) -> FloatArray:
    """Return the positions of joints and end sites in the rest pose, (J + E, 3)."""
    rest = replace(
        motion,
        rotations=motion.skeleton.rest_rotations[None],
        translations={n: t[:1] for n, t in motion.translations.items()},
        scales={n: t[:1] for n, t in motion.scales.items()},
        sample_times=None,
    )
    points: FloatArray = positions(rest, end_sites=True)[0]
    return points


def _outermost(skeleton: Skeleton, joint: int) -> int:
    """Return the last joint of a limb."""
    while len(skeleton.children[joint]) == 1:
        joint = int(skeleton.children[joint][0])
    return joint


class _Anatomy:
    """The points of a human."""

    def __init__(self, motion: Motion, body: Body, at: FloatArray) -> None:
        self.skeleton, self.roles, self.rate = motion.skeleton, body.roles, motion.rate
        self.at, self.turns = at, global_rotations(motion)
        self.hips = at[:, self.roles.get("hips", self.skeleton.roots[0])]
        self.can = np.ones(len(at), dtype=bool)

    def points(self) -> list[Point]:
        out = []
        for side in ("left", "right"):
            out += [*self._foot(side), *self._knee(side), *self._arm(side)]
        for kind, role in (("seat", "hips"), ("back", "upper_chest"), ("head", "head")):
            if role in self.roles:
                able = self._sits() if kind == "seat" else self.can
                out.append(self._at(kind, "", self.roles[role], able=able))
        return out

    def _at(
        self, kind: str, side: str, joint: int, *, carrier: FloatArray | None = None,
        able: Mask | None = None,
    ) -> Point:  # fmt: skip
        return Point(
            kind,
            side,
            joint,
            self.at[:, joint],
            self.hips if carrier is None else carrier,
            _SKIN[kind],
            self.can if able is None else able,
        )

    def _foot(self, side: str) -> list[Point]:
        ankle, toe = (self.roles.get(f"{side}_{part}") for part in ("foot", "toe"))
        if ankle is None:
            return []
        last = ankle if toe is None else toe
        tip = _farthest_end(self.skeleton, self.at, last)
        ball = self.at[:, last]
        if toe is None and tip is not None:
            ball = ball + _BALL * (self.at[:, tip] - ball)
        flat = self._flat(ankle, ball)
        down = (self.at[flat, ankle] - ball[flat]) * [0.25, -1.0, 0.25]
        # The heel is below and a little behind the ankle, level with the ball of a flat foot.
        turns = quat.conjugate(self.turns[flat, ankle])
        offset = np.median(quat.rotate(turns, down), axis=0)
        heel = self.at[:, ankle] + quat.rotate(self.turns[:, ankle], offset)
        parts = [("heel", ankle, heel, 0.0), ("ball", last, ball, 0.0)]
        if tip is not None:
            above = float(np.median((self.at[flat, tip] - ball[flat])[:, 1]))
            parts.append(("toes", last, self.at[:, tip], above))
        return [
            Point(kind, side, joint, place, self.hips, clear, self.can)
            for kind, joint, place, clear in parts
        ]

    def _flat(self, ankle: int, ball: FloatArray) -> npt.NDArray[np.int64]:
        """Find frames with a flat foot: of the slowest tenth, those with a typical slope."""
        speed = np.linalg.norm(fitted(ball + self.at[:, ankle], self.rate, LINE, 1), axis=-1)
        own = self._own_frames
        slow = own[np.argsort(speed[own])[: max(len(own) // 10, 3)]]
        rise = (self.at[slow, ankle] - ball[slow])[:, 1]
        return slow[np.argsort(np.abs(rise - np.median(rise)))[: len(slow) // 2 + 1]]

    @cached_property
    def _own_frames(self) -> npt.NDArray[np.int64]:
        """Frames that do not repeat the one before; a held pose may be one in mid-air."""
        steps = np.linalg.norm(np.diff(self.at, axis=0), axis=-1).max(axis=1, initial=0.0)
        own = np.flatnonzero(np.r_[True, steps * self.rate > _HELD])
        return own if len(own) >= _LEAST_FRAMES else np.arange(len(self.at))

    def _bone(self, upper: str, lower: str) -> FloatArray | None:
        """Return the vector (F, 3) from the joint of one role up to that of another."""
        if upper not in self.roles or lower not in self.roles:
            return None
        return np.asarray(self.at[:, self.roles[upper]] - self.at[:, self.roles[lower]])

    def _knee(self, side: str) -> list[Point]:
        shin = self._bone(f"{side}_lower_leg", f"{side}_foot")
        if shin is None or f"{side}_upper_leg" not in self.roles:
            return []
        lies = shin[:, 1] < _LYING_SHIN * np.linalg.norm(shin, axis=1)
        return [self._at("knee", side, self.roles[f"{side}_lower_leg"], able=lies)]

    def _sits(self) -> Mask:
        """Return the frames in which a thigh is raised and no leg is straight."""
        raised = np.zeros(len(self.at), dtype=bool)
        stands = np.zeros(len(self.at), dtype=bool)
        for side in ("left", "right"):
            thigh = self._bone(f"{side}_upper_leg", f"{side}_lower_leg")
            shin = self._bone(f"{side}_lower_leg", f"{side}_foot")
            if thigh is None or shin is None:
                continue
            upper, lower = np.linalg.norm(thigh, axis=1), np.linalg.norm(shin, axis=1)
            raised |= thigh[:, 1] < _RAISED_THIGH * upper
            stands |= np.linalg.norm(thigh + shin, axis=1) > _STRAIGHT * (upper + lower)
        return raised & ~stands

    def _arm(self, side: str) -> list[Point]:
        shoulder, elbow, hand = (
            self.roles.get(f"{side}_{part}") for part in ("upper_arm", "lower_arm", "hand")
        )
        carrier = self.hips if shoulder is None else self.at[:, shoulder]
        out = []
        if elbow is not None:
            out.append(self._at("elbow", side, elbow, carrier=carrier))
        if hand is not None:
            free = self._off_body(self.at[:, hand])
            out.append(self._at("hand", side, hand, carrier=carrier, able=free))
            tip = _farthest_end(self.skeleton, self.at, hand)
            if tip is not None:
                out.append(Point("finger", side, hand, self.at[:, tip], carrier, 0.0, free))
        return out

    def _off_body(self, place: FloatArray) -> Mask:
        """Return the frames in which a hand is not on the legs or the trunk."""
        bones = [("hips", "neck")]
        for side in ("left", "right"):
            thigh, shin, foot = (f"{side}_{part}" for part in ("upper_leg", "lower_leg", "foot"))
            bones += [(thigh, shin), (shin, foot)]
        ends = [(self.roles[a], self.roles[b]) for a, b in bones if {a, b} <= set(self.roles)]
        pairs = np.array(ends, dtype=np.int64).reshape(-1, 2)
        return _native.contacts.bone_gaps(place.copy(), self.at, pairs) > _ON_BODY


def _farthest_end(skeleton: Skeleton, at: FloatArray, joint: int) -> int | None:
    """Return the farthest end site below a joint, as a column of ``at``, or ``None``."""
    ends = [
        len(skeleton) + k
        for k, site in enumerate(skeleton.end_sites)
        if joint in skeleton.chain(site.parent)
    ]
    few = at[:: max(len(at) // _FEW, 1)]
    reach = [np.median(np.linalg.norm(few[:, end] - few[:, joint], axis=1)) for end in ends]
    return ends[int(np.argmax(reach))] if ends else None


def _low_ends(skeleton: Skeleton, at: FloatArray) -> list[int]:
    """Return the ends of a creature's limbs that come close to its lowest point."""
    low, tall = at[..., 1].min(axis=1), float(np.median(np.ptp(at[..., 1], axis=1)))
    leaves = [j for j in range(len(skeleton)) if not len(skeleton.children[j])]
    return [j for j in leaves if np.percentile(at[:, j, 1] - low, 20) <= _LOW_END * tall]


def _ends(skeleton: Skeleton, at: FloatArray, joints: list[int]) -> list[Point]:
    """Return the points at the ends of a creature's limbs."""
    sites = {s.parent: len(skeleton) + k for k, s in enumerate(skeleton.end_sites)}
    low, can = at[..., 1].min(axis=1), np.ones(len(at), dtype=bool)
    carrier = at[:, skeleton.roots[0]]
    out = []
    for j in joints:
        place = at[:, sites.get(j, j)]
        clear = float(np.percentile(place[:, 1] - low, 5))  # a wrist is above its paw
        out.append(Point("end", skeleton.names[j], j, place, carrier, clear, can))
    return out
