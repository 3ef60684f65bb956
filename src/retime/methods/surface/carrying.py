"""Move whole limbs with a drag, so that they arrive in space.

If the parents of a hand kept their time, the hand would hardly move. Therefore the whole limb
follows the drag, and with an arm also the spine. The waist compensates for the rotation of the hips
between both times, and inverse kinematics corrects the last centimetre.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from retime.arrays import FloatArray
from retime.body import Body, LimbName, find_body
from retime.body.contacts.grips import find_grips
from retime.body.gripping import keep_grips, prop_joints
from retime.body.holding import as_delivered
from retime.body.limbs import LimbSolver
from retime.body.pelvis import PAD, pelvis_follows, turns_at
from retime.methods.surface.jumps import undone_jumps
from retime.methods.surface.projection import topological_distances
from retime.methods.surface.strain import strain
from retime.motion import Motion, quat
from retime.motion.edits import apply, correction_between
from retime.motion.kinematics import global_rotations, places, positions
from retime.motion.layers import PoseLayer
from retime.timing import TimeWarp

__all__ = ["Carried", "Led", "carried_by", "lead_limbs", "limb_joints"]

# Frames whose joint times differ by less than this, in seconds, are unchanged.
_SAME = 1e-9
# Soft limit of the rotation of the waist, and the maximum beyond it; radians.
_WAIST, _WAIST_MORE = np.radians(60), np.radians(20)
# Distance from its place that a hand may be left, metres.
_OFF = 0.2


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
        whole = own[part] | (set() if isinstance(part, int) else _spine(body, part))
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


def _to_hips(body: Body, limb: LimbName) -> list[int]:
    """List the joints from a limb's first up to the hips, without them."""
    chain, hips = body.skeleton.chain(body.limbs[limb].upper), body.roles["hips"]
    return chain[: chain.index(hips)] if hips in chain else chain[:1]


def limb_joints(body: Body, limb: LimbName) -> set[int]:
    """Return a limb's joints: an arm from its collar bone, a leg from below the hips."""
    above = _to_hips(body, limb)
    first = above[-1]
    if limb.endswith("arm"):
        collar = body.roles.get(limb.replace("arm", "shoulder"))
        first = collar if collar in above else above[0]
    out = _below(body, int(first))
    linked = body.limbs[limb]
    return out | (_below(body, linked.end) if linked.linked else set())


