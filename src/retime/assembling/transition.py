"""Change over from one motion to another, each part of the body at its own time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from retime.arrays import FloatArray
from retime.body import find_body
from retime.body.solve.hinges import hinge_axis
from retime.body.solve.limbs import LimbSolver
from retime.motion import Motion, quat
from retime.motion.kinematics import cached_positions, cached_rotations

# Parts of the body that change over after the hips and legs, relative to the longest delay.
_LATER = {
    "spine": 0.2, "chest": 0.4, "upper_chest": 0.4, "neck": 0.8, "head": 1.0, "shoulder": 0.5,
    "upper_arm": 0.6, "lower_arm": 0.8, "hand": 1.0,
}  # fmt: skip


def change_over(one: Motion, other: Motion, start: float, end: float, stagger: float) -> Motion:
    """Return a motion that is one before and another after a span of time.

    Parameters
    ----------
    one, other : Motion
        Motions of one skeleton with the same frames.
    start, end : float
        The span, seconds.
    stagger : float
        Share of the span by which hands and head change over after the hips, 0 to 0.8.
    """
    delay = (end - start) * stagger * _delays(one)
    length = (end - start) * (1 - stagger)
    share = (one.times[:, None] - start - delay) / length
    share = _eased(np.clip(share, 0.0, 1.0))
    made = replace(
        one,
        rotations=quat.continuous(quat.slerp(one.rotations, other.rotations, share)),
        translations=_tracks(one, other, "translations", share),
        scales=_tracks(one, other, "scales", share),
        origin=None,
    )
    return _standing(made, one, other, share)


def _eased(u: FloatArray) -> FloatArray:
    return np.asarray(u**3 * (10 - 15 * u + 6 * u**2))


def _delays(motion: Motion) -> FloatArray:
    """Return how much later each joint (J,) changes over, relative to the longest delay."""
    parts = {joint: role for role, joint in find_body(motion).roles.items()}
    out = np.zeros(len(motion.skeleton))
    for joint, parent in enumerate(motion.skeleton.parents):
        role = parts.get(joint, "").removeprefix("left_").removeprefix("right_")
        above = out[parent] if parent >= 0 else 0.0
        out[joint] = _LATER.get(role, 0.0 if role else above)
    return out


def _tracks(one: Motion, other: Motion, kind: str, share: FloatArray) -> dict[str, FloatArray]:
    own, theirs, skeleton = getattr(one, kind), getattr(other, kind), one.skeleton
    rest = skeleton.offsets if kind == "translations" else skeleton.rest_scales
    out = {}
    for name in dict.fromkeys([*own, *theirs]):
        joint = skeleton.index(name)
        a, b = own.get(name, rest[joint]), theirs.get(name, rest[joint])
        out[name] = a + share[:, joint, None] * (b - a)
    return out


def _standing(made: Motion, one: Motion, other: Motion, share: FloatArray) -> Motion:
    """Put feet where they are between those of both: where both stand, they stand still."""
    for name, limb in find_body(made).limbs.items():
        if not name.endswith("leg"):
            continue
        solver = LimbSolver.of(made, limb, hinge=hinge_axis(one, limb))
        if not solver.can_bend:
            continue
        weight = share[:, limb.end, None]
        ends = [cached_positions(m)[:, limb.end] for m in (one, other)]
        turns = [cached_rotations(m)[:, limb.end] for m in (one, other)]
        move = ends[0] + weight * (ends[1] - ends[0]) - solver.points[:, limb.end]
        turn = quat.slerp(turns[0], turns[1], weight[:, 0])
        by = quat.multiply(turn, quat.conjugate(solver.rotations[:, limb.end]))
        still = np.abs(move).max(axis=1) < 1e-9
        move[still], by[still] = 0.0, [1.0, 0.0, 0.0, 0.0]
        made, _ = solver.reach(limb.end, move, by)
    return made
