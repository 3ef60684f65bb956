"""Find the joints that follow the drag of a limb.

If the parents of a hand kept their time, the hand would hardly move. Therefore the whole limb
follows the drag, and with an arm also the spine.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from retime.arrays import FloatArray
from retime.body import Body, LimbName
from retime.body.contacts.grips import find_grips
from retime.body.gripping import prop_joints
from retime.methods.surface.projection import topological_distances
from retime.motion import Motion

__all__ = ["Carried", "carried_by", "limb_joints", "spine_joints", "to_hips"]


@dataclass(frozen=True, eq=False)
class Carried:
    """Joints that follow the drags of a key.

    Parameters
    ----------
    shifts : array (J,)
        Shift of each joint, seconds; positive is later.
    limbs : tuple of str
        Arms and legs that are moved to their places in space.
    """

    shifts: FloatArray
    limbs: tuple[LimbName, ...]


def carried_by(
    motion: Motion,
    body: Body,
    drags: Sequence[tuple[int, float]],
    points: FloatArray,
    reach: float,
    span: tuple[float, float],
    *,
    grips: bool = True,
) -> Carried | None:
    """Return the joints that drags of limbs move; ``None`` if no limb is dragged.

    Parameters
    ----------
    motion : Motion
        The motion.
    body : Body
        Its limbs.
    drags : sequence of (int, float)
        Joints that are dragged, and by how many seconds.
    points : array (J, 3)
        The joints at the key's time, metres.
    reach : float
        Falloff along the bones for other joints, metres.
    span : (float, float)
        Time span; hands that hold something together in it are dragged together.
    grips : bool
        Whether to do so, and to move props with the hand that holds them.
    """
    groups: dict[LimbName | int, float] = {}
    for joint, shift in drags:
        limb = _limb_of(body, joint)
        held = _held_with(motion, body, limb, span) if grips or limb is None else [limb]
        groups |= dict.fromkeys(held, shift) if held else {joint: shift}
    limbs = tuple(g for g in groups if not isinstance(g, int))
    if not limbs or "hips" not in body.roles:
        return None
    own = {g: _below(body, g) if isinstance(g, int) else limb_joints(body, g) for g in groups}
    if grips:
        for name in limbs:
            own[name] |= _props_of(motion, body, name, span)
    shares, amounts = [], []
    for part, amount in groups.items():
        whole = own[part] | (set() if isinstance(part, int) else spine_joints(body, part))
        others = [own[g] - own[part] for g in groups if g != part]
        arm = not str(part).endswith("leg")
        shares.append(_weights(body, whole, own[part], points, reach, others, arm))
        amounts.append(amount)
    weights, each = np.array(shares), np.array(amounts)[:, None]
    # Joints that several drags move, such as the spine, get the mean, weighted by the shifts.
    pull = np.abs(each) * weights
    total = pull.sum(axis=0)
    shifts = (pull * weights * each).sum(axis=0) / np.where(total > 0, total, 1.0)
    return Carried(shifts, limbs)


def _limb_of(body: Body, joint: int) -> LimbName | None:
    """Return the limb that a joint belongs to, from the hip or shoulder on."""
    for name, limb in body.limbs.items():
        if limb.upper in body.skeleton.chain(joint) or limb.end in body.skeleton.chain(joint):
            return name
    return None


def _held_with(
    motion: Motion, body: Body, limb: LimbName | None, span: tuple[float, float]
) -> list[LimbName]:
    """Return a limb, and the other one if both hold something together."""
    if limb is None:
        return []
    arms: list[LimbName] = ["left_arm", "right_arm"]
    if limb not in arms or not set(arms) <= set(body.limbs):
        return [limb]
    ends = {motion.skeleton.names[body.limbs[a].end] for a in arms}
    held = any(
        {g.joint, g.other} == ends and g.start < span[1] and g.end > span[0]
        for g in find_grips(motion)
    )
    return arms if held else [limb]


def _props_of(motion: Motion, body: Body, limb: LimbName, span: tuple[float, float]) -> set[int]:
    """Return the joints of what a limb's hand holds."""
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


def to_hips(body: Body, limb: LimbName) -> list[int]:
    """List the joints from a limb's first up to the hips, without them."""
    chain, hips = body.skeleton.chain(body.limbs[limb].upper), body.roles["hips"]
    return chain[: chain.index(hips)] if hips in chain else chain[:1]


def limb_joints(body: Body, limb: LimbName) -> set[int]:
    """Return a limb's joints: an arm from its collar bone, a leg from below the hips."""
    above = to_hips(body, limb)
    first = above[-1]
    if limb.endswith("arm"):
        collar = body.roles.get(limb.replace("arm", "shoulder"))
        first = collar if collar in above else above[0]
    out = _below(body, int(first))
    linked = body.limbs[limb]
    return out | (_below(body, linked.end) if linked.linked else set())


def spine_joints(body: Body, limb: LimbName) -> set[int]:
    """Return the joints between an arm and the hips."""
    return set(to_hips(body, limb)) if limb.endswith("arm") else set()


def _weights(
    body: Body,
    whole: set[int],
    own: set[int],
    points: FloatArray,
    reach: float,
    others: Iterable[set[int]],
    arm: bool,
) -> FloatArray:
    """Return each joint's fraction of a drag: all of it on the limb, less along the bones.

    It is 0 for the hips, for legs that are not dragged, and for limbs of another drag. A drag of a
    leg does not move joints above the hips. The other arm has the fraction of its hand, and the
    head that of the trunk.
    """
    ways = np.min([topological_distances(body, j, points) for j in whole], axis=0)
    out: FloatArray = np.exp(-(np.minimum(ways / reach, 40.0) ** 2) / 2)
    out[list(whole)] = 1.0
    still = set(body.skeleton.chain(body.roles["hips"]))
    if not arm:  # a trunk at another time than the hips would rotate against them
        still = set(range(len(out)))
    # The joints of an arm or a neck often cancel each other's turns, which would be visible if they
    # were at different times.
    for name, limb in body.limbs.items():
        joints = limb_joints(body, name)
        if name.endswith("leg"):
            still |= joints - own
        elif not joints & own:
            out[list(joints)] = out[limb.end]
    neck = next((body.roles[r] for r in ("neck", "head") if r in body.roles), 0)
    head, trunk = _below(body, neck), int(body.skeleton.parents[neck])
    if trunk >= 0 and not head & own:
        out[list(head)] = out[trunk]
    out[list(still.union(*others) - own)] = 0.0
    return out
