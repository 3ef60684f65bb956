"""A motion as the humanoid bones of a stream, at any time.

Receivers apply the rotations to their own figures, whose rest is a T-pose facing +Z with the axes
of every bone along the world's. The rotation of each joint is therefore sent relative to such a
pose of this skeleton: its rest, turned to face +Z, trunk upright, arms out, legs down.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.body import ROLES, Body, find_body
from retime.errors import InputError
from retime.live_server.humanoid import nearest_parent
from retime.live_server.vmc import Bone
from retime.motion import Motion, quat
from retime.motion.kinematics import global_rotations, positions

# Where bones point in the T-pose: from the first role to the second. The trunk's roles take the
# turn of the whole trunk; feet and toes stay as they rest, which is flat on the ground.
_POINTING: dict[str, tuple[str, tuple[float, float, float]]] = {
    f"{side}_{a}": (f"{side}_{b}", direction)
    for side, out in (("left", 1.0), ("right", -1.0))
    for a, b, direction in (
        ("upper_arm", "lower_arm", (out, 0.0, 0.0)),
        ("lower_arm", "hand", (out, 0.0, 0.0)),
        ("upper_leg", "lower_leg", (0.0, -1.0, 0.0)),
        ("lower_leg", "foot", (0.0, -1.0, 0.0)),
    )
}
# What is turned as another role is.
_AS = {"left_hand": "left_lower_arm", "right_hand": "right_lower_arm"}
_TRUNK = ("hips", "spine", "chest", "upper_chest", "neck", "head")
_LEG = ("upper_leg", "lower_leg", "foot")
# Shorter than this, in metres, a bone has no direction.
_SHORT = 1e-3
ROOT: Bone = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class FigurePose:
    """One pose: rotations (R, 4) and positions (R, 3) of bones relative to their parents."""

    turns: FloatArray
    offsets: FloatArray
    parents: tuple[int, ...]

    def bones(self) -> list[Bone]:
        """Return the position and rotation of each bone relative to its parent."""
        return [(*o, *q) for o, q in zip(self.offsets.tolist(), self.turns.tolist(), strict=True)]

    def world(self) -> tuple[FloatArray, FloatArray]:
        """Return rotations (R, 4) and positions (R, 3) in the world, metres, Y up."""
        turns, places = self.turns.copy(), self.offsets.copy()
        for j, p in enumerate(self.parents):
            if p >= 0:
                turns[j] = quat.multiply(turns[p], self.turns[j])
                places[j] = places[p] + quat.rotate(turns[p], self.offsets[j])
        return turns, places

    def blend(self, other: FigurePose, share: float) -> FigurePose:
        """Blend this pose with a fraction of another one of the same figure."""
        return FigurePose(
            quat.slerp(self.turns, other.turns, share),
            (1 - share) * self.offsets + share * other.offsets,
            self.parents,
        )


class Avatar:
    """A motion's humanoid bones at any of its times.

    Any motion with a humanoid's roles will do; hips are needed.
    """

    def __init__(self, motion: Motion) -> None:
        if not len(motion):
            raise InputError("the motion has no frames to stream")
        body = find_body(motion)
        if "hips" not in body.roles:
            raise InputError(
                "no joint of this motion is known as the hips, so it cannot be streamed as a "
                "humanoid; name its joints by a map (--map)"
            )
        self.motion = motion
        # Two roles of one joint are one bone: a receiver would turn it twice.
        once = {body.roles[r]: r for r in reversed(ROLES) if r in body.roles}
        self.roles = tuple(r for r in ROLES if r in once.values())
        self._joints = [body.roles[r] for r in self.roles]
        self._back = quat.conjugate(_t_pose(motion, body, self.roles))
        self.parents = tuple(
            -1 if p is None else self.roles.index(p)
            for p in (nearest_parent(r, self.roles) for r in self.roles)
        )
        turns, self.places = self._turns_and_places(motion)
        self._local, self._offsets = _within_parents(turns, self.places, self.parents)

    def _turns_and_places(self, motion: Motion) -> tuple[FloatArray, FloatArray]:
        # N = G(t) G(T-pose)^-1: the world's axes carried along, whatever the joint's own are.
        turns = quat.multiply(global_rotations(motion)[:, self._joints], self._back)
        return turns, positions(motion)[:, self._joints]

    @property
    def leg_length(self) -> float:
        """Length of a leg from hip to ankle, metres; 0 if the figure has none."""
        first = dict(zip(self.roles, self.places[0], strict=True))
        legs = [[f"{side}_{part}" for part in _LEG] for side in ("left", "right")]
        lengths = [
            sum(float(np.linalg.norm(first[b] - first[a])) for a, b in pairwise(leg))
            for leg in legs
            if all(r in first for r in leg)
        ]
        return float(np.mean(lengths)) if lengths else 0.0

    def bones_of(self, motion: Motion) -> list[Bone]:
        """Return each role's place and rotation in the first frame of the same figure's motion."""
        local, offsets = _within_parents(*self._turns_and_places(motion), self.parents)
        return FigurePose(local[0], offsets[0], self.parents).bones()

    def bones(self, time: float) -> list[Bone]:
        """Return position and rotation of each role in its parent, clamped to the motion's ends."""
        return self.pose(time).bones()

    def points(self, time: float) -> FloatArray:
        """Return each role's position (R, 3) in metres, Y up."""
        i, j, u = self._between(time)
        out: FloatArray = (1 - u) * self.places[i] + u * self.places[j]
        return out

    def pose(self, time: float) -> FigurePose:
        """Return the figure at a time, held beyond the motion's ends."""
        i, j, u = self._between(time)
        turns = quat.slerp(self._local[i], self._local[j], u)
        return FigurePose(turns, (1 - u) * self._offsets[i] + u * self._offsets[j], self.parents)

    def _between(self, time: float) -> tuple[int, int, float]:
        frame, share = self.motion.frame_at(time)
        i = int(frame)
        return i, min(i + 1, len(self.motion) - 1), float(share)


