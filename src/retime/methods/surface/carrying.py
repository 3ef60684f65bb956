"""Find the joints that follow a drag.

All segments from the waist to the dragged joint share its time, each by its rotation in space. The
joint is then where it was relative to the hips, without inverse kinematics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from retime.arrays import FloatArray
from retime.body import Body, LimbName
from retime.body.contacts.grips import find_grips
from retime.body.solve.gripping import prop_joints
from retime.motion import Motion

__all__ = ["Carried", "carried_by", "limb_joints"]

Chain = tuple[frozenset[int], float]


@dataclass(frozen=True, eq=False)
class Carried:
    """Joints that follow the drags of a key.

    Parameters
    ----------
    chains : tuple of (frozenset of int, float)
        The joints that each drag moves, and its shift, seconds; positive is later.
    limbs : tuple of str
        The limbs that are dragged.
    """

    chains: tuple[Chain, ...]
    limbs: tuple[LimbName, ...]

    def shifts(self, count: int) -> FloatArray:
        """Return the mean shift of each of ``count`` joints, the larger the heavier."""
        total, size = np.zeros(count), np.zeros(count)
        for joints, shift in self.chains:
            total[list(joints)] += abs(shift) * shift
            size[list(joints)] += abs(shift)
        return np.asarray(total / np.maximum(size, 1e-12))


def carried_by(
    motion: Motion,
    body: Body,
    drags: Sequence[tuple[int, float]],
    span: tuple[float, float],
    *,
    waist: bool = True,
    grips: bool = True,
) -> Carried | None:
    """Return the joints that drags move; ``None`` if the hips are dragged, and so the body.

    Parameters
    ----------
    motion : Motion
        The motion.
    body : Body
        Its limbs.
    drags : sequence of (int, float)
        Joints that are dragged, and by how many seconds.
    span : (float, float)
        Time span; hands that hold something together in it are dragged together.
    waist : bool
        Whether the trunk follows the arms and the head.
    grips : bool
        Whether hands that hold something together, and props, follow the hand that is dragged.
    """
    hips = body.roles.get("hips", motion.skeleton.roots[0])
    if any(joint in body.skeleton.chain(hips) for joint, _ in drags):
        return None
    chains: list[Chain] = []
    limbs: list[LimbName] = []
    for joint, shift in drags:
        limb = _limb_of(body, joint)
        limbs += [] if limb is None else [limb]
        if limb is not None and limb.endswith("leg"):
            chains.append((frozenset(limb_joints(body, limb)), shift))
            continue
        for dragged in _held_with(motion, body, limb, joint, span) if grips else [joint]:
            chain = _chain(body, dragged, hips, waist=waist)
            limbs += [n for n in body.limbs if body.limbs[n].end == dragged]
            if grips:
                chain |= _props_of(motion, body, _limb_of(body, dragged), span)
            chains.append((frozenset(chain), shift))
    return Carried(tuple(chains), tuple(dict.fromkeys(limbs)))


def _chain(body: Body, joint: int, hips: int, *, waist: bool) -> set[int]:
    """Return the joints from the waist, or from the collar bone, to a joint, and all below it."""
    skeleton = body.skeleton
    chain = skeleton.chain(joint)
    above = chain[: chain.index(hips)] if hips in chain else chain
    if not waist:
        limb = _limb_of(body, joint)
        keep = {joint} if limb is None else limb_joints(body, limb)
        above = [j for j in above if j in keep]
    return {*above, *_below(body, joint)}


def _limb_of(body: Body, joint: int) -> LimbName | None:
    """Return the limb that a joint belongs to, from the hip or shoulder on."""
    for name, limb in body.limbs.items():
        if limb.upper in body.skeleton.chain(joint) or limb.end in body.skeleton.chain(joint):
            return name
    return None


def _held_with(
    motion: Motion, body: Body, limb: LimbName | None, joint: int, span: tuple[float, float]
) -> list[int]:
    """Return a joint, or both hands if they hold something together."""
    if limb is None or not {"left_arm", "right_arm"} <= set(body.limbs):
        return [joint]
    hands = [body.limbs["left_arm"].end, body.limbs["right_arm"].end]
    names = {motion.skeleton.names[j] for j in hands}
    held = any(
        {g.joint, g.other} == names and g.start < span[1] and g.end > span[0]
        for g in find_grips(motion)
    )
    return hands if held else [joint]


def _props_of(
    motion: Motion, body: Body, limb: LimbName | None, span: tuple[float, float]
) -> set[int]:
    """Return the joints of what a limb's hand holds."""
    if limb is None:
        return set()
    end = motion.skeleton.names[body.limbs[limb].end]
    ends = {motion.skeleton.names[part.end] for part in body.limbs.values()}
    out: set[int] = set()
    for grip in find_grips(motion):
        now = grip.start < span[1] and grip.end > span[0]
        if now and grip.joint == end and grip.other not in ends:
            out |= set(prop_joints(motion, grip.other))
    return out


def _below(body: Body, joint: int) -> set[int]:
    return {j for j in range(len(body.skeleton)) if joint in body.skeleton.chain(j)}


def limb_joints(body: Body, limb: LimbName) -> set[int]:
    """Return a limb's joints: an arm from its collar bone, a leg from below the hips."""
    chain, hips = body.skeleton.chain(body.limbs[limb].upper), body.roles.get("hips")
    above = chain[: chain.index(hips)] if hips in chain else chain[:1]
    first = above[-1]
    if limb.endswith("arm"):
        collar = body.roles.get(limb.replace("arm", "shoulder"))
        first = collar if collar in above else above[0]
    out = _below(body, int(first))
    linked = body.limbs[limb]
    return out | (_below(body, linked.end) if linked.linked else set())
