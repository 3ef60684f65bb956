"""Points of a body that can touch something: parts of feet and hands, knees, elbows, the trunk."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.body.body import Body
from retime.body.contacts.derivatives import LINE, fitted
from retime.motion import Motion, quat
from retime.motion.kinematics import global_rotations, positions
from retime.motion.skeleton import Skeleton

__all__ = ["Point", "body_points"]

Mask = npt.NDArray[np.bool_]

# How much higher a joint is over what it rests on than the ball of the foot is, metres.
_SKIN = {"knee": 0.03, "hand": 0.02, "elbow": 0.02, "seat": 0.08, "back": 0.08, "head": 0.07}
# A hand within this distance of the own legs or trunk, in metres, rests on them.
_ON_BODY = 0.16
# A shin this near to level kneels; a thigh that rises less than this share of its length sits.
_LYING_SHIN, _RAISED_THIGH = 0.5, 0.82
# A leg that is this share of its bones' length is straight: it stands.
_STRAIGHT = 0.985
# So many frames tell which end of a limb lies farthest out.
_FEW = 30
# Without a joint for the toes, the ball of the foot is this far from the ankle to the tip.
_BALL = 0.7
# A trunk that rises less than this share of its length, with hands that come this low, in heights
# of the neck, is an animal's.
_LYING_TRUNK, _HANDS_LOW = 0.5, 0.4
# Ends of a creature's limbs that come this near to its lowest point, in its heights, can stand.
_LOW_END = 0.1


@dataclass(frozen=True, eq=False)
class Point:
    """A point of the body that can touch something.

    Parameters
    ----------
    kind : str
        ``heel``, ``ball``, ``toes``, ``hand``, ``finger``, ``knee``, ``elbow``, ``seat``, ``back``,
        ``head``, or ``end`` for the end of another creature's limb.
    side : str
        ``left``, ``right`` or nothing; of an ``end``, the joint's name.
    joint : int
        The joint that it moves with.
    place : array (F, 3)
        Where it is, metres.
    carrier : array (F, 3)
        Where the part is that carries it: hips, or a shoulder.
    clear : float
        How much higher it is over what it rests on than the ball of a foot, metres.
    able : array (F,) of bool
        Whether the pose lets it touch: a knee while its shin lies, a hand off the own body.
    """

    kind: str
    side: str
    joint: int
    place: FloatArray
    carrier: FloatArray
    clear: float
    able: Mask

    @property
    def name(self) -> str:
        """Its name, as ``left_ball``."""
        return f"{self.side}_{self.kind}" if self.side else self.kind

    @property
    def is_foot(self) -> bool:
        """Whether it is made to be stood on."""
        return self.kind in ("heel", "ball", "toes", "end")

    @property
    def is_arm(self) -> bool:
        """Whether it can hold on to something at any height."""
        return self.kind in ("hand", "finger")

    def at_times(self, old: FloatArray, new: FloatArray) -> Point:
        """Return the same point, sampled at other times."""

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
    """List the points of a body that can touch, at the motion's own samples.

    Parameters
    ----------
    motion : Motion
        Its poses.
    body : Body
        Its roles; without any, the ends of its limbs that come low.
    at : array (F, J + E, 3)
        Positions of its joints and end sites, metres.
    """
    if not body.is_biped:
        return _ends(motion.skeleton, at, _low_ends(motion.skeleton, at))
    paws = _paws(motion, body)
    return _ends(motion.skeleton, at, paws) if paws else _Anatomy(motion, body, at).points()


def _paws(motion: Motion, body: Body) -> list[int]:
    """List the four ends that an animal goes on; none for one that stands upright at rest."""
    top = body.roles.get("neck", body.roles.get("upper_chest"))
    parts = ("left_foot", "right_foot", "left_hand", "right_hand")
    if top is None or "hips" not in body.roles or not set(parts) <= set(body.roles):
        return []
    rest = replace(
        motion,
        rotations=motion.skeleton.rest_rotations[None],
        translations={n: t[:1] for n, t in motion.translations.items()},
        scales={n: t[:1] for n, t in motion.scales.items()},
        sample_times=None,
    )
    at = positions(rest, end_sites=True)[0]
    trunk, low = at[top] - at[body.roles["hips"]], at[:, 1].min()
    upright = abs(trunk[1]) / max(float(np.linalg.norm(trunk)), 1e-9)
    reach = max(at[body.roles[p], 1] for p in parts[2:]) - low
    if upright > _LYING_TRUNK or reach > _HANDS_LOW * (at[top, 1] - low):
        return []
    ends = [body.roles.get(p.replace("foot", "toe"), body.roles[p]) for p in parts]
    return [_outermost(body.skeleton, joint) for joint in ends]


def _outermost(skeleton: Skeleton, joint: int) -> int:
    """Follow a limb to its last joint."""
    while len(skeleton.children[joint]) == 1:
        joint = int(skeleton.children[joint][0])
    return joint


class _Anatomy:
    """A human's points."""

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
        # The heel lies below the ankle, a bit behind it and level with the ball of a flat foot.
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
        """Find frames in which a foot stands flat: the slowest tenth, of those the usual slope."""
        speed = np.linalg.norm(fitted(ball + self.at[:, ankle], self.rate, LINE, 1), axis=-1)
        slow = np.argsort(speed)[: max(len(speed) // 10, 3)]
        rise = (self.at[slow, ankle] - ball[slow])[:, 1]
        return slow[np.argsort(np.abs(rise - np.median(rise)))[: len(slow) // 2 + 1]]

    def _bone(self, upper: str, lower: str) -> FloatArray | None:
        """Return the vector (F, 3) from one role's joint up to another's."""
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
        """Mark the frames in which a thigh is raised and no leg is straight."""
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
        """Mark the frames in which a hand is not on the own legs or trunk."""
        from retime.body.contacts.kernels import bone_gaps

        bones = [("hips", "neck")]
        for side in ("left", "right"):
            thigh, shin, foot = (f"{side}_{part}" for part in ("upper_leg", "lower_leg", "foot"))
            bones += [(thigh, shin), (shin, foot)]
        ends = [(self.roles[a], self.roles[b]) for a, b in bones if {a, b} <= set(self.roles)]
        return np.asarray(bone_gaps(place, self.at, np.array(ends).reshape(-1, 2)) > _ON_BODY)


def _farthest_end(skeleton: Skeleton, at: FloatArray, joint: int) -> int | None:
    """Return the end site below a joint that lies farthest out, as a column of ``at``."""
    ends = [
        len(skeleton) + k
        for k, site in enumerate(skeleton.end_sites)
        if joint in skeleton.chain(site.parent)
    ]
    few = at[:: max(len(at) // _FEW, 1)]
    reach = [np.median(np.linalg.norm(few[:, end] - few[:, joint], axis=1)) for end in ends]
    return ends[int(np.argmax(reach))] if ends else None


def _low_ends(skeleton: Skeleton, at: FloatArray) -> list[int]:
    """List the ends of a creature's limbs that come near to its lowest point."""
    low, tall = at[..., 1].min(axis=1), float(np.median(np.ptp(at[..., 1], axis=1)))
    leaves = [j for j in range(len(skeleton)) if not len(skeleton.children[j])]
    return [j for j in leaves if np.percentile(at[:, j, 1] - low, 20) <= _LOW_END * tall]


def _ends(skeleton: Skeleton, at: FloatArray, joints: list[int]) -> list[Point]:
    """Make points of the ends of a creature's limbs."""
    sites = {s.parent: len(skeleton) + k for k, s in enumerate(skeleton.end_sites)}
    low, can = at[..., 1].min(axis=1), np.ones(len(at), dtype=bool)
    carrier = at[:, skeleton.roots[0]]
    out = []
    for j in joints:
        place = at[:, sites.get(j, j)]
        clear = float(np.percentile(place[:, 1] - low, 5))  # a wrist lies above its paw
        out.append(Point("end", skeleton.names[j], j, place, carrier, clear, can))
    return out