def _within_parents(
    turns: FloatArray, places: FloatArray, parents: tuple[int, ...]
) -> tuple[FloatArray, FloatArray]:
    """Return rotations and places of bones relative to their parents'."""
    local, offsets = turns.copy(), places.copy()
    for j, p in enumerate(parents):
        if p >= 0:
            back = quat.conjugate(turns[:, p])
            local[:, j] = quat.multiply(back, turns[:, j])
            offsets[:, j] = quat.rotate(back, places[:, j] - places[:, p])
    return quat.continuous(local), offsets


def _t_pose(motion: Motion, body: Body, roles: tuple[str, ...]) -> FloatArray:
    """Return the global rotation (R, 4) that each role's joint would have in the T-pose."""
    rest = _at_rest(motion)
    joints = [body.roles[r] for r in roles]
    places = dict(zip(roles, positions(rest)[0, joints], strict=True))
    turns = global_rotations(rest)[0, joints]
    facing = _to_front(places)

    def towards(start: str, end: str, direction: npt.ArrayLike) -> FloatArray:
        """Return the smallest turn, after that to the front, that makes a bone point so."""
        bone = quat.rotate(facing, places[end] - places[start])
        length = float(np.linalg.norm(bone))
        if length < _SHORT:
            return quat.identity()
        return quat.between(bone / length, np.asarray(direction, float))

    top = next((r for r in ("neck", "head", "upper_chest", "chest") if r in places), None)
    upright = quat.identity() if top is None else towards("hips", top, (0.0, 1.0, 0.0))
    out = np.empty((len(roles), 4))
    for k, role in enumerate(roles):
        more = quat.identity()
        source = _AS.get(role, role)
        if role in _TRUNK:
            more = upright
        elif source in _POINTING and _POINTING[source][0] in places and source in places:
            more = towards(source, *_POINTING[source])
        out[k] = quat.multiply(quat.multiply(more, facing), turns[k])
    return out


def _at_rest(motion: Motion) -> Motion:
    """Return one frame at rest: the rest frame that the file held, or the skeleton's own rest."""
    skeleton = motion.skeleton
    if motion.rest_pose is not None:
        rotations = motion.rest_pose.rotations
        kept = motion.rest_pose.translations
    else:
        rotations, kept = skeleton.rest_rotations, {}
    places = {n: kept.get(n, skeleton.offsets[skeleton.index(n)]) for n in motion.translations}
    return replace(
        motion,
        rotations=rotations[None],
        translations={n: np.asarray(t)[None] for n, t in places.items()},
        scales={},
        sample_times=None,
        rest_pose=None,
        origin=None,
    )


def _to_front(places: dict[str, FloatArray]) -> FloatArray:
    """Return the turn about the vertical that brings a figure's left to +X: it faces +Z then."""
    for part in ("upper_leg", "upper_arm", "shoulder", "hand"):
        left, right = places.get(f"left_{part}"), places.get(f"right_{part}")
        if left is None or right is None:
            continue
        x, _, z = left - right
        if np.hypot(x, z) > _SHORT:
            return quat.from_axis_angle([0.0, 1.0, 0.0], np.arctan2(z, x))
    return quat.identity()
