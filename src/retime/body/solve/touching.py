"""Keep hands of two figures together when one of them is edited joint by joint."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from retime.body.contacts.grips import Grip
from retime.body.model.body import find_body
from retime.body.solve.gripping import carried, held_share
from retime.body.solve.limbs import LimbSolver
from retime.body.solve.pelvis import turns_at
from retime.motion import Motion, quat
from retime.motion.kinematics import cached_positions
from retime.timing import TimeWarp


def keep_touches(
    motion: Motion,
    made: Motion,
    warp: TimeWarp,
    partner: Motion,
    moved: Motion,
    touches: Sequence[Grip],
) -> tuple[Motion, float]:
    """Move a partner's hands to the hands that they hold, by inverse kinematics of its arms.

    Parameters
    ----------
    motion, made : Motion
        A figure before and after an edit.
    warp : TimeWarp
        Warp from the time of ``made`` to that of ``motion``.
    partner, moved : Motion
        The other figure before the edit, and retimed by it.
    touches : sequence of Grip
        Hands that hold each other, from :func:`retime.body.contacts.grips.find_touches`.

    Returns
    -------
    Motion
        The partner, with its hands at the recorded pose relative to the hands that they hold.
    float
        Largest distance by which an arm was too short, in metres.
    """
    limbs = {moved.skeleton.names[limb.end]: limb for limb in find_body(partner).limbs.values()}
    pairs: dict[tuple[str, str], list[Grip]] = {}
    for touch in touches:
        if touch.other in limbs:
            pairs.setdefault((touch.joint, touch.other), []).append(touch)
    times, worst = moved.times, 0.0
    for (joint, other), held in pairs.items():
        then = warp(times, joint)
        share = held_share(then, held)
        hand, theirs = made.skeleton.index(joint), moved.skeleton.index(other)
        place = np.stack(
            [np.interp(times, made.times, p) for p in cached_positions(made)[:, hand].T], axis=1
        )
        turn = turns_at(made, hand, times)
        goal, wanted = carried(motion, then, hand, theirs, place, turn, partner)
        solver = LimbSolver.of(moved, limbs[other])
        move = share[:, None] * (goal - solver.points[:, theirs])
        by = quat.multiply(wanted, quat.conjugate(solver.rotations[:, theirs]))
        by = quat.slerp(quat.identity(len(by)), by, share)
        moved, missed = solver.reach(theirs, move, by)
        worst = max(worst, missed)
    return moved, worst
