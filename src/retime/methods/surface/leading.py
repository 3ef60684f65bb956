"""Move dragged limbs to their places in space.

The waist compensates for the rotation of the hips between both times, and inverse kinematics
corrects the last centimetre.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from retime.arrays import FloatArray
from retime.body import Body, LimbName, find_body
from retime.body.gripping import keep_grips
from retime.body.holding import as_delivered
from retime.body.limbs import LimbSolver
from retime.body.pelvis import PAD, pelvis_follows, turns_at
from retime.methods.surface.carrying import limb_joints, spine_joints, to_hips
from retime.methods.surface.jumps import undone_jumps
from retime.methods.surface.strain import spin, strain
from retime.motion import Motion, quat
from retime.motion.edits import apply, correction_between
from retime.motion.kinematics import cached_positions, global_rotations, positions
from retime.motion.layers import PoseLayer
from retime.timing import TimeWarp

__all__ = ["Led", "lead_limbs"]

# Frames whose joint times differ by less than this, in seconds, are unchanged.
_SAME = 1e-9
# Soft limit of the rotation of the waist, and the maximum beyond it; radians.
_WAIST, _WAIST_MORE = np.radians(60), np.radians(20)
# Distance from its place that a hand may be left, metres.
_OFF = 0.2


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
        made = _undo_jumps(motion, made, warp, body, arms)
        made, strained = _led_arms(motion, made, warp, body, arms)
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
    would rotate too fast in any case are not moved, unless joints rotate faster in space then.
    The strain is returned if the drag should be reduced, otherwise 0.
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
    if spin(motion, plain) > least:  # without the turn of the waist, the trunk would shake
        return found, least
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


def _undo_jumps(
    motion: Motion, made: Motion, warp: TimeWarp, body: Body, arms: Sequence[LimbName]
) -> Motion:
    """Cancel jumps of the trunk by the other arm at the time of the trunk, not of the arm."""
    local = made.rotations.copy()
    for name in set(_both_arms(body, arms)) - set(arms):
        upper, joints = body.limbs[name].upper, limb_joints(body, name)
        path = [j for j in reversed(body.skeleton.chain(upper)) if j in joints]
        trunk = int(body.skeleton.parents[path[0]])
        above = quat.identity(len(made))
        for j in path if trunk >= 0 else []:
            jumps = undone_jumps(motion, trunk, j)
            if jumps is not None:
                now, then = (_time_of(warp, motion, i, made.times) for i in (trunk, j))
                turn = quat.multiply(jumps(now), quat.conjugate(jumps(then)))
                turn = quat.multiply(quat.conjugate(above), quat.multiply(turn, above))
                busy = np.abs(now - then) > _SAME
                local[busy, j] = quat.multiply(turn, local[:, j])[busy]
                break
            above = quat.multiply(above, local[:, j])
    return replace(made, rotations=local)


def _turn_waist(
    motion: Motion, made: Motion, warp: TimeWarp, body: Body, arms: Sequence[LimbName]
) -> Motion:
    """Rotate the trunk as at the time of the arms, distributed over its joints."""
    hips = body.roles["hips"]
    shared = set.intersection(*(spine_joints(body, a) for a in _both_arms(body, arms)))
    spine = [j for j in reversed(to_hips(body, arms[0])) if j in shared]
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
    solver, points = LimbSolver.of(made, part), cached_positions(motion)
    from_hips = points[:, part.end] - points[:, hips]
    track = [np.interp(then, motion.times, from_hips[:, c]) for c in range(3)]
    move = solver.points[:, hips] + np.stack(track, axis=1) - solver.points[:, part.end]
    turn = quat.multiply(
        turns_at(motion, part.end, then),
        quat.conjugate(solver.rotations[:, part.end]),
    )
    move[~busy], turn[~busy] = 0.0, [1.0, 0.0, 0.0, 0.0]
    return solver.reach(part.end, move, turn)[0]