def _spine(body: Body, limb: LimbName) -> set[int]:
    """Return the joints between an arm and the hips."""
    return set(_to_hips(body, limb)) if limb.endswith("arm") else set()


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
    leg does not move joints above the hips.
    """
    ways = np.min([topological_distances(body, j, points) for j in whole], axis=0)
    out: FloatArray = np.exp(-(np.minimum(ways / reach, 40.0) ** 2) / 2)
    out[list(whole)] = 1.0
    still = set(body.skeleton.chain(body.roles["hips"]))
    if not arm:  # a trunk at another time than the hips would rotate against them
        still = set(range(len(out)))
    for name in body.limbs:
        if name.endswith("leg"):
            still |= limb_joints(body, name) - own
    out[list(still.union(*others) - own)] = 0.0
    return out


def lead_limbs(
    motion: Motion,
    warp: TimeWarp,
    limbs: Sequence[LimbName],
    span: tuple[float, float],
    *,
    grips: bool = True,
) -> Led:
    """Move limbs to their positions relative to the hips at their own times.

    Parameters
    ----------
    motion : Motion
        The step's input.
    warp : TimeWarp
        From the step's output time; it does not change the time of the body.
    limbs : sequence of str
        Limbs to move.
    span : (float, float)
        Part in which time changes, seconds; poses may change slightly before and after.
    grips : bool
        Whether hands keep what they hold.
    """
    near = np.flatnonzero((motion.times >= span[0] - PAD) & (motion.times <= span[1] + PAD))
    frames = slice(near[0], near[-1] + 1) if len(near) else slice(0, len(motion))
    plain = apply(motion, warp, times=motion.times[frames])
    body = find_body(motion)
    arms = [n for n in limbs if n.endswith("arm")]
    legs = [n for n in limbs if n not in arms]
    made, strained = plain, 0.0
    if arms:
        made, strained = _led_arms(motion, plain, warp, body, arms)
    if legs:
        before = made
        made = pelvis_follows(motion, made, warp)
        if made is before:  # it has no two legs, or no hips
            for name in legs:
                made = _lead(motion, made, warp, body, name)
    if grips:
        made = keep_grips(motion, made, warp)
    if legs:  # measured in the delivered motion, because holding feet bends the knees again
        strained = max(strained, strain(motion, body, as_delivered(motion, made, warp)))
    return Led(motion, frames, plain, made, strained)


def _led_arms(
    motion: Motion, plain: Motion, warp: TimeWarp, body: Body, arms: Sequence[LimbName]
) -> tuple[Motion, float]:
    """Move arms to their positions, and rotate the hands as at the time of the arms.

    If wrists would rotate too fast, hands keep their rotation relative to the forearms. Arms that
    would rotate too fast in any case are not moved; then their strain is returned, otherwise 0.
    """
    led = _turn_waist(motion, plain, warp, body, arms)
    for name in arms:
        led = _lead(motion, led, warp, body, name)
    least = strain(motion, body, led)
    if least <= 1:
        return led, 0.0
    hands = [body.limbs[name].end for name in arms]
    rotations = led.rotations.copy()
    rotations[:, hands] = plain.rotations[:, hands]
    loose = replace(led, rotations=rotations)
    least, found = min([(least, led), (strain(motion, body, loose), loose)], key=lambda m: m[0])
    if least <= max(1.0, strain(motion, body, plain)):
        return found, 0.0
    off = np.linalg.norm(positions(led)[:, hands] - positions(plain)[:, hands], axis=-1)
    return plain, (least if off.max() > _OFF else 0.0)


@dataclass(frozen=True, eq=False)
class Led:
    """Limbs that were moved to their places.

    Parameters
    ----------
    motion : Motion
        The source.
    frames : slice
        The frames that may have changed.
    plain, made : Motion
        These frames before and after the limbs were moved.
    strain : float
        Rotation speeds and knee accelerations relative to their limits; above 1 a leg exceeds them,
        or an arm would if it were moved to its place.
    """

    motion: Motion
    frames: slice
    plain: Motion
    made: Motion
    strain: float

    @cached_property
    def correction(self) -> PoseLayer | None:
        """Correction that moves the limbs, in the output time of the step."""
        return correction_between(self.plain, self.made)

    @cached_property
    def whole(self) -> Motion:
        """The whole motion, with the corrected limbs."""
        rotations = self.motion.rotations.copy()
        rotations[self.frames] = self.made.rotations
        tracks = {}
        for name, part in self.made.translations.items():
            rest = self.motion.skeleton.offsets[self.motion.skeleton.index(name)]
            track = self.motion.translations.get(name)
            track = np.tile(rest, (len(rotations), 1)) if track is None else track.copy()
            track[self.frames] = part
            tracks[name] = track
        return replace(self.motion, rotations=rotations, translations=tracks)


def _time_of(warp: TimeWarp, motion: Motion, joint: int, times: FloatArray) -> FloatArray:
    return warp(times, motion.skeleton.names[joint])


def _turn_waist(
    motion: Motion, made: Motion, warp: TimeWarp, body: Body, arms: Sequence[LimbName]
) -> Motion:
    """Rotate the trunk as at the time of the arms, distributed over its joints."""
    hips = body.roles["hips"]
    shared = set.intersection(*(_spine(body, a) for a in _both_arms(body, arms)))
    spine = [j for j in reversed(_to_hips(body, arms[0])) if j in shared]
    if not spine:
        return made
    then = _time_of(warp, motion, spine[-1], made.times)
    busy = np.abs(then - made.times) > _SAME
    now = global_rotations(made)[:, hips]
    wanted = turns_at(motion, hips, then)
    own = made.rotations[:, spine]
    jumps = undone_jumps(motion, hips, spine[0])
    if jumps is not None:
        here, there = jumps(made.times), jumps(then)
        now, wanted = quat.multiply(now, here), quat.multiply(wanted, there)
        own[:, 0] = quat.multiply(quat.conjugate(there), own[:, 0])
    between = quat.multiply(quat.conjugate(now), wanted)
    part = quat.exp(_bounded_turns(between) / len(spine))
    local, above = made.rotations.copy(), quat.identity(len(made))
    for k, j in enumerate(spine):
        turned = quat.multiply(
            quat.conjugate(above), quat.multiply(part, quat.multiply(above, own[:, k]))
        )
        if k == 0 and jumps is not None:
            turned = quat.multiply(here, turned)
        local[busy, j] = turned[busy]
        above = quat.multiply(above, own[:, k])
    return replace(made, rotations=local)


def _bounded_turns(turns: FloatArray) -> FloatArray:
    """Return rotation vectors (F, 3), continuous past half a turn, within the limits of a waist.

    The arm does the rest, so that a spinning body does not twist its waist.
    """
    q = quat.continuous(turns)
    q = -q if q[0, 0] < 0 else q  # nothing turns before the drag
    sine = np.linalg.norm(q[:, 1:], axis=1)
    angle = 2.0 * np.arctan2(sine, q[:, 0])
    over = np.maximum(angle - _WAIST, 0.0)
    bounded = np.minimum(angle, _WAIST) + _WAIST_MORE * (1 - np.exp(-over / _WAIST_MORE))
    return np.asarray(bounded[:, None] * q[:, 1:] / np.maximum(sine, 1e-12)[:, None])


def _both_arms(body: Body, arms: Sequence[LimbName]) -> list[LimbName]:
    both: list[LimbName] = ["left_arm", "right_arm"]
    return [a for a in both if a in body.limbs] or list(arms)


def _lead(motion: Motion, made: Motion, warp: TimeWarp, body: Body, limb: LimbName) -> Motion:
    """Move a limb's end to its source position relative to the hips at the limb's time."""
    part, hips = body.limbs[limb], body.roles["hips"]
    then = _time_of(warp, motion, part.end, made.times)
    busy = np.abs(then - made.times) > _SAME
    if not busy.any():
        return made
    solver, points = LimbSolver.of(made, part), places(motion)
    from_hips = points[:, part.end] - points[:, hips]
    track = [np.interp(then, motion.times, from_hips[:, c]) for c in range(3)]
    move = solver.points[:, hips] + np.stack(track, axis=1) - solver.points[:, part.end]
    turn = quat.multiply(
        turns_at(motion, part.end, then),
        quat.conjugate(solver.rotations[:, part.end]),
    )
    move[~busy], turn[~busy] = 0.0, [1.0, 0.0, 0.0, 0.0]
    return solver.reach(part.end, move, turn)[0]
