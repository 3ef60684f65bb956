"""Modes: what the time of a joint applies to, and which joints have one time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.body import Body, LimbName, find_body
from retime.body.contacts.grips import find_grips
from retime.motion import Motion, quat
from retime.motion.kinematics import cached_positions, carriers, joint_speeds
from retime.motion.skeleton import Skeleton

Mode = Literal["base", "space", "local"]
IndexArray = npt.NDArray[np.int64]

# A joint that bends by less than this, in radians, has the time of its parent.
_STILL_RAD = 0.05
# A joint whose rotation vectors are this near to one line is a hinge: ratio of singular values.
_HINGE = 0.02
_HANDS = ("left_hand", "right_hand")
# What is this low, as a share of the height, and this slow, in m/s, stands on the ground.
_LOW, _SLOW_M_S = 0.08, 0.3


@dataclass(frozen=True, eq=False)
class Modes:
    """How the joints of a figure follow times of their own.

    Base joints (roots, hips, legs) share one time, so that what stands on the ground stays there.
    Joints in space (trunk, head, upper arms, tails) have their rotation in space at their own time:
    turns of parent and child that cancel still do. Local joints (hinges, hands, fingers) have their
    rotation relative to the parent at their own time: a hinge stays a hinge.

    Parameters
    ----------
    skeleton : Skeleton
        The figure.
    modes : tuple of Mode (J,)
        The mode of each joint.
    leader : array (J,)
        The joint whose time each joint has.
    swinging : frozenset of int
        The leaders of legs that have times of their own in swings.
    standing : frozenset of int
        The leaders of legs that keep the time of the body while the base has its own.
    """

    skeleton: Skeleton
    modes: tuple[Mode, ...]
    leader: IndexArray
    swinging: frozenset[int] = frozenset()
    standing: frozenset[int] = frozenset()

    @property
    def base(self) -> int:
        """The joint that leads the base."""
        return int(self.skeleton.roots[0])

    @property
    def leaders(self) -> list[int]:
        """The joints that have times of their own beside the base, parents first."""
        own = np.flatnonzero(self.leader == np.arange(len(self.leader)))
        return [int(j) for j in own if j != self.base]

    def group(self, leader: int) -> list[int]:
        """Return the joints that have the time of a leader, itself first."""
        return np.flatnonzero(self.leader == leader).tolist()

    def above(self, leader: int) -> int:
        """Return the leader above a leader."""
        parent = int(self.skeleton.parents[leader])
        return self.base if parent < 0 else int(self.leader[parent])

    @property
    def in_space(self) -> frozenset[str]:
        """Names of the joints in space."""
        names = self.skeleton.names
        return frozenset(n for n, mode in zip(names, self.modes, strict=True) if mode == "space")

    def with_chain(self, joints: Iterable[int]) -> Modes:
        """Return modes in which some joints are one in space; the first is the topmost."""
        chain = list(joints)
        return self._led(chain, chain[0], "space")

    def with_own(self, joints: Iterable[int]) -> Modes:
        """Return modes in which each of some joints has a time of its own, in space."""
        modes, leader = list(self.modes), self.leader.copy()
        for j in joints:
            modes[j], leader[j] = "space", j
        return replace(self, modes=tuple(modes), leader=leader)

    def with_base(self, joints: Iterable[int]) -> Modes:
        """Return modes in which some joints have the time of the base."""
        return self._led(list(joints), self.base, "base")

    def _led(self, joints: list[int], leader: int, mode: Mode) -> Modes:
        """Return modes in which joints, and those that had the time of one, follow a leader."""
        modes = list(self.modes)
        for j in joints:
            modes[j] = mode
        follow = np.isin(self.leader, joints)
        follow[joints] = True
        return replace(self, modes=tuple(modes), leader=np.where(follow, leader, self.leader))

    def with_standing(self, tops: Mapping[int, Iterable[int]]) -> Modes:
        """Return modes in which legs, by their topmost joints, keep the time of the body."""
        leader = self.leader.copy()
        for top, joints in tops.items():
            leader[list(joints)] = top
        return replace(self, leader=leader, standing=frozenset(tops))

    def with_swings(self, tops: Mapping[int, Iterable[int]]) -> Modes:
        """Return modes in which legs, by their topmost joints, have times of their own."""
        modes, leader = list(self.modes), self.leader.copy()
        for top, joints in tops.items():
            for j in joints:
                modes[j], leader[j] = "local", top
        return replace(self, modes=tuple(modes), leader=leader, swinging=frozenset(tops))


def modes_of(motion: Motion) -> Modes:
    """Find how the joints of a motion follow times of their own.

    Parameters
    ----------
    motion : Motion
        The motion; hinges are found in its rotations.
    """
    body, skeleton = find_body(motion), motion.skeleton
    base = _base(motion, body)
    hands = _below(skeleton, (body.roles[r] for r in _HANDS if r in body.roles))
    elbows = {limb.lower for limb in body.limbs.values()}
    known = set(body.roles.values())  # trunks and shoulders are no hinges, however they move
    modes: list[Mode] = []
    leader = np.arange(len(skeleton))
    for j, parent in enumerate(skeleton.parents.tolist()):
        mode: Mode = "space"
        turns = motion.rotations[:, j]
        if j in base:
            mode, leader[j] = "base", skeleton.roots[0]
        elif j in hands or _bend(turns) < _STILL_RAD:
            mode, leader[j] = "local", leader[parent]
        elif j in elbows or (j not in known and _is_hinge(turns)):
            mode = "local"
        modes.append(mode)
    found = Modes(skeleton, tuple(modes), leader)
    for top, joints in _held_together(motion, body):
        found = found.with_chain(joints) if top not in base else found.with_base(joints)
    return found


def _held_together(motion: Motion, body: Body) -> Iterable[tuple[int, list[int]]]:
    """List the joints of hands that hold one object, from where their arms meet, that joint first.

    With one time from there on, the hands keep their places to each other.
    """
    skeleton = motion.skeleton
    hands = {skeleton.names[body.roles[r]] for r in _HANDS if r in body.roles}
    for one, other in {(g.joint, g.other) for g in find_grips(motion)}:
        if {one, other} <= hands:
            left, right = (skeleton.chain(skeleton.index(n)) for n in (one, other))
            top = next(j for j in left if j in right)
            arms = {j for j in [*left, *right] if top in skeleton.chain(j)}
            yield top, [top, *sorted((arms | _below(skeleton, (left[0], right[0]))) - {top})]


def leg_joints(body: Body, name: LimbName) -> list[int]:
    """Return the joints of a leg, the topmost first."""
    limb, skeleton = body.limbs[name], body.skeleton
    return [limb.upper, *sorted(_below(skeleton, (limb.upper, limb.end)) - {limb.upper})]


def _base(motion: Motion, body: Body) -> set[int]:
    skeleton = motion.skeleton
    out = {*carriers(skeleton), *skeleton.roots}
    if body.is_biped and "hips" in body.roles:
        hips = body.roles["hips"]
        out |= set(skeleton.chain(hips))
        for name, limb in body.limbs.items():
            if name.endswith("leg"):
                path = skeleton.chain(limb.upper)[::-1]
                first = next((j for j in path if j not in out), limb.upper)
                out |= _below(skeleton, (first, limb.end))
        return out
    stands = out.union(*(skeleton.chain(j) for j in _standing(motion)))
    moving = {j for j in range(len(skeleton)) if _bend(motion.rotations[:, j]) >= _STILL_RAD}
    # A snake stands on all its parts; then they are free, and bounds keep them on the ground.
    return out if moving <= stands else stands


def _standing(motion: Motion) -> list[int]:
    """Return the joints that stand on the ground at some time."""
    heights = cached_positions(motion)[..., 1]
    low = heights < heights.min() + _LOW * float(np.ptp(heights))
    stands = low & (joint_speeds(motion) < _SLOW_M_S)
    return np.flatnonzero(stands.any(axis=0)).tolist()


def _below(skeleton: Skeleton, tops: Iterable[int]) -> set[int]:
    first = set(tops)
    return {j for j in range(len(skeleton)) if not first.isdisjoint(skeleton.chain(j))}


def _bend(turns: FloatArray) -> float:
    """Return the largest angle of rotations (F, 4) from the first."""
    return float(2 * np.arccos(np.abs(turns @ turns[0]).clip(0, 1)).max())


def _is_hinge(turns: FloatArray) -> bool:
    """Return whether rotations (F, 4) are about one axis: doors, wheels, knees of robots."""
    vectors = quat.log(quat.multiply(turns, quat.conjugate(turns[:1])))
    sizes = np.linalg.svd(vectors - vectors.mean(axis=0), compute_uv=False)
    return bool(sizes[1] < _HINGE * sizes[0])
